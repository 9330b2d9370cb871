"""Lines of text for people, in a terminal and in a pipe."""

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from ana.output import escape_controls, write_line
from ana.output import shorten as shorten


def say(text: str) -> None:
    """Print for people: in a terminal wrapped between words, list lines hanging; in a pipe as it is."""
    if not sys.stdout.isatty():
        write_line(text)
        return
    width = max(shutil.get_terminal_size().columns, 20)
    for line in escape_controls(text).split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" -+~·")))
        write_line(textwrap.fill(line, width, subsequent_indent=indent, drop_whitespace=True) or "")


def pluralize(count: int, noun: str) -> str:
    """Return the count with its noun: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def describe_call(event: Mapping[str, Any]) -> str:
    """Return a tool call in one short line: its name and what it was about."""
    hidden = ("limit", "id") if event["tool"] == "update_item" else ("limit", "id", "properties")
    parts = [_format_argument(value) for name, value in event["args"].items() if name not in hidden and value]
    mark = "·" if event["ok"] else "✗"
    return shorten(f"{mark} {event['tool']} {' '.join(parts)}")


def _format_argument(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
