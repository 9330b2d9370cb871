"""The beginning of every command."""

import os
from contextvars import ContextVar

from ana.errors import ConfigError, UserError
from ana.keys import OWNER
from ana.logs import set_up_logging
from ana.output import tell
from ana.tracing.langsmith import switch_on_or_off
from ana.translation import _, speak
from ana.workspace import Workspace, load_workspace, open_workspace
from ana.workspace.private import keep_private

chosen: ContextVar[str | None] = ContextVar("chosen", default=None)
"""The person for whom a command is to run; None if nobody was named."""


def start() -> Workspace:
    """Read the settings, set up the log and LangSmith by them, and make files on the disk private.

    Returns:
        The owner's workspace, because anyone who may run commands here is the owner; or the workspace of the named
        person.

    Raises:
        ConfigError: A setting is wrong, or the data folder cannot be written.
        UserError: There is no such person, or their settings cannot be used.
    """
    workspace = load_workspace()
    speak(workspace.settings.language)
    prepare(workspace)
    person = chosen.get()
    if person in (None, workspace.person):
        return workspace
    from ana.people import People

    if person not in People(workspace.settings).names():
        raise UserError(
            _("There is no person {name}.").format(name=f"{person!r:.80}"), "`ana users list` shows who there is."
        )
    workspace = open_workspace(workspace.settings, person)
    speak(workspace.settings.language)
    return workspace


def prepare(workspace: Workspace) -> None:
    """Set up the log and LangSmith by the owner's settings, and make files on the disk private.

    Raises:
        ConfigError: The data folder cannot be written.
    """
    if workspace.folder.exists() and not os.access(workspace.folder, os.W_OK):  # SQLite and Chroma write even to read
        hint = "Make it writable, or set ANA_DATA_DIR to another folder."
        raise ConfigError(f"The data folder {workspace.folder} cannot be written.", hint)
    switch_on_or_off()
    for path in keep_private(workspace):
        tell(f"Others on this machine could look into {path}; now only you can.")
    set_up_logging(workspace.settings)


def spell_user(workspace: Workspace) -> str:
    """Return the option that a command for this person needs; none for the owner."""
    return "" if workspace.person == OWNER else f" --user {workspace.person}"
