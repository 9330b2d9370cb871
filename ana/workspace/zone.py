"""The zone where a person is: the one that their client named last, or the machine's.

A note keeps it, with the zone of the machine at that time (ANA_TIMEZONE, or the system's): if the machine's zone
changes, the machine has travelled with its person, or they have set another zone, and the machine's zone counts again.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, NamedTuple

from ana.errors import UserError
from ana.memory.changes import make_edit
from ana.time.clock import Clock, find_zone
from ana.translation import _, ngettext

if TYPE_CHECKING:
    from ana.memory.memory import Memory
    from ana.notes import TextPlace


@dataclass(frozen=True)
class ZoneNote:
    """The zone that a person is in, as far as it is known.

    Args:
        zone: The name of their zone.
        machine: The name of the machine's zone then.
        before: The zone from which they came; empty if they have always been there.
        since: When the change was noticed, in UTC; empty if there was none.
    """

    zone: str
    machine: str
    before: str = ""
    since: str = ""


class ZoneChange(NamedTuple):
    """The outcome of a change of the zone.

    Args:
        sentence: The message to the person; empty if nothing changed.
        turn: The turn that gave times the zone in which they were said; empty if none needed it.
    """

    sentence: str = ""
    turn: str = ""


class Whereabouts:
    """The zone that a person is in, as far as it is known.

    Args:
        note: Keeps it.
        home: The zone of the settings, or the machine's own.
    """

    def __init__(self, note: "TextPlace", home: tzinfo) -> None:
        self._note, self._home = note, home

    def find(self) -> tzinfo:
        """Return the zone where the person is."""
        note = self._read()
        return (note and note.machine == str(self._home) and find_zone(note.zone)) or self._home

    def refresh(self, clock: Clock) -> None:
        """Set a clock to that zone: another program may have noticed a change."""
        if self._read():
            clock.zone = self.find()

    def look(self, memory: "Memory", clock: Clock, client: str = "") -> ZoneChange:
        """Note the person's zone, set the clock to it, and report if it has changed.

        Times that name no zone keep the one in which they were said until now, in one turn that can be undone.

        Args:
            client: The name of the zone that the person's client is in; empty if it names none. A zone that this
                machine does not know is ignored.
        """
        note, machine = self._read(), str(self._home)
        before = (note and find_zone(note.zone)) or clock.zone
        zone = before if note is None or note.machine == machine else self._home
        clock.zone = (find_zone(client) if client else None) or zone
        here, there = str(clock.zone), str(before)
        if here == there or _agree(clock.zone, before, clock.now()):
            if note is None or (note.zone, note.machine) != (here, machine):
                self._write(ZoneNote(here, machine, *((note.before, note.since) if note else ())))
            return ZoneChange()
        count = memory.keep_zone(there, edit := make_edit())
        self._write(ZoneNote(here, machine, there, clock.source().astimezone(UTC).isoformat()))
        return ZoneChange(_describe_change(there, here, count), edit.turn if count else "")

    def go_to(self, memory: "Memory", clock: Clock, name: str) -> str:
        """Set the zone, until a client names another, and return a sentence. Raises UserError if it does not exist."""
        if name and not find_zone(name):
            raise UserError(
                _("There is no time zone {name}.").format(name=f"{name!r:.60}"), "One is called Europe/Berlin."
            )
        return self.look(memory, clock, name).sentence or _("Your time zone is {zone}.").format(zone=clock.zone_name)

    def tell_model(self, since: datetime | None) -> str:
        """Return a sentence for the model if the zone has changed since a moment; empty if it has not."""
        note = self._read()
        if not (note and note.since and since and datetime.fromisoformat(note.since) > since):
            return ""
        return (
            f"Since the last message the person's zone changed from {note.before} to {note.zone}: say so once. Times "
            "said before stay in the zone where they were said; whole days and what repeats by its due_date go along."
        )

    def _read(self) -> ZoneNote | None:
        try:
            return ZoneNote(**json.loads(self._note.read()))
        except (ValueError, TypeError, RecursionError):
            return None

    def _write(self, note: ZoneNote) -> None:
        self._note.write(json.dumps(vars(note)))


def _agree(zone: tzinfo, other: tzinfo, now: datetime) -> bool:
    """Whether the clocks of two zones agree for a year to both sides of now, as those of Etc/UTC and UTC do."""
    days = [now + timedelta(days=day) for day in range(-366, 367)]
    return all(day.astimezone(zone).utcoffset() == day.astimezone(other).utcoffset() for day in days)


def _describe_change(before: str, zone: str, count: int) -> str:
    sentence = _("Your time zone is {zone} now; it was {before}.").format(zone=zone, before=before)
    if not count:
        return sentence
    have = ngettext(
        "{n} item has a time that stays in {before}; undo lets them go along.",
        "{n} items have times that stay in {before}; undo lets them go along.",
        count,
        before=before,
    )
    return f"{sentence} {have}"
