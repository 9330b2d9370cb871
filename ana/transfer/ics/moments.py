"""The days and moments of a calendar file, in zones that everybody knows, that Windows names, or that the file has."""

import re
from datetime import date, datetime, timedelta, tzinfo
from io import StringIO

from dateutil.tz import tzical
from icalendar.cal.component import Component
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from ana.time.clock import find_zone
from ana.transfer.ics.parts import list_values
from ana.transfer.ics.series import to_here, write_moment
from ana.transfer.records import BadRecord, to_stamp
from ana.values import Json

Span = tuple[date, date]
_UNITS = {"day": 1440, "hour": 60, "minute": 1}
_TZID = re.compile(r"^TZID[^:\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_IGNORED = re.compile(r"^(?!BEGIN|END|TZID|TZOFFSET|DTSTART|RRULE|RDATE).*\n", re.IGNORECASE | re.MULTILINE)
_PARTS = "BYMONTH|BYMONTHDAY|BYDAY|UNTIL|WKST|INTERVAL"
_OTHER_RULE = re.compile(rf"^RRULE:(?!FREQ=YEARLY(?:;(?:{_PARTS})=[\w,+-]+)*[ \t]*$)", re.IGNORECASE | re.MULTILINE)
"""A rule that may have any number of changes, and would be expanded one by one."""


class Moments:
    """Reads the dates of components, in the person's zone or in one of the file's own tables."""

    def __init__(self, zone: tzinfo, tables: dict[str, str]) -> None:
        self.zone = zone
        self._tables = tables
        self._zones: dict[str, tzinfo | None] = {}

    @property
    def unknown(self) -> list[str]:
        """The names that no zone has; their moments are read in the person's."""
        return [name for name, zone in self._zones.items() if zone is None]

    def list_dates(self, component: Component, name: str) -> list[date]:
        """Return the days and the aware moments of a property. Raises BadRecord if it has others."""
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

    def read_span(self, component: Component) -> Span | None:
        """Return the first and the last day, or the moments between which it is; None of a to-do without a date."""
        starts = self.list_dates(component, "DTSTART")
        ends = self.list_dates(component, "DUE" if component.name == "VTODO" else "DTEND")
        if component.name != "VTODO":
            if not starts:
                raise BadRecord("it has no date")
            ends = [end if isinstance(end, datetime) else end - timedelta(1) for end in ends]
        if not starts + ends:
            return None
        start = (starts or ends)[0]
        lasts = [start + each.dt - timedelta(type(start) is date) for each in list_values(component, "DURATION")]
        end = next((each for each in ends + lasts if type(each) is type(start)), start)
        return start, max(start, end)

    def read_stamp(self, component: Component, name: str) -> str | None:
        """Return a stamp; None if it has none, or one at the edge of the calendar."""
        at = next(iter(self.list_dates(component, name)), None)
        return to_stamp(at) if isinstance(at, datetime) and 1 < at.year < 9999 else None

    def list_alarms(self, component: Component, span: Span | None) -> list[Json]:
        """Return the alarms that a reminder can say: moments, and distances before the beginning."""
        found: list[Json] = []
        for trigger in (each for alarm in component.walk("VALARM") for each in list_values(alarm, "TRIGGER")):
            if isinstance(trigger.dt, datetime):
                found.append(self.write(trigger.dt))
            elif span:
                lasts = span[1] - span[0] + timedelta(type(span[0]) is date)
                before = -trigger.dt - (lasts if trigger.params.get("RELATED") == "END" else timedelta())
                minutes = before // timedelta(minutes=1)
                said = _write_distance(minutes) if isinstance(span[0], datetime) else _write_day(minutes)
                found += [said] if said else []
        return found

    def write(self, moment: date) -> str:
        """Return a day, or a moment in the person's local time, as properties hold it."""
        return write_moment(to_here(moment, self.zone) if isinstance(moment, datetime) else moment)

    def _find_zone(self, name: str | None) -> tzinfo:
        if name and name not in self._zones:
            self._zones[name] = _find_zone(name, self._tables.get(name, ""))
        return (self._zones[name] if name else None) or self.zone


def _write_distance(minutes: int) -> str | None:
    unit, size = next(each for each in _UNITS.items() if minutes % each[1] == 0 and (minutes or each[1] == 1))
    return f"{minutes // size} {unit}{'' if minutes == size else 's'} before" if minutes >= 0 else None


def _write_day(minutes: int) -> str | None:
    days, at = -(-minutes // 1440), -minutes % 1440
    when = "on the day" if days == 0 else f"{days} day{'' if days == 1 else 's'} before"
    return f"{when} at {at // 60:02}:{at % 60:02}" if days >= 0 else None


def list_tables(texts: list[str]) -> dict[str, str]:
    """Return the first hundred tables of a file by name."""
    return {name[1].rstrip(" \t"): text for text in texts[:100] if (name := _TZID.search(text))}


def _find_zone(name: str, table: str) -> tzinfo | None:
    """Return the zone of a name; where nobody knows it, that of its table in the file; None if there is none."""
    parts = name.strip("/").split("/")
    # some programs write their own name before it: /citadel.org/20210210_1/Europe/Berlin
    for at in range(len(parts) if name.startswith("/") else 1):
        tail = "/".join(parts[at:])
        if zone := find_zone(WINDOWS_TO_OLSON.get(tail, tail)):
            return zone
    try:
        return (
            None if not table or _OTHER_RULE.search(table) else tzical(StringIO(_IGNORED.sub("", table) + "\n")).get()
        )
    except (ValueError, LookupError):
        return None
