"""The ledger of deliveries: each reminder goes once to each address, whichever process delivers it.

One process at a time delivers. If it is killed between the receiver's yes and its note, it delivers again, with the
same tag. Entries are dropped by number, never by time, because the clock may be set back.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol

MOST_RINGS = 20_000
"""Most deliveries to remember. The oldest by order are dropped, because a clock can go back."""

SNOOZED, SNOOZED_END = "snoozed ", "snoozed ~"
"""The beginning of a snoozed reminder's entry in place of an address, followed by its new time in UTC. The
second sorts after all of them."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=20), timedelta(hours=1)
"""The first pause after an address failed; it doubles each time."""


@dataclass(frozen=True)
class RingKey:
    """The key of a reminder: the item's id, and the time in ISO 8601, in UTC or, if it moves with the person, local."""

    item: str
    moment: str


@dataclass(frozen=True)
class Failing:
    """An address that fails: since when, the number and time of attempts, and the reason."""

    since: datetime
    failures: int
    tried: datetime
    reason: str

    def is_paused(self, now: datetime) -> bool:
        """Return whether the address is paused; a clock that was set back does not prolong the pause."""
        pause: timedelta = min(FIRST_PAUSE * 2 ** min(self.failures - 1, 20), LONGEST_PAUSE)
        return now - pause < self.tried <= now


class Ledger(Protocol):
    """A person's ledger of reminders. Addresses are stored as digests.

    Every method raises StoreBroken if the ledger cannot be used.
    """

    def deliver_alone(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep others from delivering. Yield a function that says, before each message, whether nobody else is:
        another process may have started before, or while this process was suspended."""

    def list_open(self, address: str, rings: Collection[RingKey]) -> list[RingKey]:
        """Return reminders not delivered to an address, those with the fewest attempts first."""

    def note_delivered(self, address: str, ring: RingKey) -> None:
        """Note a delivery, and that the address works."""

    def note_failed(self, address: str, ring: RingKey, now: datetime, reason: str) -> None:
        """Note a failed delivery and its reason, which must not contain secrets."""

    def forget(self, items: Collection[str]) -> None:
        """Drop the entries of these items."""

    def snooze(self, ring: RingKey, until: datetime) -> None:
        """Snooze a reminder until another time, whether or not it was delivered or snoozed before."""

    def list_snoozed(self, since: datetime) -> dict[RingKey, datetime]:
        """Return reminders that are snoozed until `since` or later, each with that time in UTC."""

    def list_rung(self, limit: int) -> list[RingKey]:
        """Return deliveries, latest first."""

    def get_failing(self, address: str) -> Failing | None:
        """Return the failure of an address; None if its last message succeeded or it had none."""


def make_late(ring: RingKey, until: datetime) -> RingKey:
    """Return the ledger's key of a reminder that was snoozed until a time."""
    return RingKey(ring.item, until.astimezone(UTC).isoformat(timespec="microseconds"))


def write_snooze(until: datetime) -> str:
    """Return the entry, in place of an address, of a reminder that is snoozed until a time."""
    return SNOOZED + until.astimezone(UTC).isoformat(timespec="microseconds")


def read_snooze(written: str) -> datetime:
    """Return the time in an entry of `write_snooze`."""
    return datetime.fromisoformat(written.removeprefix(SNOOZED))


def sort_open(rings: Collection[RingKey], known: Mapping[RingKey, tuple[int, bool]]) -> list[RingKey]:
    """Return undelivered reminders, those with the fewest attempts first.

    Args:
        rings: The reminders in question.
        known: The number of attempts and success of tried ones.
    """
    rest = [ring for ring in rings if not known.get(ring, (0, False))[1]]
    return sorted(rest, key=lambda ring: (known.get(ring, (0, False))[0], ring.moment))
