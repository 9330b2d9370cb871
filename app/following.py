"""The calendars that a person follows: added, read every hour while a program of ours runs, and taken out."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

from ana import stopping
from ana.calendars import Calendar, make_calendar, read_calendars, write_calendars
from ana.errors import AnaError, UserError
from ana.files import FILE_ERRORS
from ana.json_lines import Quoted
from ana.keys import OWNER
from ana.notes import parse_note
from ana.output import shorten
from ana.progress import Work, working
from ana.stopping import Stoppable
from ana.workspace import Workspace, is_fixed, load_workspace, open_workspace

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.changes import Change
    from ana.memory.item import Item
    from ana.transfer.download import Download
    from ana.workspace.storage import NoteName

EVERY = timedelta(hours=1)
LOOK_SECONDS = 60.0
"""How long nothing is looked at."""

END_SECONDS = 5.0
"""How long the end waits for a reading that is stopped."""

NEWS = timedelta(days=1)
"""How long it is told what a calendar changed."""

LONGEST_FAULT = 120

_FAILURES: tuple[type[Exception], ...] = (AnaError, *FILE_ERRORS)
_NOTE: "NoteName" = "calendars-read"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reading:
    """When a calendar was read last; in which zone, and its ETag then; why that failed, or nothing."""

    at: datetime
    zone: str = ""
    tag: str = ""
    fault: str = ""


class Following:
    """The calendars of one person.

    Args:
        workspace: With the settings that count now; those of the handles are of when they were opened.
    """

    def __init__(self, handles: "DataHandles", workspace: Workspace | None = None) -> None:
        self._handles = handles
        self._workspace = workspace or handles.workspace

    def list_calendars(self) -> list[Calendar]:
        """Return the calendars, in the order in which they were added."""
        return read_calendars(self._workspace.settings.ana_calendars)

    def describe(self) -> list[tuple[Calendar, str]]:
        """Return each calendar with when it was read last, or why it could not be."""
        known, zone = _read_note(self._workspace), self._handles.clock.zone
        told = {name: each.fault or f"read {each.at.astimezone(zone):%Y-%m-%d %H:%M}" for name, each in known.items()}
        return [(each, told.get(each.name, "not read yet")) for each in self.list_calendars()]

    def follow(self, url: str, name: str = "") -> "tuple[Calendar, list[Change]]":
        """Read a calendar, and from then on every hour; return it with what came of it.

        Args:
            name: What it is called here; empty for the name of the machine that it is read from.

        Raises:
            UserError: It cannot be read, or not be kept; nothing is changed then.
        """
        calendar, written = self._add(url, name)
        found = self._fetch(calendar, "")
        assert found, "without an ETag it is sent as a whole"
        self._save(written)
        return calendar, self._update(calendar, *found)

    def unfollow(self, name: str) -> "list[Change]":
        """Follow a calendar no more, and take its entries out; return these. Raises UserError if there is none."""
        from ana.transfer.following import remove_entries

        known = {each.name: each for each in self.list_calendars()}
        if name not in known:
            raise UserError(
                f"No calendar called {name!r:.60} is followed.", f"Those that are: {', '.join(known) or 'none'}."
            )
        self._save(write_calendars(each for each in known.values() if each.name != name))
        self._write_note({key: each for key, each in _read_note(self._workspace).items() if key != name})
        return remove_entries(self._handles.memory, known[name])

    def read_due(self) -> None:
        """Read what was not read for an hour; what fails is noted, and tried again in an hour."""
        now = self._handles.clock.now()
        for calendar in self.list_calendars():
            before = _read_note(self._workspace).get(calendar.name)
            if before and now - EVERY < before.at <= now:
                continue
            tag = before.tag if before and before.zone == self._handles.clock.zone_name else ""
            self._note(calendar, tag)  # first, so that another process does not read it as well
            try:
                if found := self._fetch(calendar, tag):
                    self._update(calendar, *found)
            except _FAILURES as exc:
                stopping.check_stopped()
                said = exc.message if isinstance(exc, UserError) else str(exc)
                self._note(calendar, "", said)
                _log.warning("the calendar %s could not be read: %s", calendar.name, Quoted(said))

    def _add(self, url: str, name: str) -> tuple[Calendar, str]:
        """Return a new calendar, and the setting with it. Raises UserError if it is none, or is followed already."""
        known = self.list_calendars()
        try:
            calendar = make_calendar(name or make_calendar("a", url).host, url)
            written = write_calendars([*known, calendar])
        except ValueError as exc:
            said = f"This calendar cannot be followed: {exc}."
            raise UserError(said, "Take the address that its program shows.") from exc
        for each in known:
            if calendar.name.lower() == each.name.lower() or calendar.url == each.url:
                raise UserError(f"The calendar {each.name} is followed already.", "Give another one its own name.")
        return calendar, written

    def _fetch(self, calendar: Calendar, tag: str) -> "tuple[list[Item], str] | None":
        """Return the entries of a calendar and its ETag; None if it still is what a tag stands for."""
        from ana.transfer.following import read_entries

        found = fetch(self._workspace, calendar.url, tag)
        return (read_entries(calendar, found.data, self._handles.clock.zone), found.tag) if found else None

    def _update(self, calendar: Calendar, items: "list[Item]", tag: str) -> "list[Change]":
        from ana.transfer.following import remove_entries, update_entries

        changes = update_entries(self._handles.memory, calendar, items, self._handles.clock.now().date())
        now = read_anew(self._workspace.person).settings
        if calendar not in read_calendars(now.ana_calendars):  # it was taken out while it was read
            remove_entries(self._handles.memory, calendar)
            return []
        self._note(calendar, tag)
        return changes

    def _save(self, written: str) -> None:
        from ana.workspace.personal import save_settings

        if self._workspace.person == OWNER and is_fixed("ana_calendars"):
            raise UserError("ANA_CALENDARS is set in the environment itself.", "Change it there.")
        save_settings(self._workspace, {"ana_calendars": written})

    def _note(self, calendar: Calendar, tag: str, fault: str = "") -> None:
        clock = self._handles.clock
        reading = Reading(clock.now().astimezone(UTC), clock.zone_name, tag, shorten(fault, LONGEST_FAULT))
        self._write_note(_read_note(self._workspace) | {calendar.name: reading})

    def _write_note(self, known: Mapping[str, Reading]) -> None:
        written = {name: vars(each) | {"at": each.at.isoformat()} for name, each in known.items()}
        self._workspace.note(_NOTE).write(json.dumps(written))


def read_anew(person: str) -> Workspace:
    """Return a person's workspace as what was saved last makes it; one that is open is of before."""
    return open_workspace(load_workspace().settings, person)


