"""Rules of a calendar file as ours: in the person's time, with what is at another on single days."""

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice

from ana.time.repeats.advancing import write_until
from ana.time.repeats.rules import DAYS, Rule, iter_moments, parse_rule, settle
from ana.values import Json, Properties

YEARS = 2
"""For how many years the times of another zone are compared with the person's."""

_MOST_COMPARED, _MOST_MOVED = 3000, 200
_HALF_DAY = timedelta(hours=12)


def read_series(written: str, there: date, zone: tzinfo, year: int) -> tuple[Rule, Properties, bool]:
    """Return an RRULE in the person's time, what an item has of it, and whether it gives the same moments as there.

    `there` is the first date, a day or a moment in its zone, and `year` the first of the years in which the moments are
    compared. Raises ValueError if it is none of ours.
    """
    begin, first = to_wall(there), to_here(there, zone)
    own = (there.tzinfo if isinstance(there, datetime) else None) or zone
    rule = settle(_skip_short_months(parse_rule(written, own), begin), begin)
    if own is zone:
        is_day = not isinstance(there, datetime)
        return rule, _make_properties(rule, write_until(rule.until, is_day=is_day) if rule.until else None, {}), True
    days = timedelta((first.date() - begin.date()).days)
    here = _shift(rule, days.days)
    if rule.until:
        last = (rule.until - timedelta(hours=begin.hour, minutes=begin.minute)).date() + days
        here = replace(here, until=datetime.combine(last, time.max))
    until = str(here.until.date()) if here.until else None
    moved = _find_moved(rule, begin, own, here, first, zone, year)
    return here, _make_properties(here, until, moved or {}), moved is not None


def to_wall(moment: date) -> datetime:
    """Return a day's midnight, or a moment without its zone."""
    return moment.replace(tzinfo=None) if isinstance(moment, datetime) else datetime.combine(moment, time())


def to_here(moment: date, zone: tzinfo) -> datetime:
    """Return a day's midnight, or an aware moment in local time."""
    return to_wall(moment.astimezone(zone) if isinstance(moment, datetime) else moment)


def write_moment(moment: date) -> str:
    """Return a day or a moment as properties hold it."""
    if not isinstance(moment, datetime):
        return moment.isoformat()
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")


def name_occurrence(at: datetime, rule: Rule) -> str:
    """Return what `except` and `moved` call an occurrence: its day, or its moment where a day has several."""
    return write_moment(at if rule.times else at.date())


def _make_properties(rule: Rule, until: str | None, moved: Mapping[datetime, datetime]) -> Properties:
    moves: dict[str, Json] = {name_occurrence(at, rule): write_moment(to) for at, to in moved.items()}
    return {"repeats": rule.text, "until": until, "moved": moves or None}


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


def _shift(rule: Rule, days: int) -> Rule:
    """Return a rule with its weekdays as much later; other days stay, which a comparison shows."""
    if not days or rule["FREQ"] not in ("DAILY", "WEEKLY"):
        return rule
    later = {code: DAYS[(at + days) % 7] for at, code in enumerate(DAYS)}
    rule = rule if rule.has("WKST") else rule.pin(WKST="MO")
    parts = ((name, ",".join(later.get(each, each) for each in value.split(","))) for name, value in rule.parts)
    return replace(rule, parts=tuple(parts))


def _find_moved(
    rule: Rule, begin: datetime, own: tzinfo, here: Rule, first: datetime, zone: tzinfo, year: int
) -> dict[datetime, datetime] | None:
    """Return our moments that are at another there, with these; None if the two do not go together."""
    since = max(begin, datetime(year, 1, 1))
    moments = islice(iter_moments(rule, begin, since, since + timedelta(366 * YEARS)), _MOST_COMPARED)
    theirs = [to_here(at.replace(tzinfo=own), zone) for at in moments]
    if not theirs:
        return {}
    ours = [*islice(iter_moments(here, first, theirs[0] - _HALF_DAY, theirs[-1] + _HALF_DAY), len(theirs) + 1)]
    moved = {at: to for at, to in zip(ours, theirs, strict=False) if at != to}
    is_far = any(abs(at - to) >= _HALF_DAY for at, to in moved.items())
    return None if len(ours) != len(theirs) or is_far or len(moved) > _MOST_MOVED else moved
