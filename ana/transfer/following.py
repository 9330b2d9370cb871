"""Followed calendars: their entries are stored in the state of the last reading, with the notes that a person adds."""

import secrets
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from hashlib import sha256
from pathlib import Path

from ana.errors import UserError
from ana.memory.backend import retry_on_change
from ana.memory.changes import READING, Change, Entry, net
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.sources import Sources, name_calendar
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS, may_repeat
from ana.transfer.names import NewNames
from ana.transfer.records import derive_id, is_calendar
from ana.urls import is_http, read_host

CALENDAR = "calendar"
"""The property that names the calendar of an entry."""

LONGEST_NAME = 40
MOST_ENTRIES = 5_000


@dataclass(frozen=True)
class Calendar:
    """A calendar that is followed.

    Args:
        name: Its name here, one word.
        url: Its address; everybody who knows the address can read the calendar.
        at: When it was read last, ISO 8601; empty before that.
        zone: The zone in which its times are written: the person's zone when it was read first.
        tag: The ETag of the last reading.
        fault: Why it could not be read; empty if the last reading succeeded.
    """

    name: str
    url: str
    at: str = ""
    zone: str = ""
    tag: str = ""
    fault: str = ""

    @property
    def host(self) -> str:
        """The machine from which it is read."""
        return read_host(self.url)

    @property
    def source(self) -> str:
        """The source of its entries."""
        return name_calendar(self.name)


def make_calendar(url: str, name: str = "") -> Calendar:
    """Return a calendar at an address; without a name it gets the name of its machine.

    Raises UserError if it is not the address of a calendar.
    """
    kind, colon, rest = url.strip().partition("://")
    url = f"{'https' if kind.lower() == 'webcal' else kind}{colon}{rest}"
    if not is_http(url):
        raise UserError("This is no address of a calendar.", "One begins with https:// or webcal://.")
    word = "-".join("".join(c if c.isalnum() or c in "-_." else " " for c in name).split())
    return Calendar(word[:LONGEST_NAME] or read_host(url), url)


def read_entries(calendar: Calendar, data: bytes, zone: tzinfo) -> list[Item]:
    """Return the entries of a calendar as items, in the person's zone.

    Raises UserError if it is not a calendar, is cut off, or has too many entries.
    """
    from ana.transfer.ics.reader import read

    if not is_calendar(data):
        raise UserError(f"What {calendar.host} sends is no calendar.", "Its address ends in .ics with most programs.")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calendar.ics"
        path.write_bytes(data)
        try:
            bundle = read(path, zone)
        except UserError as exc:
            raise UserError(exc.message.replace(str(path), f"The calendar {calendar.name}"), "Try again.") from exc
    if len(bundle.items) > MOST_ENTRIES:
        message = f"The calendar {calendar.name} has more than {MOST_ENTRIES:,} entries."
        raise UserError(message, "Bring it in once, with `ana import`.")
    # an event may be in several calendars, and in a file that was brought in
    place, names = sha256(calendar.url.encode()).hexdigest()[:16], NewNames(bundle)
    return [
        replace(item, id=derive_id(f"{place}/{item.id}"), properties=item.properties | {CALENDAR: calendar.name})
        for item in map(names.rename, bundle.items)
    ]


def update_entries(memory: Memory, calendar: Calendar, coming: list[Item], today: date) -> list[Change]:
    """Bring the entries of a calendar up to date in one act, and return the changes.

    A past entry stays if the calendar no longer has it. Entries that the person has claimed or deleted are not changed.
    """

    def plan(known: dict[str, Item], stamp: str) -> list[Change]:
        deleted = {entry.change.id for entry in memory.backend.deletions() if entry.source != calendar.source}
        new = {item.id: item for item in coming if item.id not in deleted}
        here = known | memory.backend.get_many("item", [id for id in new if id not in known])
        changes = [_plan_entry(here.get(id), item, calendar.source, stamp) for id, item in new.items()]
        removed = (item for id, item in known.items() if id not in new and not _is_over(item, today))
        return [*filter(None, changes), *(Change("item", item.id, item, None) for item in removed)]

    return _change(memory, calendar, plan)


def remove_entries(memory: Memory, calendar: Calendar) -> list[Change]:
    """Delete the entries of a calendar, in one act; return the changes. Entries that the person has claimed stay."""
    return _change(memory, calendar, lambda known, _: [Change("item", id, item, None) for id, item in known.items()])


def _change(memory: Memory, calendar: Calendar, plan: Callable[[dict[str, Item], str], list[Change]]) -> list[Change]:
    """Make the planned changes of the present entries."""
    stamp, turn = memory.stamp(), f"{READING}{secrets.token_hex(4)}"

    def attempt() -> list[Change]:
        items = memory.find(where={CALENDAR: calendar.name}, limit=10**6).items
        # as they are stored: what repeats is found at one of its dates
        known = memory.backend.get_many("item", [item.id for item in items])
        changes = plan({id: each for id, each in known.items() if each.sources.content == calendar.source}, stamp)
        entries = [Entry(stamp, "", turn, change, None, source=calendar.source) for change in changes]
        return memory.apply(entries, {change.key: change.before for change in changes}) if changes else []

    return retry_on_change(memory.backend, attempt)


def list_news(memory: Memory, since: str) -> list[Change]:
    """Return the changes and deletions by calendars since a moment (ISO 8601 in UTC), one for each entry."""
    entries = reversed(memory.history(since=since))
    return net(entry.change for entry in entries if entry.turn.startswith(READING) and entry.change.before)


def _plan_entry(old: Item | None, item: Item, source: str, stamp: str) -> Change | None:
    """Return the change of an entry; None if it is unchanged, or the person has claimed it."""
    if old is None:
        new = replace(item, sources=Sources(source, dict.fromkeys(item.properties, source)))
        return Change("item", item.id, None, replace(new, created_at=stamp, updated_at=stamp))
    if old.sources.content != source:
        return None
    origins = old.sources.properties
    notes = {name: value for name, value in old.properties.items() if origins.get(name) != source}
    own = {name: value for name, value in item.properties.items() if name not in notes}
    sources = Sources(
        source, {name: each for name, each in origins.items() if name in notes} | dict.fromkeys(own, source)
    )
    new = replace(old, content=item.content, properties=own | notes, sources=sources, zone=item.zone)
    is_same = (new.content, new.properties) == (old.content, old.properties)
    return None if is_same else Change("item", old.id, old, replace(new, updated_at=stamp))


def _is_over(item: Item, today: date) -> bool:
    days = [day for name in DATE_KEYS if (day := day_of(item.properties.get(name)))]
    return bool(days) and max(days) < today and not may_repeat(item.properties)