def fetch(workspace: Workspace, url: str, tag: str = "") -> "Download | None":
    """Return what is at an address that the person wrote; None if it still is what an ETag stands for.

    Raises UserError if it cannot be had.
    """
    from ana.transfer.download import download

    return download(url, None if workspace.person == OWNER else workspace.settings.ana_notify_kinds, tag)


def _read_note(workspace: Workspace) -> dict[str, Reading]:
    """Return when each calendar was read last, by name; without it everything is read again."""
    try:
        return parse_note(workspace.note(_NOTE).read().encode(), dict[str, Reading])
    except ValueError:
        return {}


def describe_unread(workspace: Workspace) -> list[str]:
    """Return a sentence for each calendar that could not be read the last time."""
    calendars = read_calendars(workspace.settings.ana_calendars)
    known = _read_note(workspace) if calendars else {}
    faults = {each.name: known[each.name].fault for each in calendars if each.name in known}
    return [f"The calendar {name} was not read: {fault.rstrip('.')}." for name, fault in faults.items() if fault]


@contextmanager
def follow_meanwhile(handles: "DataHandles") -> Iterator[None]:
    """Read the person's calendars in a thread of its own while the context is open."""
    if handles.settings.ana_calendars is None:
        yield
        return
    ended, run, work = Event(), Stoppable(), Work()
    thread = Thread(target=_keep_reading, args=(handles, ended, run, work), name="follow", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        run.stop()
        work.stop()
        thread.join(END_SECONDS)


def _keep_reading(handles: "DataHandles", ended: Event, run: Stoppable, work: Work) -> None:
    stopping.present.set(run)
    with working(work):
        while not ended.is_set():
            try:
                Following(handles, read_anew(handles.workspace.person)).read_due()
            except _FAILURES as exc:
                if not ended.is_set():
                    _log.warning("calendars could not be read: %s", exc)
            ended.wait(LOOK_SECONDS)


def list_calendar_news(handles: "DataHandles") -> list[str]:
    """Return what the calendars changed or lost within a day, as receipts; nothing where none is followed."""
    from ana.memory.receipts import describe_change, make_receipt
    from ana.transfer.following import list_news

    if handles.settings.ana_calendars is None:
        return []
    since = (handles.clock.now() - NEWS).astimezone(UTC).isoformat(timespec="microseconds")
    return [describe_change(make_receipt(each, handles.clock.zone)) for each in list_news(handles.memory, since)]
