"""A series of a calendar file in ana's form: its rule, changes for all later dates, and its single dates."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from icalendar.cal.component import Component

from ana.time.repeats import ALSO
from ana.time.repeats.advancing import write_until
from ana.time.repeats.rules import DAYS, NO_RULE, Rule, iter_moments, parse_rule, settle
from ana.transfer.ics.moments import Moments, Span, to_here, to_wall, write_moment
from ana.transfer.ics.parts import list_values
from ana.values import Properties

_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_MOST_CHANGES = 20
"""Changes for all that follows of one series: each is read with all dates that are left out."""

_NO_COUNT = re.compile(r"COUNT=-\d+;?")
_UNTIL_DAY = re.compile(r"(UNTIL=\d{8})T\w*")
"""The end of what is on days; some programs write a moment, which would be on another day elsewhere."""


@dataclass(frozen=True)
class Part:
    """A series, or the part of it between two changes for all later dates.

    Args:
        component: The component that describes it: the series' own, or the change.
        master: The series' own component, which has the single dates of all parts.
        span: Its first date.
        rule: The rule from there on; NO_RULE if there are only single dates.
        moments: Reads and writes dates in the zone of the series.
        since: The date of the whole series with which it begins, in local time.
        until: The date of the whole series before which it ends.
        later: The time by which it is later than the whole series would be.
    """

    component: Component
    master: Component
    span: Span
    rule: Rule
    moments: Moments
    since: datetime = datetime.min
    until: datetime = datetime.max
    later: timedelta = timedelta()

    @property
    def first(self) -> datetime:
        """Its first date, in local time."""
        return to_here(self.span[0], self.moments.zone)

    @property
    def is_day(self) -> bool:
        return not isinstance(self.span[0], datetime)

    def place(self, at: date) -> datetime | None:
        """Return a date of the whole series within this part, in local time; None if it is in another part."""
        local = to_wall(at) if self.is_day else to_here(at, self.moments.zone)
        return local + self.later if self.since <= local < self.until else None

    def name(self, at: date) -> str | None:
        """Return the name of a date in `except` and `moved`: its day, or its moment if a day has several.

        None if there is no occurrence at its time.
        """
        place = self.place(at)
        if place is None or self.is_day or not isinstance(at, datetime):
            return str(place.date()) if place else None
        if self.rule.times or place in self._added:
            return write_moment(place)
        return str(place.date()) if place.time() == self.first.time() else None

    def holds(self, at: date) -> bool:
        """Return whether a date of the whole series belongs to this part, even if it is left out."""
        place = self.place(at)
        if place is None or place in self._added:
            return place is not None
        is_day = self.is_day or not isinstance(at, datetime)
        last = place + _DAY - _MINUTE if is_day else place
        return next(iter_moments(self.rule, self.first, place, last), None) is not None

    def read_dates(self) -> Properties:
        """Return the properties for its rule, its end, and the dates that were added and left out."""
        ends = [self.rule.until, None if self.until == datetime.max else self.until + self.later - _MINUTE]
        end = min((each for each in ends if each), default=None)
        names = [self.name(at) for at in self.list_exceptions()]
        return {
            "repeats": self.rule.text or None,
            "until": write_until(end, is_day=self.is_day) if end and self.rule is not NO_RULE else None,
            ALSO: [*map(write_moment, self._added.values())],
            "except": [*dict.fromkeys(name for name in names if name)],
        }

    def list_exceptions(self) -> list[date]:
        return self.moments.list_dates(self.master, "EXDATE")

    @cached_property
    def _added(self) -> dict[datetime, date]:
        """The dates beside the rule by their place, without those that are left out."""
        exceptions = self.list_exceptions()
        moments = {to_here(at, self.moments.zone) for at in exceptions if isinstance(at, datetime)}
        days = {at for at in exceptions if not isinstance(at, datetime)}
        dates = ((at, self.place(at)) for at in self.moments.list_dates(self.master, "RDATE"))
        return {
            place: place if isinstance(at, datetime) else place.date()
            for at, place in dates
            if place and place != self.first and place - self.later not in moments and place.date() not in days
        }


def split_series(
    master: Component, span: Span, rule: Rule, changes: Sequence[Component], moments: Moments
) -> list[Part]:
    """Split a series where a change for all later occurrences begins, and return the parts.

    Raises ValueError if none of ana's rules says how it continues after one.
    """
    if len(changes) > _MOST_CHANGES:
        raise ValueError("it is changed too often")
    parts = [Part(master, master, span, rule, moments)]
    dated = [(to_here(moments.list_dates(each, "RECURRENCE-ID")[0], moments.zone), each) for each in changes]
    for at, change in sorted(dated, key=lambda each: each[0]):
        begun = moments.read_span(change) or span
        later = to_here(begun[0], moments.zone) - at
        parts[-1] = replace(parts[-1], until=at)
        parts.append(Part(change, master, begun, _shift(rule, at, later), moments, at, later=later))
    return [each for each in parts if each.first - each.later < each.until]


def is_for_all(component: Component) -> bool:
    """Return whether a change is for all later dates."""
    return any(
        each.params.get("RANGE", "").upper() == "THISANDFUTURE" for each in list_values(component, "RECURRENCE-ID")
    )


def read_rule(written: str, start: date, moments: Moments) -> Rule:
    """Return an RRULE in the zone of its series. Raises ValueError or OverflowError if ana has no such rule."""
    first, written = to_here(start, moments.zone), _NO_COUNT.sub("", written)
    if not isinstance(start, datetime):
        written = _UNTIL_DAY.sub(r"\1", written)
    return settle(_skip_short_months(parse_rule(written, moments.zone), first), first)


def _skip_short_months(rule: Rule, first: datetime) -> Rule:
    """Return a rule that skips months without its day, as calendars do; by itself it would take their last day."""
    if rule["FREQ"] not in ("MONTHLY", "YEARLY") or rule.has("BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO"):
        return rule
    if rule["FREQ"] == "YEARLY" and not rule.has("BYMONTH", "BYMONTHDAY"):
        rule = rule.pin(BYMONTH=str(first.month))
    if not rule.has("BYMONTHDAY"):
        rule = rule.pin(BYMONTHDAY=str(first.day))
    shortest = min(monthrange(2025, month)[1] for month in rule.list_numbers("BYMONTH") or range(1, 13))
    return rule.pin(BYDAY=",".join(DAYS)) if max(rule.list_numbers("BYMONTHDAY")) > shortest else rule


def _shift(rule: Rule, at: datetime, later: timedelta) -> Rule:
    """Return a rule with all dates after one moved to a later time. Raises ValueError if no rule of ana's can express
    that.
    """
    days = ((at + later).date() - at.date()).days
    if (days and rule["FREQ"] not in ("DAILY", "WEEKLY")) or (later and rule.times):
        raise ValueError("its dates are moved in a way that no rule says")
    moved = {code: DAYS[(place + days) % 7] for place, code in enumerate(DAYS)}
    whole = rule if rule.has("WKST") or not days else rule.pin(WKST="MO")
    parts = ((name, ",".join(moved.get(each, each) for each in value.split(","))) for name, value in whole.parts)
    return replace(rule, parts=tuple(parts), until=rule.until and rule.until + later)
