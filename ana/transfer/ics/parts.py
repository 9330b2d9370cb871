"""The components of a calendar file, each parsed by itself, so that a broken one spoils no other."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from icalendar.cal.component import Component
from icalendar.prop import vBroken

from ana.errors import UserError
from ana.time.repeats import MOST_ALSO
from ana.transfer.records import BadRecord, decode_text, read_bytes, require_few, show_path

KINDS = ("VEVENT", "VTODO", "VTIMEZONE")
_FOLD = re.compile(rb"(?:\r\n|\r|\n)[ \t]")
_BORDER = re.compile(r"^(BEGIN|END):(V\w+)[ \t]*+$", re.IGNORECASE | re.MULTILINE)
_ZONE = re.compile(
    r"^((?:DTSTART|DTEND|DUE|RECURRENCE-ID|EXDATE|RDATE)\b[^:\n]*?);TZID="
    r'(?:"([^"\n]*)"|([^";\n]*))(?=;|:[^:\n]*$)',
    re.IGNORECASE | re.MULTILINE,
)
"""The zone of a date; some programs write names with commas and colons, such as (GMT +01:00), without quotes."""
_ITS_ZONE = re.compile(r"^X-WR-TIMEZONE[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_ALARM = re.compile(
    r"^BEGIN:VALARM[ \t]*+\n(?:(?!(?:BEGIN|END):).*\n)*+END:VALARM[ \t]*+\n"
    r"|^(?:BEGIN:VALARM|END:VALARM|ACTION|TRIGGER|REPEAT)\b.*\n",
    re.IGNORECASE | re.MULTILINE,
)
"""An alarm, and what is left of one that does not end or does not begin."""


def split_parts(path: Path) -> tuple[list[tuple[str, str]], list[str], str]:
    """Return kind and text of every event, to-do and zone table of a file, the names of its other components, and the
    name of the zone that it says it is in; empty if it says none, or several.

    Raises UserError if it is not UTF-8, or a component has no end.
    """
    # bytes, because a fold may part the bytes of one character
    text = decode_text(path, _FOLD.sub(b"", read_bytes(path))).replace("\r\n", "\n").replace("\r", "\n")
    borders = [(match[1].upper(), match[2].upper(), match.start(), match.end()) for match in _BORDER.finditer(text)]
    parts, begun = list[tuple[str, str]](), list[tuple[str, int]]()
    for side, name, start, end in borders:
        if name in KINDS and side == "BEGIN":
            begun.append((name, start))
        elif begun and name == begun[-1][0]:
            parts.append((name, text[begun[-1][1] : end]))
            begun.pop()
        if len(begun) > 1:  # one in another
            break
    is_whole = bool(borders) and borders[-1][:2] == ("END", "VCALENDAR") and not text[borders[-1][3] :].strip()
    if begun or not is_whole:
        raise UserError(
            f"{show_path(path)} is cut off or damaged: something in it begins and does not end.",
            "Nothing was imported. Export it again from the program that wrote it.",
        )
    require_few(path, len(parts))
    names = [name for side, name, *_ in borders if side == "BEGIN"]
    zones = {match[1].strip() for match in _ITS_ZONE.finditer(text)}
    others = [name for name in names if name not in (*KINDS, "VCALENDAR", "VALARM")]
    return parts, others, zones.pop() if len(zones) == 1 else ""


MOST_LISTED = {"RDATE": MOST_ALSO, "EXDATE": 20_000, "BEGIN": 50}
"""How many dates, exceptions, and parts such as alarms with the event itself are read of one event: to count them takes
less than to parse them."""


def parse_part(text: str) -> Component:
    """Return a component whose dates have no zone but their parameter X-ZONE; without alarms that cannot be read.

    Raises BadRecord if it cannot be read, or lists more values than are read.
    """
    for name, count in _count_listed(text).items():
        if count > MOST_LISTED[name]:
            raise BadRecord(f"it has {count:,} of {name}, and at most {MOST_LISTED[name]:,} are read")
    # the library would look a zone up among those that it has kept of other files
    text = _ZONE.sub(r'\1;X-ZONE="\2\3"', text)
    component = _parse(text)
    if component is None and (component := _parse(_ALARM.sub("", text))):
        component.errors.append(("VALARM", "it cannot be read"))
    if component is None:
        raise BadRecord("it is not iCalendar")
    return component


def _parse(text: str) -> Component | None:
    try:
        return Component.from_ical(text)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _count_listed(text: str) -> Counter[str]:
    """Return the number of values in properties that are lists, counted by their commas."""
    counts = Counter[str]()
    for line in text.splitlines():
        name = re.split("[;:]", line, maxsplit=1)[0].upper()
        if name in MOST_LISTED:
            counts[name] += 1 if name == "BEGIN" else line.count(",") + 1
    return counts


def list_values(component: Component, name: str) -> list[Any]:
    """Return the values of a property that can be read."""
    value = component.get(name, [])
    return [each for each in (value if isinstance(value, list) else [value]) if not isinstance(each, vBroken)]


def read_text(component: Component, name: str) -> str:
    """Return the text of a property; empty if it has none."""
    return str(next(iter(list_values(component, name)), ""))
