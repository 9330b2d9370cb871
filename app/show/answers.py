"""What a person is told: answers, Markdown tables drawn as tables, with what was changed; requests; transcripts."""

import json
import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING

from ana.errors import UserError
from ana.memory.receipts import list_changes
from ana.output import tell, write_line
from app.show.tables import show_table
from app.show.text import say

if TYPE_CHECKING:
    from ana.tracing.port import Traces
    from app.outcome import Done
    from nodes.requests import Request

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*")
COLOURS = {"+": "green", "~": "magenta", "-": "red"}
"""Colours of the terminal's own palette that can be read on light and on dark backgrounds."""


def show_answer(answer: "Done") -> None:
    """Print the answer, and below it the changes as the store confirmed them, or that there were none."""
    from app.show.console import make_console

    show_text(answer.answer)
    console = make_console()
    for line in list_changes(answer.changes, answer.receipt, answer.question):
        if sys.stdout.isatty() and line[:1] in COLOURS:
            console.print(f"  {line}", style=COLOURS[line[0]])
        else:
            say(f"  {line}")
    if line := describe_cost(answer):
        if sys.stdout.isatty():
            console.print(f"  {line}", style="dim")
        else:
            tell(line)


def describe_cost(answer: "Done") -> str:
    """Return what a turn cost in one line; empty where nothing was paid."""
    usage, usd = answer.usage, answer.cost_usd
    if usd == 0:
        return ""
    about = "about " if usage["estimated"] else ""
    spent = "the price of this model is not known" if usd is None else f"{about}${usd:.4f}"
    cached = f" ({usage['cached_tokens']:,} cached)" if usage.get("cached_tokens") else ""
    return f"{spent} · {about}{usage['input_tokens']:,} tokens read{cached}, {usage['output_tokens']:,} written"


def show_text(text: str) -> None:
    """Print text, its Markdown tables drawn as tables; in a pipe all of it as it was written."""
    if not sys.stdout.isatty():
        write_line(text)
        return
    for is_table, lines in groupby(text.split("\n"), key=lambda line: line.lstrip().startswith("|")):
        block = list(lines)
        if is_table and len(block) > 1 and _RULE.fullmatch(block[1].strip()):
            headers, *rows = (_split_cells(line) for line in (block[0], *block[2:]))
            width = len(headers)
            show_table(headers, [[*row, *[""] * width][:width] for row in rows])
        else:
            say("\n".join(block))


def _split_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def show_request(request: "Request") -> None:
    """Print every action with all its arguments: a person approves exactly what stands here."""
    if not request["action_requests"]:
        value = request.get("value")
        say(f"Before I go on: {value if isinstance(value, str) else _as_text(value)}")
        return
    say("Not done yet; may I?")
    summary = request.get("summary", "")
    for line in summary.splitlines():
        say(f"  {line}")
    for number, action in enumerate(request["action_requests"], start=1):
        say(f"  {number}. {action.get('name')} {_as_text(action.get('args', {}))}")
        for line in str(action.get("description") or "").removeprefix(f"{summary}\n").splitlines():
            say(f"     {line}")


def _as_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def show_transcript(traces: "Traces", thread_id: str, limit: int, before: str | None = None) -> None:
    """Print turns of a conversation, oldest first, from its traces: the state of a thread forgets old ones.

    Args:
        limit: How many turns at most, the last ones.
        before: Only turns before the one with this id.

    Raises:
        UserError: It has no turns, or none with that id.
    """
    records = traces.page(thread_id, limit, before)
    if not records:
        raise UserError("There is nothing earlier in this conversation.", "`ana threads list` shows them all.")
    for record in records:
        say(f"{record['ts']}  {record['id']}\n> {record['question']}")
        show_text(record["answer"])
        if receipt := record.get("receipt"):
            say(receipt)
        write_line()
