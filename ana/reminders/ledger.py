"""What has rung, and where: each reminder is delivered once to each address, by whichever process is at it.

One process at a time delivers. One that is killed after the receiver's yes and before its note delivers again, with the
same tag. Entries are forgotten by their number and never by the clock, which may be set back.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

MOST_RINGS = 20_000
"""Reminders of which it is known that they rang. A clock can go back, so the oldest by their order are forgotten."""

SNOOZED, SNOOZED_END = "snoozed ", "snoozed ~"
"""Begins what stands in the place of an address where a ring is put off: after it the moment to which, in UTC. The
second comes after all of them."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=20), timedelta(hours=1)
"""How long an address that failed is left alone: twice as long each time."""


@dataclass(frozen=True)
class RingKey:
    """A time that an item rings: the item's id, and the moment in ISO 8601, in UTC or, of what goes along, local."""

    item: str
    moment: str


@dataclass(frozen=True)
class Failing:
    """An address that does not take messages: since when, how often it was tried, when last, and why."""

    since: datetime
    failures: int
    tried: datetime
    reason: str

    def is_paused(self, now: datetime) -> bool:
        """Return whether it is not tried yet; a clock that was set back does not make it wait longer."""
        pause: timedelta = min(FIRST_PAUSE * 2 ** min(self.failures - 1, 20), LONGEST_PAUSE)
        return now - pause < self.tried <= now


class Ledger(Protocol):
    """What has rung of a person's reminders. Addresses are digests: none can be read here.

    Every method raises StoreBroken if it cannot be used.
    """

    def deliver_alone(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep other processes from delivering. Yields what tells, before each message, whether nobody else is at it:
        somebody may be already, or may have come while this process was stopped."""

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        """Return those that were not delivered to an address, those with the fewest attempts first."""

    def note_delivered(self, address: str, ring: RingKey) -> None:
        """Note that it was delivered, and that the address works."""

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        """Note that it was not, and why; `reason` holds no secret."""

    def forget(self, items: Collection[str]) -> None:
        """Forget that reminders of these items rang, or could not."""

    def snooze(self, ring: RingKey, until: datetime) -> None:
        """Put a ring off to another moment, whether it has rung or not; from any earlier one, too."""

    def list_snoozed(self, since: datetime) -> dict[RingKey, datetime]:
        """Return the rings that were put off to a moment from `since` on, each with that moment in UTC."""

    def list_rung(self, limit: int) -> list[RingKey]:
        """Return what was delivered, the last first."""

    def get_failing(self, address: str) -> Failing | None:
        """Return what is wrong with an address; None if it took the last message, or has had none."""


def make_late(ring: RingKey, until: datetime) -> RingKey:
    """Return what stands for a ring in the ledger that was put off until a moment."""
    return RingKey(ring.item, until.astimezone(UTC).isoformat(timespec="microseconds"))


def write_snooze(until: datetime) -> str:
    """Return what stands in the place of an address where a ring is put off until a moment."""
    return SNOOZED + until.astimezone(UTC).isoformat(timespec="microseconds")


def read_snooze(written: str) -> datetime:
    """Return the moment of `write_snooze`."""
    return datetime.fromisoformat(written.removeprefix(SNOOZED))


def sort_open(rings: Collection[RingKey], known: Mapping[RingKey, tuple[int, bool]]) -> list[RingKey]:
    """Return those that were not delivered, those with the fewest attempts first.

    Args:
        rings: Those that are asked for.
        known: Those that were tried: how often, and whether they were delivered.
    """
    rest = [ring for ring in rings if not known.get(ring, (0, False))[1]]
    return sorted(rest, key=lambda ring: (known.get(ring, (0, False))[0], ring.moment))
