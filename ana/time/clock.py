"""The person's clock: the one source of 'now'."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass
class Clock:
    """Tells the time in the person's zone.

    Args:
        zone: The zone where the person is, which changes when they travel.
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
        """Return the person's day at a moment stored in ISO 8601."""
        return datetime.fromisoformat(stamp).astimezone(self.zone).date()

    def minute(self, stamp: str) -> str:
        """Return a moment stored in ISO 8601 as the person's clock showed it: 2026-01-07 09:00."""
        return datetime.fromisoformat(stamp).astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    @property
    def zone_name(self) -> str:
        return str(self.zone)


def find_zone(name: str) -> tzinfo | None:
    """Return a zone by its name; None if this machine does not know it."""
    try:
        # any other name may be a path, or a text without end
        return ZoneInfo(name) if _ZONE.fullmatch(name) else None
    except (KeyError, ValueError, OSError):
        return None


def find_local_zone(name: str | None) -> tzinfo:
    """The zone called `name`, or the system's own."""
    if name:
        return ZoneInfo(name)
    import tzlocal

    return tzlocal.get_localzone()
