"""The beginning of every command."""

from ana.settings import Settings, load_settings
from ana.tracing.langsmith import switch_on_or_off


def start() -> Settings:
    """Read the settings, and set up the log and LangSmith as they say.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = load_settings()
    switch_on_or_off()
    from ana.logs import set_up_logging

    set_up_logging(settings)
    return settings
