"""Pages with parts that are made from the code, each between two marks."""

from collections.abc import Iterable, Sequence
from pathlib import Path


def replace_parts(path: Path, parts: dict[str, str]) -> str:
    """Return a file's text with its marked parts replaced."""
    text = path.read_text(encoding="utf-8")
    for name, part in parts.items():
        before, _, after = _split(text, name)
        text = f"{before}{part}\n{after}"
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
    _, table, _ = _split(path.read_text(encoding="utf-8"), part)
    rows = [line for line in table.splitlines() if line.startswith(f"| {row}")]
    if len(rows) != 1:
        raise ValueError(f"{path.name} has {len(rows)} rows {row!r} in its part {part}")
    return rows[0].split(" | ")[column].strip("*| ")


def _split(text: str, name: str) -> tuple[str, str, str]:
    """Return a text up to a part's first mark, the part, and the rest from its second mark on."""
    begin, end = f"<!-- begin:{name} -->\n", f"<!-- end:{name} -->"
    before, opened, rest = text.partition(begin)
    part, closed, after = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"there is no part {name}")
    return before + begin, part, end + after
