"""Answers with their Markdown tables and changes; transcripts."""

import re
import sys
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.memory.receipt_lines import list_changes, name_failed
from ana.memory.receipts import tells_no_changes
from ana.output import tell, write_line
from ana.translation import _
from app.show.tables import show_table
from app.show.text import say, show_moment

if TYPE_CHECKING:
    from ana.time.clock import Clock
    from ana.tracing.port import Traces
    from app.outcome import Done

_CELL = re.compile(r"(?<!\\)\|")
_DASHES = re.compile(r":?-+:?")
COLOURS = {"+": "green", "~": "magenta", "-": "red"}
"""Colours of the terminal's palette that are readable on light and dark backgrounds."""

SMALLEST_USD = 0.0001
LISTED = "`ana threads list` shows all conversations."


def show_answer(answer: "Done") -> None:
    """Print the answer, and below it the changes that the store confirmed, or that there were none."""
    show_text(answer.answer)
    show_changes(list_below(answer), is_unchanged=tells_no_changes(answer.receipt))
    if line := describe_cost(answer):
        if sys.stdout.isatty():
            say(f"  {line}", style="dim")
        else:
            tell(line)


def list_below(answer: "Done") -> list[str]:
    """Return the lines under an answer: the changes and the failures, without reasons that the answer itself gives."""
    lines, failed = list_changes(answer.changes, answer.receipt, answer.unwritten), f"{name_failed()}: "
    return [line for line in lines if not (answer.composed and _repeats(answer.answer, line, failed))]


def _repeats(answer: str, line: str, failed: str) -> bool:
    return line.startswith(failed) and line.removeprefix(failed) in answer


def explain_signs(undo: str) -> str:
    """Return what the signs of a receipt mean, and the command that takes it back here."""
    return _("+ new · ~ changed · - deleted; {undo} takes it back.").format(undo=undo)


def show_changes(lines: Iterable[str], *, is_unchanged: bool = False) -> None:
    """Print the changes, each in the colour of its sign; or, dim, that there are none, with unchanged records."""
    for line in lines:
        say(f"  {line}", style="dim" if is_unchanged else COLOURS.get(line[:1], ""))


def describe_cost(answer: "Done") -> str:
    """Return the cost of a turn in one line; empty if it was free or is unknown, which `ana setup` reports."""
    usage, usd = answer.usage, answer.cost_usd
    if not usd:
        return ""
    about = "about " if usage["estimated"] else ""
    spent = f"{about}${usd:.4f}" if usd >= SMALLEST_USD else f"{about}less than ${SMALLEST_USD}"
    cached = f" ({usage['cached_tokens']:,} cached)" if usage.get("cached_tokens") else ""
    return f"{spent} · {about}{usage['input_tokens']:,} tokens read{cached}, {usage['output_tokens']:,} written"


def show_text(text: str) -> None:
    """Print text with its Markdown tables drawn; in a pipe print it unchanged."""
    if not sys.stdout.isatty():
        write_line(text)
        return
    for is_table, lines in groupby(text.split("\n"), key=lambda line: line.lstrip().startswith("|")):
        block = list(lines)
        if is_table and len(block) > 1 and all(map(_DASHES.fullmatch, _split_cells(block[1]))):
            headers, *rows = (_split_cells(line) for line in (block[0], *block[2:]))
            width = len(headers)
            show_table(headers, [[*row, *[""] * width][:width] for row in rows])
        else:
            say("\n".join(block))


def _split_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def show_transcript(
    traces: "Traces", thread_id: str, limit: int, before: str | None = None, clock: "Clock | None" = None
) -> None:
    """Print turns of a conversation, oldest first, from its traces, because a thread's state drops old ones.

    Args:
        limit: The number of last turns to show.
        before: Only turns before the one with this id.
        clock: The clock for showing times, without ids; None shows recorded times.

    Raises:
        UserError: It has no turns, or none with this id.
    """
    records = traces.page(thread_id, limit, before)
    if not records:
        raise UserError("There is nothing earlier in this conversation.", "" if clock else LISTED)
    for record in records:
        say(show_moment(record["ts"], clock) if clock else f"{record['ts']}  {record['id']}", style="dim")
        say(f"> {record['question']}", style="bold")
        show_text(record["answer"])
        if receipt := record.get("receipt"):
            say(receipt, style="dim" if tells_no_changes(receipt) else "")
        write_line()
