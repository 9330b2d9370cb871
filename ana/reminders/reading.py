"""The times at which an item's reminders are due, by its `remind`: a time, or a period before each occurrence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from ana.errors import ToolError
from ana.memory.item import Item
from ana.memory.status import CLOSED, has_status
from ana.memory.travel import find_own_zone, make_absolute, read_item_repeat
from ana.time.dates import day_of, tell_day
from ana.time.repeats import DATE_KEYS, iter_between
from ana.values import Json

REMIND_FORM = (
    'remind takes a moment, "2026-12-01T16:30", or a distance before the item\'s own date: "30 minutes before", '
    '"1 day before", "2 days before at 18:00", "the evening before", "on the day at 08:00", "at the time"; or a list '
    "of these."
)
MORNING, EVENING = time(9), time(18)
"""Times of reminders on a day and on the evening before it, if none is given."""

LONGEST = timedelta(days=366)
"""The longest distance."""

_DAY = timedelta(days=1)
_DISTANCE = re.compile(
    r"(?:(?P<count>\d{1,5}|an?|one|the) )?(?:(?P<unit>min(?:ute)?|hour)s?|(?P<long>day|week|evening)s?) before"
    r"(?: at (?P<at>\d\d?:\d\d))?|on the day(?: at (?P<same>\d\d?:\d\d))?|(?P<now>at the time)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Ring:
    """One reminder of an item.

    Args:
        moment: The time in UTC, because times around a clock change in the person's zone cannot be compared.
        of: The day or time to which it refers; None if the item has none.
        goes_along: Whether it keeps its clock time wherever the person is (see ana.memory.travel).
    """

    moment: datetime
    of: date | None
    goes_along: bool = False


@dataclass(frozen=True)
class Distance:
    """The time before a date: a number of days, perhaps with a time of day, or a time span."""

    days: int = 0
    at: time | None = None
    span: timedelta | None = None

    @property
    def reach(self) -> timedelta:
        return (self.span or self.days * _DAY) + _DAY

    def before(self, start: date, zone: tzinfo) -> datetime | None:
        """Return the time of a distance before a day or a time; None for hours before a day."""
        if self.span is not None:
            return start.astimezone(UTC) - self.span if isinstance(start, datetime) else None
        local = start.astimezone(zone) if isinstance(start, datetime) else datetime.combine(start, MORNING)
        day = local.date() - self.days * _DAY
        return datetime.combine(day, self.at or local.time(), zone)


def read_reminders(item: Item, zone: tzinfo, since: datetime, until: datetime) -> list[Ring]:
    """Return an item's reminders in order. Unreadable ones are skipped; a done or cancelled item has none.

    Args:
        zone: The person's zone.
        since: The beginning of the time, included.
        until: The end of the time, included.
    """
    absolute = make_absolute(item)
    properties, goes_along = absolute.properties, find_own_zone(item) is None
    if has_status(properties, CLOSED):
        return []
    parts = [read_part(part, zone) for part in _list_parts(properties)]
    distances = [part for part in parts if isinstance(part, Distance)]
    own = find_own_date(properties, zone)
    rings: dict[datetime, Ring] = {}
    for text, part in zip(_list_parts(properties), parts, strict=True):
        if isinstance(part, datetime):
            moment = part.astimezone(UTC)
            rings[moment] = Ring(moment, own, goes_along and not _has_offset(text))
    reach = max((distance.reach for distance in distances), default=timedelta())
    lead = next((properties[key] for key in DATE_KEYS if day_of(properties.get(key))), None)
    is_local = lead is not None and (len(str(lead)) == len("2026-12-01") or (goes_along and not _has_offset(lead)))
    for start in iter_starts(item, own, zone, since - _DAY, until + reach) if distances else ():
        for distance in distances:
            if before := distance.before(start, zone):
                moment = before.astimezone(UTC)
                rings.setdefault(moment, Ring(moment, start, is_local))
    return [rings[moment] for moment in sorted(rings) if since <= moment <= until]


def _has_offset(value: Json) -> bool:
    return datetime.fromisoformat(str(value)).tzinfo is not None


def check_remind(properties: Mapping[str, Json]) -> None:
    """Refuse an unreadable `remind`.

    Raises:
        ToolError: It has another form; the hint shows the right ones.
    """
    for part in _list_parts(properties):
        if read_part(part, UTC) is None:
            raise ToolError(f"remind cannot be {str(part)[:60]!r}.", REMIND_FORM)


def tell_ringing(item: Item, now: datetime, zone: tzinfo, places: Sequence[str]) -> str:
    """Return the time and addresses of an item's next reminder, or why there is none, for the model to report.

    Args:
        places: The names of the addresses.
    """
    if not (coming := read_reminders(item, zone, now, now + LONGEST)):
        return "Nothing will ring: it has no reminder in the future."
    if not places:
        return "Nothing can ring: no address is set (`ana setup` sets one). It is shown when ana is open."
    return f"Rings {tell_time(coming[0].moment.astimezone(zone))} by {', '.join(places)}, while ana runs."


def tell_time(moment: date) -> str:
    """Return a day or a time in words: Tuesday December 1 2026, 16:30."""
    return tell_day(moment) + (f", {moment:%H:%M}" if isinstance(moment, datetime) else "")


def _list_parts(properties: Mapping[str, Json]) -> list[Json]:
    value = properties.get("remind")
    # an object is a change of a list, which is checked as a whole
    return value if isinstance(value, list) else [] if value is None or isinstance(value, dict) else [value]


def find_own_date(properties: Mapping[str, Json], zone: tzinfo) -> date | None:
    """Return the first day, or time in a zone, that an item has; None if it has none."""
    return next((read_date(properties[key], zone) for key in DATE_KEYS if day_of(properties.get(key))), None)


def iter_starts(item: Item, own: date | None, zone: tzinfo, since: datetime, until: datetime) -> Iterator[date]:
    """Yield the dates of a repeating item in this time; of any other item its own date."""
    repeat = read_item_repeat(item, zone)
    if repeat is None:
        yield from () if own is None else (own,)
        return
    for each in iter_between(repeat, since, until):
        yield each.start


def read_date(value: Json, zone: tzinfo) -> date:
    """Return the day, or the time in a zone, in a property."""
    text = str(value)
    moment = datetime.fromisoformat(text)
    if len(text) == len("2026-12-01"):
        return moment.date()
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(zone).replace(microsecond=0)


def read_part(part: Json, zone: tzinfo) -> datetime | Distance | None:
    """Return one parsed part of a `remind`; None if it is unreadable."""
    if not isinstance(part, str):
        return None
    if day_of(part):
        when = read_date(part, zone)
        return when if isinstance(when, datetime) else datetime.combine(when, MORNING, zone)
    match = _DISTANCE.fullmatch(" ".join(part.split()))
    try:
        return _read_distance(match) if match else None
    except ValueError:  # no such time of a day
        return None


def _read_distance(match: re.Match[str]) -> Distance | None:
    unit, clock = (match["unit"] or match["long"] or "").lower(), match["at"] or match["same"]
    number = int(match["count"]) if (match["count"] or "").isdecimal() else 1
    at = time.fromisoformat(clock.zfill(5)) if clock else None
    if match["now"]:
        return Distance(span=timedelta())
    if match["unit"]:
        span = timedelta(hours=number) if unit == "hour" else timedelta(minutes=number)
        return Distance(span=span) if span <= LONGEST and not at else None
    if unit == "evening":
        return Distance(1, at or EVENING) if number == 1 else None
    days = number * {"": 0, "day": 1, "week": 7}[unit]
    return Distance(days, at if unit else at or MORNING) if days * _DAY <= LONGEST else None
