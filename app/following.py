"""The calendars that a person follows: added, read every hour while a program of ours runs, and taken out."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

from ana import stopping
from ana.errors import AnaError, UserError
from ana.files import FILE_ERRORS
from ana.json_lines import Quoted
from ana.keys import OWNER
from ana.memory.receipts import describe_change, make_receipt
from ana.notes import parse_note
from ana.output import shorten
from ana.progress import Work, working
from ana.stopping import Stoppable
from ana.time.clock import find_zone
from ana.transfer.download import Download, download
from ana.transfer.following import (
    Calendar,
    list_news,
    make_calendar,
    read_entries,
    remove_entries,
    update_entries,
)
from ana.workspace import Workspace

if TYPE_CHECKING:
    from ana.handles import DataHandles
    from ana.memory.changes import Change

EVERY = timedelta(hours=1)
LOOK_SECONDS, END_SECONDS = 60.0, 5.0
"""How long nothing is looked at, and how long the end waits for a reading that is stopped."""

NEWS = timedelta(days=1)
"""How long it is told what a calendar changed."""

LARGEST = 4_000
"""Bytes of the note of all calendars of a person: with addresses of the usual length a dozen."""

_FAILURES: tuple[type[Exception], ...] = (AnaError, *FILE_ERRORS)
_log = logging.getLogger(__name__)


class Following:
    """The calendars of one person."""

    def __init__(self, handles: "DataHandles") -> None:
        self._memory, self._clock, self._workspace = handles.memory, handles.clock, handles.workspace

    def follow(self, url: str, name: str = "") -> "tuple[Calendar, list[Change]]":
        """Read a calendar, and from then on every hour; return it with what came of it.

        Raises UserError if it cannot be read, or not be kept; nothing is changed then.
        """
        calendar = make_calendar(url, name)
        for each in list_calendars(self._workspace):
            if calendar.name.lower() == each.name.lower() or calendar.url == each.url:
                raise UserError(f"The calendar {each.name} is followed already.", "Give another one its own name.")
        self._keep(calendar.name, calendar)
        try:
            return calendar, self._read(calendar)
        except BaseException:
            self._keep(calendar.name, None)
            raise

    def unfollow(self, name: str) -> "list[Change]":
        """Follow a calendar no more, and take its entries out; return these. Raises UserError if there is none."""
        known = {each.name: each for each in list_calendars(self._workspace)}
        if name not in known:
            names = ", ".join(known) or "none"
            raise UserError(f"No calendar called {name!r:.60} is followed.", f"Those that are: {names}.")
        self._keep(name, None)
        return remove_entries(self._memory, known[name])

    def read_due(self) -> None:
        """Read what was not read for an hour; what fails is noted, and tried again in an hour."""
        for calendar in list_calendars(self._workspace):
            now = self._clock.now()
            if _stamp(now - EVERY) < calendar.at <= _stamp(now):
                continue
            try:
                self._read(calendar)
            except _FAILURES as exc:
                stopping.check_stopped()
                said = exc.message if isinstance(exc, UserError) else str(exc)
                self._keep(calendar.name, replace(calendar, at=_stamp(now), tag="", fault=shorten(said)))
                _log.warning("the calendar %s could not be read: %s", calendar.name, Quoted(said))

    def _read(self, calendar: Calendar) -> "list[Change]":
        now, zone = self._clock.now(), find_zone(calendar.zone) or self._clock.zone
        calendar = replace(calendar, at=_stamp(now), zone=str(zone), fault="")
        self._keep(calendar.name, calendar)  # first, so that another process does not read it as well
        found = fetch(self._workspace, calendar.url, calendar.tag)
        if found is None:
            return []
        entries = read_entries(calendar, found.data, zone)
        changes = update_entries(self._memory, calendar, entries, now.date())
        if calendar.name not in [each.name for each in list_calendars(self._workspace)]:
            remove_entries(self._memory, calendar)  # it was taken out while it was read
            return []
        self._keep(calendar.name, replace(calendar, tag=found.tag))
        return changes

    def _keep(self, name: str, calendar: Calendar | None) -> None:
        """Note a calendar in place of the one of its name. Raises UserError if they are too many."""
        known = {each.name: each for each in list_calendars(self._workspace)}
        if calendar:
            known[name] = calendar
        else:
            known.pop(name, None)
        text = json.dumps([asdict(each) for each in known.values()])
        if len(text) > LARGEST:
            raise UserError("No more calendars can be followed.", "Follow another one no more first.")
        self._workspace.note("calendars").write(text)


def list_calendars(workspace: Workspace) -> list[Calendar]:
    """Return the calendars that a person follows, in the order in which they were added."""
    try:
        return parse_note(workspace.note("calendars").read().encode(), list[Calendar])
    except ValueError:
        return []


def fetch(workspace: Workspace, url: str, tag: str = "") -> Download | None:
    """Return what is at an address that the person wrote. Arguments and errors as of `download`."""
    return download(url, None if workspace.person == OWNER else workspace.settings.ana_notify_kinds, tag)


@contextmanager
def follow_meanwhile(handles: "DataHandles") -> Iterator[None]:
    """Read the person's calendars in a thread of its own while the context is open."""
    ended, run, work = Event(), Stoppable(), Work()

    def keep_reading() -> None:
        stopping.present.set(run)
        with working(work):
            while not ended.is_set():
                try:
                    Following(handles).read_due()
                except _FAILURES as exc:
                    if not ended.is_set():
                        _log.warning("calendars could not be read: %s", exc)
                ended.wait(LOOK_SECONDS)

    thread = Thread(target=keep_reading, name="follow", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        run.stop()
        work.stop()
        thread.join(END_SECONDS)


def describe_unread(workspace: Workspace) -> list[str]:
    """Return a sentence for each calendar that could not be read the last time."""
    calendars = list_calendars(workspace)
    return [f"The calendar {each.name} was not read: {each.fault.rstrip('.')}." for each in calendars if each.fault]


def list_calendar_news(handles: "DataHandles") -> list[str]:
    """Return what the calendars changed or lost within a day, as receipts; nothing where none is followed."""
    if not list_calendars(handles.workspace):
        return []
    changes = list_news(handles.memory, _stamp(handles.clock.now() - NEWS))
    return [describe_change(make_receipt(each, handles.clock.zone)) for each in changes]


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
