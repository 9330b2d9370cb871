"""The days and moments of a calendar file, in standard zones, in zones with Windows names, or in zones that the file
defines.
"""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta, tzinfo
from io import StringIO

from dateutil.tz import tzical
from icalendar.cal.component import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from ana.time.clock import find_zone
from ana.transfer.ics.parts import list_values
from ana.transfer.records import BadRecord, to_stamp
from ana.values import Json

Span = tuple[date, date]
_UNITS = {"day": 1440, "hour": 60, "minute": 1}
_TZID = re.compile(r"^TZID[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_LOCATION = re.compile(r"^X-LIC-LOCATION[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_HOURS = re.compile(r"\(?(?:UTC|GMT) ?([+-]\d\d?)(?::?00)?(?![:\d])")
"""An offset of whole hours at the beginning of a zone's name."""

_CHANGED_AT = re.compile(r";BY(?:HOUR|MINUTE|SECOND)=\d\d?(?![\d,])", re.IGNORECASE)
"""The time of a change, which its DTSTART says too."""

_IGNORED = re.compile(r"^(?!BEGIN|END|TZID|TZOFFSET|DTSTART|RRULE|RDATE).*\n", re.IGNORECASE | re.MULTILINE)
_PARTS = "BYMONTH|BYMONTHDAY|BYDAY|UNTIL|WKST|INTERVAL"
_OTHER_RULE = re.compile(rf"^RRULE:(?!FREQ=YEARLY(?:;(?:{_PARTS})=[\w,+-]+)*[ \t]*$)", re.IGNORECASE | re.MULTILINE)
"""A rule that may have any number of changes, and would be expanded one by one."""


@dataclass(frozen=True)
class Moments:
    """Reads the dates of components, and writes them in the local time of a zone.

    Args:
        zone: The zone in which moments are written: the person's, or a series'.
        default: The zone of moments that name none, and of series in UTC: the calendar's, if it names one.
        tables: The zones that the file itself describes, by name.
        year: The first of two years in which such a zone is compared with standard zones.
        zones: The zones met so far, by name.
        is_moved: Whether it writes in another zone than the person's.
    """

    zone: tzinfo
    default: tzinfo | None
    tables: dict[str, str]
    year: int
    zones: dict[str, tzinfo | None] = field(default_factory=dict)
    is_moved: bool = False

    @property
    def unknown(self) -> list[str]:
        """The unknown names of zones; their moments are read in the person's zone."""
        return [name for name, zone in self.zones.items() if zone is None]

    def move(self, zone: tzinfo) -> "Moments":
        """Return a reader for another zone, in which moments without a zone are read too."""
        return replace(self, zone=zone, default=zone, is_moved=zone is not self.zone)

    def list_dates(self, component: Component, name: str) -> list[date]:
        """Return the days and the aware moments of a property. Raises BadRecord if it has other values."""
        dates = []
        for value in list_values(component, name):
            for each in getattr(value, "dts", [value]):
                at = each.dt[0] if isinstance(each.dt, tuple) else each.dt
                if not isinstance(at, date):
                    raise BadRecord(f"its {name} is not a date")
                if isinstance(at, datetime) and at.tzinfo is None:
                    at = at.replace(tzinfo=self._find_zone(value.params.get("X-ZONE")))
                dates.append(at)
        return dates

    def has_zone(self, component: Component) -> bool:
        """Return whether a component is at moments of a zone, and not on days or at the same times anywhere."""
        values = [*list_values(component, "DTSTART"), *list_values(component, "DUE")]
        moments = [each for each in values if isinstance(each.dt, datetime)]
        return any(each.dt.tzinfo or "X-ZONE" in each.params or self.default for each in moments)

    def read_span(self, component: Component) -> Span | None:
        """Return the first and the last day, or the first and the last moment; None for a to-do without a date."""
        is_task = component.name == "VTODO"
        starts, ends = self.list_dates(component, "DTSTART"), self.list_dates(component, "DUE" if is_task else "DTEND")
        if not starts and not is_task:
            raise BadRecord("it has no date")
        if not starts + ends:
            return None
        start = (starts or ends)[0]
        if not is_task:
            ends = [each if isinstance(each, datetime) else each - timedelta(1) for each in ends]
        ends += [start + each.dt - timedelta(type(start) is date) for each in list_values(component, "DURATION")]
        end = _fit(ends[0], start) if ends else start
        return start, max(start, end)

    def read_stamp(self, component: Component, name: str) -> str | None:
        """Return a component's stamp; None if it has none, or one at the edge of the calendar."""
        at = next(iter(self.list_dates(component, name)), None)
        return to_stamp(at) if isinstance(at, datetime) and 1 < at.year < 9999 else None

    def list_alarms(self, component: Component, span: Span | None) -> list[Json]:
        """Return the alarms that a reminder can say: moments, and distances before the beginning."""
        alarms: list[Json] = []
        for trigger in (each for alarm in component.walk("VALARM") for each in list_values(alarm, "TRIGGER")):
            if isinstance(trigger.dt, datetime):
                # a reminder's moment is the person's, whatever the zone of the series is
                local = self.write(trigger.dt)
                alarms.append(trigger.dt.isoformat(timespec="minutes") if self.is_moved else local)
            elif span and isinstance(trigger.dt, timedelta):
                lasts = span[1] - span[0] + timedelta(type(span[0]) is date)
                before = -trigger.dt - (lasts if trigger.params.get("RELATED") == "END" else timedelta())
                minutes = before // timedelta(minutes=1)
                text = _write_distance(minutes) if isinstance(span[0], datetime) else _write_day(minutes)
                alarms += [text] if text else []
        return alarms

    def write(self, moment: date) -> str:
        """Return a day, or a moment in the person's local time, in the form of properties."""
        return write_moment(to_here(moment, self.zone) if isinstance(moment, datetime) else moment)

    def _find_zone(self, name: str | None) -> tzinfo:
        if not name:
            return self.default or self.zone
        name = _unescape(name)
        if name not in self.zones:
            self.zones[name] = _find_zone(name, self.tables.get(name, ""), self.year)
        return self.zones[name] or self.zone


def to_wall(moment: date) -> datetime:
    """Return a day's midnight, or a moment without its zone."""
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else datetime.combine(moment, time())


def to_here(moment: date, zone: tzinfo) -> datetime:
    """Return a day's midnight, or an aware moment in local time."""
    return to_wall(moment.astimezone(zone) if isinstance(moment, datetime) else moment)


def write_moment(moment: date) -> str:
    """Return a day or a moment in the form of properties."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")


def _fit(end: date, start: date) -> date:
    """Return an end in the same form as the start: as a day or a moment."""
    if isinstance(start, datetime):
        return end if isinstance(end, datetime) else datetime.combine(end + timedelta(1), time(), start.tzinfo)
    # the day on whose midnight it ends is not one of its days
    return to_wall(end - timedelta.resolution).date() if isinstance(end, datetime) else end


def _write_distance(minutes: int) -> str | None:
    unit, size = next(each for each in _UNITS.items() if minutes % each[1] == 0 and (minutes or each[1] == 1))
    return f"{minutes // size} {unit}{'' if minutes == size else 's'} before" if minutes >= 0 else None


def _write_day(minutes: int) -> str | None:
    days, at = -(-minutes // 1440), -minutes % 1440
    when = "on the day" if days == 0 else f"{days} day{'' if days == 1 else 's'} before"
    return f"{when} at {at // 60:02}:{at % 60:02}" if days >= 0 else None


def list_tables(texts: list[str]) -> dict[str, str]:
    """Return the first hundred tables of a file by name."""
    named = ((_TZID.search(text), text) for text in texts[:100])
    return {_unescape(name[1]): text for name, text in named if name}


def _unescape(name: str) -> str:
    """Return a name without the backslashes that some programs write before its commas."""
    return name.replace("\\", "").rstrip(" \t")


def _find_zone(name: str, table: str, year: int) -> tzinfo | None:
    """Return the zone of a name; for an unknown name, the zone of its table in the file; None if there is none."""
    parts, location = name.strip("/").split("/"), _LOCATION.search(table)
    # some programs write their own name before it: /citadel.org/20210210_1/Europe/Berlin
    tails = ["/".join(parts[at:]) for at in range(len(parts) if name.startswith("/") else 1)]
    for each in [*tails, location[1].strip() if location else ""]:
        if zone := find_zone(WINDOWS_TO_OLSON.get(each, each)):
            return zone
    if not table and (hours := _HOURS.match(name)):  # (UTC-05:00) Eastern Time; the signs of these are the other ones
        return find_zone(f"Etc/GMT{-int(hours[1]):+}")
    table = _CHANGED_AT.sub("", table)
    try:
        if not table or _OTHER_RULE.search(table):
            return None
        own = tzical(StringIO(_IGNORED.sub("", _TZID.sub("TZID:own", table)) + "\n")).get()
        return own and (_find_alike(own, year) or own)
    except (ValueError, LookupError):
        return None


def _find_alike(own: tzinfo, year: int) -> tzinfo | None:
    """Return the standard zone whose clocks show the same on each day of two years; None if there is none."""
    days = [datetime(min(year, 9000), 1, 1, 12) + timedelta(n) for n in range(730)]
    days = [*days[::180], *days]  # few are the same in winter and summer
    offsets = [own.utcoffset(day) for day in days]
    names = [*dict.fromkeys(WINDOWS_TO_OLSON.values()), *(f"Etc/GMT{hours:+}" for hours in range(-14, 13))]
    for zone in filter(None, map(find_zone, names)):
        if all(zone.utcoffset(day) == offset for day, offset in zip(days, offsets, strict=True)):
            return zone
    return None
