"""How every command begins."""

from ana.settings import Settings, load_settings, switch_on_langsmith


def started() -> Settings:
    """The settings, with the log file and LangSmith as they say.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = load_settings()
    switch_on_langsmith()
    from ana.logs import set_up_logging

    set_up_logging(settings)
    return settings
