"""The console that draws tables and styles: its own colours are its only control sequences."""

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from ana.output import escape_controls

WIDEST = 100_000
"""Columns in a pipe: wider than any row, because rich would fold what is wider."""


class PlainConsole(Console):
    """Draws strings as they are: no markup, and nothing in them that could drive the terminal.

    Give it strings, not rich's Text: only strings pass through here.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text that a string is drawn as; options as in the base class."""
        return super().render_str(escape_controls(text), **options)


def make_console(*, error: bool = False) -> PlainConsole:
    """Return a console for standard output or standard error: as wide as the terminal, or as needed in a pipe."""
    width = None if (sys.stderr if error else sys.stdout).isatty() else WIDEST
    return PlainConsole(width=width, stderr=error, highlight=False, markup=False, emoji=False)
