"""Lines of text for people, in a terminal and in a pipe."""

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Any

from ana.output import escape_controls, write_line
from ana.time.dates import day_of, weekday

SIGNS = {"create": "+", "update": "~", "delete": "-"}
ABOUT_YOU = {"create": "learned: ", "update": "now known: ", "delete": "forgotten: "}


def say(text: str) -> None:
    """Print for people: in a terminal wrapped between words, list lines hanging; in a pipe as it is."""
    if not sys.stdout.isatty():
        write_line(text)
        return
    width = max(shutil.get_terminal_size().columns, 20)
    for line in escape_controls(text).split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" -+~·")))
        write_line(textwrap.fill(line, width, subsequent_indent=indent, drop_whitespace=True) or "")


def shorten(text: str, width: int = 72) -> str:
    """Return the text as one line of at most `width` characters."""
    line = escape_controls(" ".join(text.split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def pluralize(count: int, noun: str) -> str:
    """Return the count with its noun: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def describe_call(event: Mapping[str, Any]) -> str:
    """Return a tool call in one short line: its name and what it was about."""
    hidden = ("limit", "id") if event["tool"] == "update_item" else ("limit", "id", "properties")
    parts = [_format_argument(value) for name, value in event["args"].items() if name not in hidden and value]
    mark = "·" if event["ok"] else "✗"
    return shorten(f"{mark} {event['tool']} {' '.join(parts)}")


def describe_change(change: Mapping[str, Any]) -> str:
    """Return a receipt as people read it: + Buy milk (task, due Friday 2026-11-27)."""
    record = change["after"] or change["before"]
    about = ABOUT_YOU[change["op"]] if change["kind"] == "line" else ""
    return f"{SIGNS[change['op']]} {about}{shorten(record['content'], 60)}{_describe_properties(change)}"


def describe_property(name: str, value: object) -> str:
    """Return a property in a few words: a date with its weekday, a type or status without its name."""
    day = day_of(value)
    shown = f"{weekday(day)} {value}" if day else str(value)
    if name in ("type", "status"):
        return shown
    return f"due {shown}" if name == "due_date" else f"{name.replace('_', ' ')} {shown}"


def _format_argument(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _describe_properties(change: Mapping[str, Any]) -> str:
    before = (change["before"] or {}).get("properties", {})
    after = (change["after"] or {}).get("properties", {})
    if change["op"] == "update":
        parts = [describe_property(k, v) for k, v in after.items() if before.get(k) != v]
        parts += [f"no {k.replace('_', ' ')}" for k in before if k not in after]
    else:
        parts = [describe_property(k, v) for k, v in (after or before).items()]
    return f" ({shorten(', '.join(parts), 80)})" if parts else ""
