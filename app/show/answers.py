"""Answers as people see them: text, Markdown tables drawn as tables, and below it what was changed."""

import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING

from ana.memory.receipts import list_changes
from ana.output import tell, write_line
from app.show.tables import show_table
from app.show.text import say

if TYPE_CHECKING:
    from app.outcome import Done

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*")
COLOURS = {"+": "green", "~": "magenta", "-": "red"}
"""Colours of the terminal's own palette that can be read on light and on dark backgrounds."""


def show_answer(answer: "Done") -> None:
    """Print the answer, and below it the changes as the store confirmed them, or that there were none."""
    from app.show.console import make_console

    show_text(answer.answer)
    console = make_console()
    for line in list_changes(answer.changes, answer.receipt):
        if sys.stdout.isatty() and answer.changes:
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
