"""Questions to the person before something is done."""

import sys

from ana.errors import UserError
from ana.output import escape_controls
from ana.translation import _


def can_ask() -> bool:
    """Return whether somebody can answer."""
    return sys.stdin.isatty()


def confirm(question: str) -> bool:
    """Ask, and return whether the person said yes."""
    try:
        return ask(question)
    except UserError:
        return False


def ask(question: str, *, default: bool = False) -> bool:
    """Ask, and return whether the person said yes; Enter is the default. Raises UserError if they quit."""
    import click

    try:
        return click.confirm(escape_controls(question), default=default)
    except click.Abort as exc:  # Ctrl-C, Ctrl-D
        raise UserError(_("Nothing was changed.")) from exc


def ask_line(question: str) -> str:
    """Ask, and return what the person typed; empty if nothing, or if they cancelled."""
    import click

    try:
        line: str = click.prompt(escape_controls(question), default="", show_default=False)
    except click.Abort:  # Ctrl-C, Ctrl-D
        return ""
    return line


def edit_text(text: str, extension: str = ".txt") -> str | None:
    """Let the person edit a text in their editor, and return it; None if unchanged.

    Raises:
        UserError: The editor cannot be used.
    """
    import click

    try:
        edited: str | None = click.edit(text, extension=extension)
    except click.ClickException as exc:
        told = _("The editor could not be used: {reason}.").format(reason=exc.message)
        raise UserError(told, _("Set EDITOR to one that works.")) from exc
    return edited


def require_consent(question: str, *, yes: bool, done: str = "deleted") -> None:
    """Ask unless the person has already said yes; after a no, the error uses `done`.

    Raises:
        UserError: The person said no, or there is no terminal.
    """
    if yes:
        return
    if not can_ask():
        hint = "Run it in a terminal." if done == "installed" else "Use --yes to confirm in advance."
        raise UserError(f"Nothing was {done}, because this is not a terminal.", hint)
    if not confirm(question):
        raise UserError(f"Nothing was {done}.")
