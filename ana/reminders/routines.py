"""Routines: items of the type `routine`, whose content is a question asked at their times."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

from ana.memory.item import Item
from ana.memory.status import CLOSED, has_status
from ana.memory.travel import find_own_zone, read_item_repeat
from ana.reminders.ledger import RingKey
from ana.reminders.reading import MORNING, Ring, find_own_date, iter_starts
from ana.reminders.ringing import make_key
from ana.time.repeats import find_next_after

LONGEST = timedelta(days=31)
"""How late a missed routine is still run."""

RETRIES = (timedelta(minutes=20), timedelta(minutes=40))
"""The pause before a failed routine runs again: three times within an hour."""


@dataclass(frozen=True)
class DueRoutine:
    """A due routine.

    Args:
        key: The ledger's key of this run.
        moment: When it was due, in UTC.
    """

    item: Item
    key: RingKey
    moment: datetime


def find_due(item: Item, now: datetime, zone: tzinfo) -> DueRoutine | None:
    """Return the last due time of a routine; None if there is none since its last change.

    Earlier missed times are skipped, so it is never older than the routine's period.
    """
    now = now.astimezone(UTC)
    begin = max(now - LONGEST, datetime.fromisoformat(item.updated_at))
    # a day to spare: where the person is, it may be another day than in UTC
    starts = iter_starts(item, find_own_date(item.properties, zone), zone, begin - timedelta(days=1), now)
    moments = [_to_moment(start, zone).astimezone(UTC) for start in starts]
    moments = [moment for moment in moments if begin <= moment <= now]
    if not moments or has_status(item.properties, CLOSED):
        return None
    ring = Ring(moments[-1], None, goes_along=find_own_zone(item) is None)
    return DueRoutine(item, make_key(item, ring, zone), ring.moment)


def find_next(item: Item, now: datetime, zone: tzinfo) -> datetime | None:
    """Return a routine's next time in the person's zone, or None."""
    if has_status(item.properties, CLOSED):
        return None
    if repeat := read_item_repeat(item, zone):
        following = find_next_after(repeat, now)
        return _to_moment(following.start, zone) if following else None
    own = find_own_date(item.properties, zone)
    moment = _to_moment(own, zone) if own else None
    return moment if moment and moment > now else None


def _to_moment(start: date, zone: tzinfo) -> datetime:
    return start if isinstance(start, datetime) else datetime.combine(start, MORNING, zone)
