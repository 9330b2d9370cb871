"""Pages with parts that are made from the code, each between two marks."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_MARKED = r"(<!-- begin:{0} -->\n)(.*?)(<!-- end:{0} -->)"


def replace_parts(path: Path, parts: dict[str, str]) -> str:
    """Return a file's text with its marked parts replaced."""
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        marked = re.search(_MARKED.format(name), text, re.DOTALL)
        if not marked:
            raise ValueError(f"{path.name} has no part {name}")
        text = f"{text[: marked.start(2)]}{part}\n{text[marked.end(2) :]}"
    return text


def draw_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def read_cell(path: Path, part: str, row: str, column: int) -> str:
    """Return one cell of a part's table, without its bold marks.

    Args:
        path: The page.
        part: The part that is the table.
        row: How the first cell of the row begins.
        column: The number of the cell, 1 for the one after the first.

    Raises:
        ValueError: If not exactly one row begins so.
    """
    marked = re.search(_MARKED.format(part), path.read_text(encoding="utf-8"), re.DOTALL)
    lines = marked[2].splitlines() if marked else []
    rows = [line for line in lines if line.startswith(f"| {row}")]
    if len(rows) != 1:
        raise ValueError(f"{path.name} has {len(rows)} rows {row!r} in its part {part}")
    return rows[0].split(" | ")[column].strip("*| ")
