"""The beginning of every command."""

from ana.files import is_read_only
from ana.output import tell
from ana.own_files import keep_private
from ana.settings import Settings, load_settings
from ana.tracing.langsmith import switch_on_or_off


def start() -> Settings:
    """Read the settings, set up the log and LangSmith as they say, and keep what is on the disk private.

    Raises:
        ConfigError: A setting is wrong.
    """
    settings = load_settings()
    switch_on_or_off()
    from ana.logs import set_up_logging

    if changed := keep_private(settings):
        tell(f"Others on this machine could read {changed} of ana's files and folders; now only you can.")
    set_up_logging(settings)
    if is_read_only(settings.ana_data_dir):
        tell(f"The data folder {settings.ana_data_dir} is read-only: it can be looked at, and nothing is stored.")
    return settings
