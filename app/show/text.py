"""How things look in a terminal, and in a pipe."""

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from ana.time.dates import day_of, weekday

if TYPE_CHECKING:
    from app.turn import Event

SIGNS = {"create": "+", "update": "~", "delete": "-"}
ABOUT_YOU = {"create": "learned: ", "update": "now known: ", "delete": "forgotten: "}


def say(text: str) -> None:
    """Print for people: in a terminal wrapped between words, list lines hanging; in a pipe as it is."""
    if not sys.stdout.isatty():
        print(text)
        return
    width = max(shutil.get_terminal_size().columns, 20)
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" -+~·")))
        print(textwrap.fill(line, width, subsequent_indent=indent, drop_whitespace=True) or "")


def short(text: str, width: int = 72) -> str:
    """One line of at most `width` characters."""
    line = "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(count: int, what: str) -> str:
    """1 item, 2 items."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def tool_line(event: "Event") -> str:
    """A tool call as one quiet line: its name and what it was about."""
    hidden = ("limit", "id") if event["tool"] == "update_item" else ("limit", "id", "properties")
    said = [_argument(value) for name, value in event["args"].items() if name not in hidden and value]
    mark = "·" if event["ok"] else "✗"
    return short(f"{mark} {event['tool']} {' '.join(said)}")


def change_line(change: dict[str, Any]) -> str:
    """A receipt as people read it: + Buy milk (task, due Friday 2026-11-27)."""
    record = change["after"] or change["before"]
    about = ABOUT_YOU[change["op"]] if change["kind"] == "line" else ""
    return f"{SIGNS[change['op']]} {about}{short(record['content'], 60)}{_details(change)}"


def property_text(name: str, value: object) -> str:
    """A property in a few words; a date with its weekday, a type or status bare."""
    day = day_of(value)
    shown = f"{weekday(day)} {value}" if day else str(value)
    if name in ("type", "status"):
        return shown
    return f"due {shown}" if name == "due_date" else f"{name.replace('_', ' ')} {shown}"


def _argument(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _details(change: dict[str, Any]) -> str:
    before = (change["before"] or {}).get("properties", {})
    after = (change["after"] or {}).get("properties", {})
    if change["op"] == "update":
        said = [property_text(k, v) for k, v in after.items() if before.get(k) != v]
        said += [f"no {k.replace('_', ' ')}" for k in before if k not in after]
    else:
        said = [property_text(k, v) for k, v in (after or before).items()]
    return f" ({short(', '.join(said), 80)})" if said else ""
