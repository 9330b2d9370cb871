"""Calendar files of tests, and what a program that knows dateutil alone reads in them."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Any

from dateutil.rrule import rruleset, rrulestr
from icalendar import Calendar

from ana.memory.item import Item
from ana.reminders.reading import read_date
from ana.time.repeats import DATE_KEYS, read_repeat
from ana.time.repeats.occurring import iter_occurrences
from ana.transfer.bundle import Bundle
from ana.transfer.ics.moments import to_here
from ana.transfer.ics.reader import read
from ana.transfer.ics.writer import write_calendar
from tests.conftest import BERLIN

Times = list[tuple[datetime, datetime]]
STAMP = "2026-01-07T08:00:00.000000+00:00"
BEGIN, END = datetime(2026, 1, 1), datetime(2028, 6, 1)


def write_file(path: Path, *components: str) -> Path:
    """Write a calendar file of components, each in lines without its first indent."""
    lines = (line.strip() for each in components for line in each.strip().split("\n"))
    path.write_bytes("\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]).encode())
    return path


def make_event(lines: str, uid: str = "1", kind: str = "VEVENT") -> str:
    stamp = "" if "DTSTAMP" in lines else "DTSTAMP:20260107T080000Z\n"
    return f"BEGIN:{kind}\nUID:{uid}\n{stamp}{lines.strip()}\nEND:{kind}"


def read_events(path: Path, *events: str, zone: tzinfo = BERLIN) -> Bundle:
    return read(write_file(path / "file.ics", *events), zone)


def write_items(items: Iterable[Item], zone: tzinfo = BERLIN) -> bytes:
    return write_calendar(items, zone)[0]


def forget_ours(data: bytes) -> bytes:
    """Return a file as a program leaves it that drops what it does not know."""
    return re.sub(rb"X-ANA-ITEM:.*\r\n", b"", data.replace(b"\r\n ", b""))


def list_ours(item: Item, zone: tzinfo = BERLIN) -> Times:
    """Return when an item is, as we read it, in local time."""
    repeat = read_repeat(item.properties, zone)
    if repeat is None:  # a series of one date comes back as that date
        times = [read_date(item.properties[key], zone) for key in DATE_KEYS if key in item.properties]
        return [(to_here(times[0], zone), to_here(times[-1], zone))]
    found = iter_occurrences(repeat, BEGIN, END)
    return sorted((to_here(each.start, zone), to_here(each.end, zone)) for each in found)


def expand_file(data: bytes, zone: tzinfo = BERLIN) -> dict[str, Times]:
    """Return when the events of a file are, as dateutil reads their rules, in local time, by UID."""
    found: dict[str, Times] = {}
    events: Any = Calendar.from_ical(data).walk("VEVENT")
    moved = {
        (str(each["UID"]), _to_naive(each["RECURRENCE-ID"].dt, zone)) for each in events if "RECURRENCE-ID" in each
    }
    for event in events:
        uid, start = str(event["UID"]), event["DTSTART"].dt
        begin, lasts = _to_naive(start, zone), _find_length(event, zone)
        starts = [begin]
        if "RECURRENCE-ID" not in event:
            starts = [at for at in _expand(event, start, zone) if (uid, at) not in moved]
        times = [(at, at + lasts) for at in starts if at <= END and at + lasts >= BEGIN]
        found[uid] = sorted({*found.get(uid, []), *times})
    return found


def _expand(event: Any, start: date, zone: tzinfo) -> list[datetime]:
    own = start.tzinfo if isinstance(start, datetime) else None
    rules = rruleset()
    rules.rdate(_strip(start))
    if "RRULE" in event:
        text = event["RRULE"].to_ical().decode()
        if until := re.search(r"UNTIL=(\d{8})T(\d{6})Z", text):
            end = datetime.strptime(until[1] + until[2], "%Y%m%d%H%M%S").replace(tzinfo=UTC).astimezone(own)
            text = text.replace(until[0], f"UNTIL={end:%Y%m%dT%H%M%S}")
        elif "UNTIL" not in text and "COUNT" not in text:
            text += f";UNTIL={END + timedelta(2):%Y%m%d}"
        rule: Any = rrulestr(text, dtstart=_strip(start))
        rules.rrule(rule)
    for name, add in (("RDATE", rules.rdate), ("EXDATE", rules.exdate)):
        values: Any = event.get(name, [])
        for value in values if isinstance(values, list) else [values]:
            for each in value.dts:
                add(_strip(each.dt.astimezone(own) if own and each.dt.tzinfo else each.dt))
    return [_to_naive(at.replace(tzinfo=own) if own else at, zone) for at in rules]


def _find_length(event: Any, zone: tzinfo) -> timedelta:
    start = event["DTSTART"].dt
    is_day = not isinstance(start, datetime)
    if "DTEND" not in event:
        return timedelta()
    return _to_naive(event["DTEND"].dt, zone) - _to_naive(start, zone) - timedelta(is_day)


def _strip(at: date) -> datetime:
    return at.replace(tzinfo=None) if isinstance(at, datetime) else datetime.combine(at, time())


def _to_naive(at: date, zone: tzinfo) -> datetime:
    return _strip(at.astimezone(UTC).astimezone(zone) if isinstance(at, datetime) and at.tzinfo else at)
