"""The console for tables and styles; its only control sequences are its own colours."""

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from ana.output import escape_controls

WIDEST = 100_000
"""Columns in a pipe: wider than any row, because rich folds wider rows."""


class PlainConsole(Console):
    """Draws strings unchanged: without markup, and without anything that could control the terminal.

    Give it strings, not rich's Text: only strings pass through here.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a string as drawable text; options as in the base class."""
        return super().render_str(escape_controls(text), **options)


def make_console(*, error: bool = False) -> PlainConsole:
    """Return a console for standard output or standard error, as wide as the terminal, or as needed in a pipe."""
    width = None if (sys.stderr if error else sys.stdout).isatty() else WIDEST
    return PlainConsole(width=width, stderr=error, highlight=False, markup=False, emoji=False)
