"""`/context`: what the assistant learned about the person, why it knows that, and the person's own hand in it."""

import re
from typing import TYPE_CHECKING

from ana.errors import UserError
from app.show.tables import show_table
from app.show.text import say, short

if TYPE_CHECKING:
    from ana.handles import Handles
    from ana.memory.changes import Cause, Origin
    from ana.memory.memory import Memory

_EDIT = re.compile(r"(edit|delete)(?:\s+(\d+))?(?:\s+(\S.*))?", re.DOTALL)
_LINE = re.compile(r"(\d+)--\s*(.*)")
_HOW = """\
# Change a line, take it away, or add one without a number. What begins with # is left out.
"""


def about_you(handles: "Handles", argument: str) -> None:
    """Show Global Context, or change it.

    Args:
        handles: The live handles.
        argument: Nothing; "edit", "edit N TEXT" or "delete N".

    Raises:
        UserError: The argument is none of these.
        ToolError: There is no such line.
    """
    wanted = _EDIT.fullmatch(argument)
    match wanted.groups() if wanted else (argument or None, None, None):
        case (None, _, _):
            _show(handles)
        case ("edit", None, None):
            _edit_all(handles)
        case ("edit", str(number), str(text)):
            handles.memory.replace_line(int(number), text)
            _show(handles)
        case ("delete", str(number), None):
            handles.memory.delete_line(int(number))
            _show(handles)
        case _:
            raise UserError(
                f"/context {argument} is not understood.",
                "Say /context, /context edit, /context edit 2 Likes tea, or /context delete 2.",
            )


def _show(handles: "Handles") -> None:
    rows = [(str(number), *row) for number, row in _known(handles).items()]
    if rows:
        show_table(("line", "what I know", "since", "because you said"), rows, fixed=("since",), first=1)
    else:
        say("Nothing yet.")


def _known(handles: "Handles") -> dict[int, tuple[str, str, str]]:
    """For each line its text, the day it was written, and the words it came from."""
    lines, origins = handles.memory.lines(), handles.memory.origins("line")
    return {number: (text, *_since(handles, origins.get(str(number)))) for number, text in lines.items()}


def _since(handles: "Handles", origin: "Origin | None") -> tuple[str, str]:
    return (handles.clock.day(origin.ts).isoformat(), _said(handles, origin.cause)) if origin else ("", "")


def _said(handles: "Handles", cause: "Cause | None") -> str:
    if cause is None:
        return "(your own edit)"
    turn = next((r for r in handles.traces.read(cause.thread) if r["id"] == cause.turn), None)
    return f"“{short(turn['question'], 60)}”" if turn else "(that conversation was deleted)"


def _edit_all(handles: "Handles") -> None:
    """Global Context in the person's own editor, then what changed."""
    import click

    before = handles.memory.lines()
    shown = [f"# {since}, {said}\n{n}-- {text}" for n, (text, since, said) in _known(handles).items()]
    try:
        edited = click.edit("\n".join([_HOW, *shown, ""]))
    except click.ClickException as exc:
        raise UserError(f"The editor could not be used: {exc.message}.", "Set EDITOR to one that works.") from exc
    if edited is None:
        say("Nothing was changed.")
        return
    _apply(handles.memory, before, [line.strip() for line in str(edited).splitlines()])
    _show(handles)


def _apply(memory: "Memory", before: dict[int, str], edited: list[str]) -> None:
    """Make Global Context what the editor left; a line that came or changed meanwhile is left alone."""
    from ana.memory.digests import line_digest

    wanted = [line for line in edited if line and not line.startswith("#")]
    if before and not wanted:
        raise UserError("Nothing was changed: that would forget everything.", "Say /context delete 2 for each line.")
    kept = {int(match[1]): match[2] for line in wanted if (match := _LINE.fullmatch(line))}
    if unknown := kept.keys() - before.keys():
        raise UserError(f"There was no line {min(unknown)}.", "Add a line without a number; it gets its own.")
    shown = {number: line_digest(text) for number, text in before.items()}
    for number, text in before.items():
        if not kept.get(number):
            memory.delete_line(number, shown=shown)
        elif kept[number] != text:
            memory.replace_line(number, kept[number], shown=shown)
    for line in wanted:
        if not _LINE.fullmatch(line):
            memory.append_line(line)
