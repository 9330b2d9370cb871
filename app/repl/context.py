"""`/context`: the lines the assistant has learned about the person, where they come from, and editing them by hand."""

import re
from typing import NoReturn

from ana.errors import UserError
from ana.handles import Handles
from ana.memory.changes import Cause, make_edit
from ana.memory.digests import digest_line
from ana.memory.memory import Memory
from ana.translation import _
from app.knowing import explain_lines
from app.show.confirm import edit_text
from app.show.tables import show_table
from app.show.text import say

_NEW_TEXT = re.compile(r"(\d+)\s+(\S.*)", re.DOTALL)
_LINE = re.compile(r"(\d+)--\s*(.*)")
_HEADER = """\
# Change a line, take it away, or add one without a number. Lines that begin with # are left out.
"""


def show_context(handles: Handles, argument: str = "") -> None:
    """Print a table of Global Context: each line, the day from which it is known, and the words it came from.

    Raises:
        UserError: There is an argument.
    """
    if argument:
        _refuse(argument)
    rows = [(str(number), *row) for number, row in explain_lines(handles).items()]
    if rows:
        show_table((_("line"), _("what I know"), _("since"), _("because you said")), rows, fixed=("since",), first=1)
    else:
        say(_("Nothing yet."))


def edit_context(handles: Handles, argument: str = "", thread: str = "") -> None:
    """Replace a line, given as its number and the new text; without an argument, open the person's editor.

    Args:
        argument: The text typed after the command.
        thread: The conversation in which it was typed: an undo there takes it back.

    Raises:
        UserError: The argument is not a number and a text, or the editor cannot be used.
        ToolError: There is no such line, or it changed meanwhile.
    """
    if not argument:
        _edit_all(handles, make_edit(thread))
    elif match := _NEW_TEXT.fullmatch(argument):
        handles.memory.replace_line(int(match[1]), match[2], make_edit(thread))
        show_context(handles)
    else:
        _refuse(f"edit {argument}")


def delete_line(handles: Handles, argument: str, thread: str = "") -> None:
    """Delete a line, given as its number; an undo in the conversation takes it back.

    Raises:
        UserError: The argument is not a number.
        ToolError: There is no such line.
    """
    if not re.fullmatch(r"\d+", argument):
        _refuse(f"delete {argument}".strip())
    handles.memory.delete_line(int(argument), make_edit(thread))
    show_context(handles)


def _refuse(argument: str) -> NoReturn:
    raise UserError(
        _("/context {argument} is not understood.").format(argument=argument),
        _("Say /context, /context edit, /context edit 2 Likes tea, or /context delete 2."),
    )


def _edit_all(handles: Handles, cause: Cause) -> None:
    """Let the person edit Global Context in their own editor, then show the result."""
    before = handles.memory.lines()
    known = [f"# {since}, {words}\n{n}-- {text}" for n, (text, since, words) in explain_lines(handles).items()]
    edited = edit_text("\n".join([_HEADER, *known, ""]))
    if edited is None:
        say(_("Nothing was changed."))
        return
    _apply(handles.memory, cause, before, [line.strip() for line in edited.splitlines()])
    show_context(handles)


def _apply(memory: Memory, cause: Cause, before: dict[int, str], edited: list[str]) -> None:
    """Apply the edited text to Global Context. Each line is checked against its text when the editor was opened."""
    wanted = [line for line in edited if line and not line.startswith("#")]
    if before and not wanted:
        # An editor that fails often leaves an empty file.
        raise UserError("Nothing was changed: that would forget everything.", "Say /context delete 2 for each line.")
    numbered = {int(match[1]): match[2] for line in wanted if (match := _LINE.fullmatch(line))}
    if unknown := numbered.keys() - before.keys():
        told = _("There was no line {n}.").format(n=min(unknown))
        raise UserError(told, _("Add a line without a number; it gets its own."))
    digests = {number: digest_line(text) for number, text in before.items()}
    for number, text in before.items():
        if not numbered.get(number):
            memory.delete_line(number, cause, digests)
        elif numbered[number] != text:
            memory.replace_line(number, numbered[number], cause, digests)
    for line in wanted:
        if not _LINE.fullmatch(line):
            memory.append_line(line, cause)
