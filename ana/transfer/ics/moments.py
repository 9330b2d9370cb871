"""The days and moments of a calendar file, in the zones that it names."""

from datetime import date, datetime, timedelta, tzinfo

from icalendar.cal.component import Component

from ana.transfer.ics.parts import list_values
from ana.transfer.ics.series import to_here, write_moment
from ana.transfer.ics.zones import find_zone
from ana.transfer.records import BadRecord, to_stamp
from ana.values import Json

Span = tuple[date, date]
_UNITS = {"day": 1440, "hour": 60, "minute": 1}


class Moments:
    """Reads the dates of components.

    Args:
        zone: The person's zone, that of moments without one.
        tables: The file's own zones.
    """

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
            self._zones[name] = find_zone(name, self._tables.get(name, ""))
        return (self._zones[name] if name else None) or self.zone


def _write_distance(minutes: int) -> str | None:
    """Return so long before a moment in words; None if it is after it."""
    unit, size = next(each for each in _UNITS.items() if minutes % each[1] == 0 and (minutes or each[1] == 1))
    return f"{minutes // size} {unit}{'' if minutes == size else 's'} before" if minutes >= 0 else None


def _write_day(minutes: int) -> str | None:
    """Return so long before the midnight with which a day begins in words; None if it is after the day."""
    days, at = -(-minutes // 1440), -minutes % 1440
    when = "on the day" if days == 0 else f"{days} day{'' if days == 1 else 's'} before"
    return f"{when} at {at // 60:02}:{at % 60:02}" if days >= 0 else None
