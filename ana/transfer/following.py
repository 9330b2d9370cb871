"""Calendars that are followed: their entries are here as the last reading found them, with what is noted beside."""

import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, tzinfo
from hashlib import sha256
from pathlib import Path

from ana.calendars import Calendar
from ana.errors import UserError
from ana.memory.backend import retry_on_change
from ana.memory.changes import READING, Change, Entry, net
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import Sources, name_calendar
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS, may_repeat
from ana.transfer.names import NewNames
from ana.transfer.records import item_id
from ana.values import Properties

CALENDAR = "calendar"
"""The property that names the calendar of an entry."""

MOST_ENTRIES = 5_000
_BEGIN = b"BEGIN:VCALENDAR"


def read_entries(calendar: Calendar, data: bytes, zone: tzinfo) -> list[Item]:
    """Return the entries of a calendar as items, in the person's zone.

    Raises UserError if it is none, is cut off, or has too many.
    """
    from ana.transfer.ics.reader import read

    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[: len(_BEGIN)].upper() != _BEGIN:
        raise UserError(f"What {calendar.host} sends is no calendar.", "Its address ends in .ics with most programs.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calendar.ics"
        path.write_bytes(data)
        try:
            bundle = read(path, zone)
        except UserError as exc:
            raise UserError(exc.message.replace(str(path), f"The calendar {calendar.name}"), "Try again.") from exc
    if len(bundle.items) > MOST_ENTRIES:
        said = f"The calendar {calendar.name} has more than {MOST_ENTRIES:,} entries."
        raise UserError(said, "Bring it in once, with `ana import`.")
    # an event may be in several calendars, and in a file that was brought in
    place, names = sha256(calendar.url.encode()).hexdigest()[:16], NewNames(bundle)
    return [
        replace(item, id=item_id(f"{place}/{item.id}"), properties=item.properties | {CALENDAR: calendar.name})
        for item in map(names.rename, bundle.items)
    ]


def update_entries(memory: Memory, calendar: Calendar, coming: list[Item], today: date) -> list[Change]:
    """Make the entries of a calendar what they are now, in one act; return what changed.

    An entry that is over stays when the calendar has it no more. What the person has claimed, or deleted, is left so.
    """
    source, stamp = name_calendar(calendar.name), memory.stamp()

    def plan() -> list[Change]:
        known = _list_entries(memory, calendar)
        deleted = {entry.change.id for entry in memory.backend.deletions() if entry.source != source}
        new = {item.id: item for item in coming if item.id not in deleted}
        here = known | memory.backend.get_many("item", [id for id in new if id not in known])
        changes = [_plan_entry(here.get(id), item, source, stamp) for id, item in new.items()]
        gone = (item for id, item in known.items() if id not in new and not _is_over(item.properties, today))
        return [*filter(None, changes), *(Change("item", item.id, item, None) for item in gone)]

    return retry_on_change(memory.backend, lambda: _apply(memory, plan(), source, stamp))


def remove_entries(memory: Memory, calendar: Calendar) -> list[Change]:
    """Delete the entries of a calendar, in one act; return what was deleted. What the person has claimed stays."""
    source, stamp = name_calendar(calendar.name), memory.stamp()

    def attempt() -> list[Change]:
        known = _list_entries(memory, calendar)
        return _apply(memory, [Change("item", id, item, None) for id, item in known.items()], source, stamp)

    return retry_on_change(memory.backend, attempt)


def list_news(memory: Memory, since: str) -> list[Change]:
    """Return what calendars changed or lost since a moment, ISO 8601 in UTC, of each entry from first to last."""
    entries = reversed(memory.history(since=since))
    return net(entry.change for entry in entries if entry.turn.startswith(READING) and entry.change.before)


def _list_entries(memory: Memory, calendar: Calendar) -> dict[str, Item]:
    found = memory.find(where={CALENDAR: calendar.name}, limit=10**6).items
    # as they are stored: what repeats is found at one of its dates
    known = memory.backend.get_many("item", [item.id for item in found])
    return {id: item for id, item in known.items() if item.sources.content == name_calendar(calendar.name)}


def _plan_entry(old: Item | None, item: Item, source: str, stamp: str) -> Change | None:
    """Return what becomes of an entry; None if it is as it was, or the person's."""
    if old and old.sources.content != source:
        return None
    beside = _list_beside(old, source) if old else {}
    its = {name: value for name, value in item.properties.items() if name not in beside}
    kept = {name: told for name, told in old.sources.properties.items() if name in beside} if old else {}
    sources = Sources(source, kept | dict.fromkeys(its, source))
    if old is None:
        return Change("item", item.id, None, replace(item, sources=sources, created_at=stamp, updated_at=stamp))
    new = replace(old, content=item.content, properties=its | beside, sources=sources)
    is_same = (new.content, new.properties) == (old.content, old.properties)
    return None if is_same else Change("item", old.id, old, replace(new, updated_at=stamp))


def _list_beside(old: Item, source: str) -> Properties:
    """Return the properties that are not the calendar's: what was noted beside an entry."""
    told: Mapping[str, str] = old.sources.properties
    return {name: value for name, value in old.properties.items() if told.get(name) != source}


def _is_over(properties: Properties, today: date) -> bool:
    days = [day for name in DATE_KEYS if (day := day_of(properties.get(name)))]
    return bool(days) and max(days) < today and not may_repeat(properties)


def _apply(memory: Memory, changes: list[Change], source: str, stamp: str) -> list[Change]:
    if not changes:
        return []
    turn = f"{READING}{secrets.token_hex(4)}"
    entries = [Entry(stamp, "", turn, change, None, source=source) for change in changes]
    return memory.apply(entries, {change.key: change.before for change in changes})
