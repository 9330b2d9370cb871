"""Tables that fit the terminal.

Columns are as wide as their cells. If the terminal is too narrow, cells are folded; if they
would have too little room, each row becomes a few lines. In a pipe nothing is cut, folded or
coloured, because a program may read it.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.show.console import PlainConsole

NARROW = 60
"""In a narrower terminal a row is shown as lines."""

LEAST = 22
"""Columns that a cell needs for folding; with fewer, a row is shown as lines too."""


def show_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str | None = None,
    fixed: Sequence[str] = (),
    first: int = 0,
) -> None:
    """Print a table.

    Args:
        title: A line above it.
        fixed: Columns that are never folded.
        first: The column that comes first if there is no room for columns.
    """
    from app.show.console import make_console

    console = make_console()
    if title:
        console.print(title, style="bold")
    if sys.stdout.isatty() and (console.width < NARROW or not _have_room(console.width, headers, rows)):
        _show_as_lines(console, rows, first)
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in headers:
        table.add_column(name, no_wrap=name in fixed or not sys.stdout.isatty(), overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _have_room(width: int, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether each column is as wide as its cells, or at least has room to fold them."""
    widths = [max(len(row[place]) for row in (headers, *rows)) for place in range(len(headers))]
    wide = [each for each in widths if each > LEAST]
    rest = width - 2 * (len(widths) - 1) - sum(each for each in widths if each <= LEAST)
    return sum(wide) <= rest or rest >= LEAST * len(wide)


def _show_as_lines(console: "PlainConsole", rows: Sequence[Sequence[str]], first: int) -> None:
    from rich.padding import Padding

    for row in rows:
        rest = [cell for place, cell in enumerate(row) if cell and place != first]
        console.print(row[first])
        console.print(Padding(" · ".join(rest), (0, 0, 0, 2)), style="dim")
