"""Lines of text for people, in a terminal and in a pipe."""

import re
import shutil
import sys
import textwrap
from datetime import datetime

from ana.output import escape_controls, write_line
from ana.output import shorten as shorten
from ana.time.clock import Clock
from ana.time.dates import show_day

_LEAD = re.compile(r"\s*(?:(?:[-+~*•·✗>]|\d{1,3}[.)])\s+)*")
"""Spaces and marks of lists and quotations, by which continuation lines are indented."""

NARROWEST = 20
"""Least columns to assume, even if a terminal reports fewer."""


def say(text: str, style: str = "", hang: int | None = None) -> None:
    """Print for people: wrapped between words with hanging lists in a terminal, unchanged in a pipe.

    Args:
        style: How rich draws it in a terminal.
        hang: Indent of a long line's continuation; None: where its own words begin.
    """
    if not sys.stdout.isatty():
        write_line(text)
        return
    wrapped = wrap(text, shutil.get_terminal_size().columns, hang)
    if not style:
        write_line(wrapped)
        return
    from app.show.console import make_console

    make_console().print(wrapped, style=style, soft_wrap=True)


def wrap(text: str, width: int, hang: int | None = None) -> str:
    """Return a text in lines of at most `width` columns, broken between words; without control characters.

    Args:
        hang: Indent of a long line's continuation; None: where its own words begin.
    """
    width = max(width, NARROWEST)
    return "\n".join(_wrap_line(line, width, hang) for line in escape_controls(text).split("\n"))


def _wrap_line(line: str, width: int, hang: int | None) -> str:
    lead = _LEAD.match(line)
    indent = min(len(lead[0]) if hang is None and lead else hang or 0, width // 2)
    return textwrap.fill(line, width, subsequent_indent=" " * indent, break_on_hyphens=False)


def pluralize(count: int, noun: str, many: str = "") -> str:
    """Return the count with its noun: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {many or f'{noun}s'}"


def show_moment(stamp: str, clock: Clock) -> str:
    """Return an ISO 8601 time as the person's clock showed it: Tue 24 Nov 15:36; another year is shown too."""
    moment = datetime.fromisoformat(stamp).astimezone(clock.zone)
    return f"{show_day(moment.date(), clock.now().year)} {moment:%H:%M}"
