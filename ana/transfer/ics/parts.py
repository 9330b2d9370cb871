"""The components of a calendar file, each parsed by itself, so that a broken one spoils no other."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from icalendar.cal.component import Component
from icalendar.prop import vBroken

from ana.errors import UserError
from ana.transfer.records import BadRecord, decode_text, read_bytes, show_path

KINDS = ("VEVENT", "VTODO", "VTIMEZONE")
_FOLD = re.compile(rb"(?:\r\n|\r|\n)[ \t]")
_BEGIN = re.compile(r"^BEGIN:(V\w+)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_EDGE = re.compile(rf"^(BEGIN|END):({'|'.join(KINDS)})[ \t]*$", re.IGNORECASE | re.MULTILINE)
_ENDS = re.compile(r"^END:VCALENDAR\s*\Z", re.IGNORECASE | re.MULTILINE)
_ZONE = re.compile(r"^((?:DTSTART|DTEND|DUE|RECURRENCE-ID|EXDATE|RDATE)\b[^:\n]*?);TZID=", re.IGNORECASE | re.MULTILINE)


def split_parts(path: Path) -> tuple[list[tuple[str, str]], list[str]]:
    """Return kind and text of every event, to-do and zone table of a file, and the names of its other components.

    Raises UserError if it is not UTF-8, or a component begins and does not end.
    """
    # bytes, because a fold may part the bytes of one character
    text = decode_text(path, _FOLD.sub(b"", read_bytes(path))).replace("\r\n", "\n").replace("\r", "\n")
    parts = [*_iter_parts(text)]
    names = [name.upper() for name in _BEGIN.findall(text)]
    if sum(name in KINDS for name in names) != len(parts) or not _ENDS.search(text):
        raise UserError(
            f"{show_path(path)} is cut off or damaged: something in it begins and does not end.",
            "Nothing was imported. Export it again from the program that wrote it.",
        )
    return parts, [name for name in names if name not in (*KINDS, "VCALENDAR", "VALARM")]


def _iter_parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each component, up to its first end; none of one that does not end."""
    begun: re.Match[str] | None = None
    for edge in _EDGE.finditer(text):
        if begun is None:
            begun = edge if edge[1].upper() == "BEGIN" else None
        elif edge[1].upper() == "END" and edge[2].upper() == begun[2].upper():
            yield begun[2].upper(), text[begun.start() : edge.end()]
            begun = None


def parse_part(text: str) -> Component:
    """Return a component whose dates have no zone but their parameter X-ZONE. Raises BadRecord if it cannot be read."""
    try:
        # the library would look a zone up among those that it has kept of other files
        return Component.from_ical(_ZONE.sub(r"\1;X-ZONE=", text))
    except (ValueError, LookupError, TypeError, AttributeError) as exc:
        raise BadRecord("it is not iCalendar") from exc


def list_values(component: Component, name: str) -> list[Any]:
    """Return the values of a property that can be read."""
    value = component.get(name, [])
    return [each for each in (value if isinstance(value, list) else [value]) if not isinstance(each, vBroken)]


def read_text(component: Component, name: str) -> str:
    """Return the text of a property; empty if it has none."""
    return str(next(iter(list_values(component, name)), ""))
