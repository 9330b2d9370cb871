"""Answers as people see them: text, tables drawn as tables, and under it what was changed."""

import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING

from app.show.tables import console, show_table
from app.show.text import change_line, say

if TYPE_CHECKING:
    from app.outcome import Done

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?(?:\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*")
COLOURS = {"+": "green", "~": "magenta", "-": "red"}
"""Colours of the terminal's own palette that can be read on light and on dark."""


def show_answer(answer: "Done") -> None:
    """The answer, and under it the changes as the store confirmed them."""
    show_text(answer.answer)
    shown = console()
    for change in answer.changes:
        line = change_line(change)
        if sys.stdout.isatty():
            shown.print(f"  {line}", style=COLOURS[line[0]])
        else:
            print(f"  {line}")


def show_text(text: str) -> None:
    """Text with the Markdown tables in it; in a pipe all of it as it was written."""
    if not sys.stdout.isatty():
        print(text)
        return
    for is_table, lines in groupby(text.split("\n"), key=lambda line: line.lstrip().startswith("|")):
        block = list(lines)
        if is_table and len(block) > 1 and _RULE.fullmatch(block[1].strip()):
            headers, *rows = (_cells(line) for line in (block[0], *block[2:]))
            width = len(headers)
            show_table(headers, [[*row, *[""] * width][:width] for row in rows])
        else:
            say("\n".join(block))


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]
