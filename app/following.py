"""The calendars that a person follows: adding them, reading them every hour while an ana program runs, and removing
them.
"""

import json
import logging
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

from ana import stopping
from ana.errors import UserError
from ana.handles import DataHandles
from ana.json_lines import Quoted
from ana.keys import OWNER
from ana.memory.changes import Change
from ana.memory.receipts import make_receipt, word_change
from ana.notes import read_value, write_value
from ana.output import shorten
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
from ana.translation import _
from ana.workspace import Workspace
from app.meanwhile import PASSING, repeat_meanwhile

EVERY = timedelta(hours=1)
LOOK_SECONDS = 60.0
"""How long nothing is looked at."""

NEWS = timedelta(days=1)
"""How long it is told what a calendar changed."""

MOST, LARGEST = 10, 16_000
"""How many calendars a person follows, and the bytes of their note when one is added."""

_log = logging.getLogger(__name__)


class Following:
    """The calendars of one person."""

    def __init__(self, handles: DataHandles) -> None:
        self._memory, self._clock, self._workspace = handles.memory, handles.clock, handles.workspace

    def follow(self, url: str, name: str = "") -> tuple[Calendar, list[Change]]:
        """Read a calendar, from then on every hour; return it with the result.

        Raises UserError if it cannot be read or cannot be stored; then nothing is changed.
        """
        calendar = make_calendar(url, name)
        self._add(calendar)
        try:
            return calendar, self._read(calendar)
        except BaseException:
            self._drop(calendar)
            raise

    def unfollow(self, name: str) -> list[Change]:
        """Stop following a calendar, remove its entries, and return them. Raises UserError if none has this name."""
        known = {each.name: each for each in list_calendars(self._workspace)}
        if name not in known:
            names = ", ".join(known) or "none"
            raise UserError(f"No calendar called {name!r:.60} is followed.", f"Those that are: {names}.")
        self._drop(known[name])
        return remove_entries(self._memory, known[name])

    def read_due(self) -> None:
        """Read the calendars that were not read for an hour; a failure is noted, and the calendar is tried again in an
        hour.
        """
        for calendar in list_calendars(self._workspace):
            now = self._clock.now()
            if _stamp(now - EVERY) < calendar.at <= _stamp(now):
                continue
            try:
                self._read(calendar)
            except PASSING as exc:
                stopping.check_stopped()
                reason = exc.message if isinstance(exc, UserError) else str(exc)
                self._keep(replace(calendar, at=_stamp(now), tag="", fault=shorten(reason)))
                _log.warning("the calendar %s could not be read: %s", calendar.name, Quoted(reason))

    def _read(self, calendar: Calendar) -> list[Change]:
        now, zone = self._clock.now(), find_zone(calendar.zone) or self._clock.zone
        calendar = replace(calendar, at=_stamp(now), zone=str(zone), fault="")
        self._keep(calendar)  # first, so that another process does not read it as well
        download = fetch(self._workspace, calendar.url, calendar.tag)
        if download is None:
            return []
        entries = read_entries(calendar, download.data, zone)
        changes = update_entries(self._memory, calendar, entries, now.date())
        if calendar.name not in [each.name for each in list_calendars(self._workspace)]:
            remove_entries(self._memory, calendar)  # it was taken out while it was read
            return []
        self._keep(replace(calendar, tag=download.tag))
        return changes

    def _add(self, calendar: Calendar) -> None:
        """Note one more calendar. Raises UserError if another one has its name, or there are too many."""
        known = list_calendars(self._workspace)
        for each in known:
            if calendar.name.lower() == each.name.lower() or calendar.url == each.url:
                raise UserError(f"The calendar {each.name} is followed already.", "Give another one its own name.")
        kept = [*known, calendar]
        if len(known) >= MOST or len(json.dumps(kept, default=asdict)) > LARGEST:
            raise UserError(f"At most {MOST} calendars are followed.", "Take another one out first.")
        write_value(self._workspace.note("calendars"), kept)

    def _keep(self, calendar: Calendar) -> None:
        """Note the result of reading a calendar, if it is still followed."""
        known = [calendar if each.name == calendar.name else each for each in list_calendars(self._workspace)]
        write_value(self._workspace.note("calendars"), known)

    def _drop(self, calendar: Calendar) -> None:
        known = [each for each in list_calendars(self._workspace) if each.name != calendar.name]
        write_value(self._workspace.note("calendars"), known)


def list_calendars(workspace: Workspace) -> list[Calendar]:
    """Return the calendars that a person follows, in the order in which they were added."""
    return read_value(workspace.note("calendars"), list[Calendar]) or []


def fetch(workspace: Workspace, url: str, tag: str = "") -> Download | None:
    """Download an address that the person wrote. Arguments and errors as of `download`."""
    return download(url, None if workspace.person == OWNER else workspace.settings.ana_notify_kinds, tag)


def follow_meanwhile(handles: DataHandles) -> AbstractContextManager[None]:
    """Read the person's calendars in a thread of its own while the context is open."""
    return repeat_meanwhile("calendars", Following(handles).read_due, LOOK_SECONDS)


def describe_unread(workspace: Workspace) -> list[str]:
    """Return a sentence for each calendar that could not be read the last time."""
    calendars = list_calendars(workspace)
    return [
        _("The calendar {name} was not read: {reason}.").format(name=each.name, reason=each.fault.rstrip("."))
        for each in calendars
        if each.fault
    ]


def list_calendar_news(handles: DataHandles) -> list[str]:
    """Return a day's changes and deletions by followed calendars, as receipts; none if no calendar is followed."""
    if not list_calendars(handles.workspace):
        return []
    changes = list_news(handles.memory, _stamp(handles.clock.now() - NEWS))
    return [word_change(make_receipt(each, handles.clock.zone)) for each in changes]


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
