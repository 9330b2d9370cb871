"""The beginning of every command."""

from ana.output import tell
from ana.tracing.langsmith import switch_on_or_off
from ana.workspace import Workspace, load_workspace
from ana.workspace.private import describe_shared, holds_own, keep_private


def start() -> Workspace:
    """Read the settings, set up the log and LangSmith as they say, and keep what is on the disk private.

    Returns:
        The owner's workspace: who may run commands here is the owner.

    Raises:
        ConfigError: A setting is wrong.
    """
    workspace = load_workspace()
    switch_on_or_off()
    from ana.logs import set_up_logging

    if changed := keep_private(workspace):
        tell(f"Others on this machine could read {changed} of ana's files and folders; now only you can.")
    set_up_logging(workspace.settings)
    if not holds_own(workspace) and (sentence := describe_shared(workspace)):
        tell(sentence)
    if workspace.is_read_only:
        tell(f"The data folder {workspace.folder} is read-only: it can be looked at, and nothing is stored.")
    return workspace
