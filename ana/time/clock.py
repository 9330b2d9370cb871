"""The person's clock: the one source of 'now'."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Clock:
    """Tells the time in the person's zone.

    Args:
        zone: The person's time zone.
        source: Returns the present moment, aware; tests hand in a fixed one.
    """

    zone: tzinfo
    source: Callable[[], datetime] = _utc_now

    def now(self) -> datetime:
        return self.source().astimezone(self.zone)

    def stamp(self) -> str:
        """The present moment as stored in created_at and updated_at: UTC, to the microsecond."""
        return self.source().astimezone(UTC).isoformat(timespec="microseconds")

    def day(self, stamp: str) -> date:
        """The person's day at a moment stored in ISO 8601."""
        return datetime.fromisoformat(stamp).astimezone(self.zone).date()

    @property
    def zone_name(self) -> str:
        return str(self.zone)


def local_zone(name: str | None) -> tzinfo:
    """The zone called `name`, or the system's own."""
    if name:
        return ZoneInfo(name)
    import tzlocal

    return tzlocal.get_localzone()
