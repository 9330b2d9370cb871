"""Tables that fit: columns as wide as what is in them, cells folded where the terminal is too narrow for that, and in a
very narrow one each row as a few lines. In a pipe nothing is cut, folded or coloured."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

NARROW = 60
"""In fewer columns than this a row is shown as lines."""

WIDEST = 100_000
"""Columns of a table in a pipe."""


def console() -> "Console":
    """Where things are shown: the terminal, or a pipe as wide as needed."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDEST, highlight=False, markup=False, emoji=False)


def show_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str | None = None,
    fixed: Sequence[str] = (),
    first: int = 0,
) -> None:
    """Print a table.

    Args:
        headers: The columns' names.
        rows: The cells, in the columns' order.
        title: What stands above it.
        fixed: Columns that are never folded.
        first: The column that leads a row where there is no room for columns.
    """
    shown = console()
    if title:
        shown.print(title, style="bold")
    if sys.stdout.isatty() and shown.width < NARROW:
        from rich.padding import Padding

        for row in rows:
            rest = [cell for place, cell in enumerate(row) if cell and place != first]
            shown.print(row[first])
            shown.print(Padding(" · ".join(rest), (0, 0, 0, 2)), style="dim")
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in headers:
        table.add_column(name, no_wrap=name in fixed or not sys.stdout.isatty(), overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    shown.print(table)
