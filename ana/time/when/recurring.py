"""The rows of the grammar for repetitions, in the form of RRULE: every second Tuesday at 9:15 until June."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from ana.time.when.days import DAY, YEAR, Days, find_later, one
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.times import Written, settle

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "days": ("DAILY", 1),
    "weeks": ("WEEKLY", 1),
    "months": ("MONTHLY", 1),
    "quarters": ("MONTHLY", 3),
    "years": ("YEARLY", 1),
}
ADVERBS = {
    "daily": ("DAILY", 1), "everyday": ("DAILY", 1), "weekly": ("WEEKLY", 1), "fortnightly": ("WEEKLY", 2),
    "monthly": ("MONTHLY", 1), "quarterly": ("MONTHLY", 3), "yearly": ("YEARLY", 1), "annually": ("YEARLY", 1),
}  # fmt: skip
_PARITIES = {name: ",".join(map(str, range(first, 54, 2))) for name, first in (("odd", 1), ("even", 2))}
"""Not every second week: after a year of 53 weeks an odd one follows an odd one."""

Pace = tuple[str, int]
Parts = Mapping[str, Any]
On = tuple[str, Mapping[str, Any]]


class Recurrence(NamedTuple):
    """A repetition in words: an RRULE with its end, and the first day if the words name one."""

    rule: str
    start: date | None


def _find_pace(_: Base, unit: str, interval: int = 1) -> Pace | None:
    freq, months = _UNITS.get(unit, ("", 0))
    return (freq, interval * months) if interval * months else None


def _make(pace: Pace, only: str = "", **parts: Any) -> Parts | None:
    """Return the parts of a rule, if it is of one of some frequencies and its interval is one."""
    freq, interval = pace
    if freq not in (only or freq).split() or interval < 1:
        return None
    joined = {name: _join(value) if isinstance(value, list | tuple) else value for name, value in parts.items()}
    return {"FREQ": freq, **({"INTERVAL": interval} if interval > 1 else {}), **joined}


def _join(values: Sequence[Any]) -> str:
    return ",".join(map(str, dict.fromkeys(values)))


def _chain(_: Base, some: Sequence[Any], more: Sequence[Any] | None = None) -> list[Any]:
    return [*some, *(more or ())]


def _list(_: Base, one: Any, more: Sequence[Any] | None = None) -> list[Any]:
    return [one, *(more or ())]


def _list_nth(_: Base, nths: Sequence[int], days: Sequence[str], more: Sequence[str] | None = None) -> list[str]:
    return [*(f"{nth}{day}" for day in days for nth in nths), *(more or ())]


def _list_from(_: Base, first: int, last: int) -> list[str]:
    return [_DAYS[(first + n) % 7] for n in range((last - first) % 7 + 1)]


def _find_times(base: Base, written: Sequence[Written]) -> Parts | None:
    """Return times of a day; if one is by the 24-hour clock, all are. Their minutes are the same."""
    is_24 = len(written) > 1 and any(each.is_24 or each.hour > 12 for each in written)
    readings = {settle(base, each._replace(is_24=each.is_24 or (is_24 and not each.half))) for each in written}
    times = sorted(each.at for each in readings if each)
    minutes = {at.minute for at in times}
    return {"BYHOUR": _join([at.hour for at in times]), "BYMINUTE": minutes.pop()} if len(minutes) == 1 else None


def _find_often(base: Base, count: int, written: Sequence[Written]) -> Parts | None:
    times = _find_times(base, written)
    return {"FREQ": "DAILY", **times} if times and len(written) == count else None


def _merge(_: Base, one: Parts | None, more: Parts | None = None) -> Parts | None:
    one, more = one or {}, more or {}
    return {**one, **more} if one.keys().isdisjoint(more.keys()) else None


def _find_rule(base: Base, before: Parts | None, core: Parts, after: Parts | None) -> Recurrence | None:
    """Return a rule with the words before and after its core: its times, its beginning, its end."""
    tails = _merge(base, before, after)
    whole = _merge(base, core, tails) if tails is not None else None
    if whole is None or len({"until", "length", "COUNT"} & whole.keys()) > 1:
        return None
    start = whole["start"].first if "start" in whole else None
    begin = start or base.today
    until: date | None = None
    if "until" in whole:
        days: Days = whole["until"]
        until = days.first + YEAR if days.step == "year" and days.first < begin else days.first
    if "length" in whole:
        end = find_later(base, whole["length"], one(begin))
        if end is None:  # hours are how long it lasts
            return None
        until = end.first - DAY
    written = [f"{name}={value}" for name, value in whole.items() if name.isupper()]
    return Recurrence(";".join([*written, *([f"UNTIL={until:%Y%m%d}"] if until else [])]), start)


def _put_on(_: Base, pace: Pace, on: On) -> Parts | None:
    """Return a rule with an interval, on days that fit its frequency."""
    return _make(pace, on[0], **on[1])


def _put_before(base: Base, on: On, pace: Pace) -> Parts | None:
    return _put_on(base, pace, on)


def _make_every(_: Base, on: On, interval: int = 1) -> Parts | None:
    """Return a rule of each week with weekdays, or each year with dates. Days of a month need its name."""
    freq = on[0] if interval == 1 or on[0] == "WEEKLY" else ""
    return _make((freq, interval), "WEEKLY YEARLY", **on[1])


def _find_several(_: Base, nths: Sequence[int], days: Sequence[str]) -> Parts | None:
    """Return the 1st and 3rd Friday of each month; the 1st alone may be a single date."""
    return _make(("MONTHLY", 1), BYDAY=_list_nth(_, nths, days)) if len(nths) > 1 else None


def _find_numbers(_: Base, number: int, more: Sequence[int] = ()) -> Parts | None:
    return _make(("MONTHLY", 1), BYMONTHDAY=[number, *more])


def _make_monthly(_: Base, on: On) -> Parts | None:
    return _make(("MONTHLY", 1), on[0], **on[1])


def _make_of_weeks(_: Base, days: Sequence[str], weeks: Any) -> Parts | None:
    return _make(("YEARLY", 1), BYWEEKNO=weeks, BYDAY=days)


_EVERY, _NUMBER, _THROUGH, _WEEK = "every|each", "NUMBER|WORDNUMBER", "-|through|thru|to", "[iso|calendar] week|weeks"

RULE_ROWS: dict[str, tuple[Row, ...]] = {
    "PACE": (
        *(Row(word, lambda _, pace=pace: pace, Level.CLEAR) for word, pace in ADVERBS.items()),
        Row(f"{_EVERY} UNIT; once a|per|every UNIT", _find_pace),
        Row(f"{_EVERY} other UNIT", lambda base, unit: _find_pace(base, unit, 2)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL UNIT", lambda base, number, unit: _find_pace(base, unit, number)),
    ),
    "PLURAL": (
        Row("WEEKDAYS", lambda _, day: [_DAYS[day]]),
        Row("weekdays|workdays", lambda _: _DAYS[:5]),
        Row("weekends", lambda _: _DAYS[5:]),
        Row(f"WEEKDAYS {_THROUGH} WEEKDAY|WEEKDAYS", _list_from),
    ),
    "ONEDAY": (
        Row("PLURAL", _chain),
        Row("WEEKDAY", lambda _, day: [_DAYS[day]]),
        Row("weekday|workday", lambda _: _DAYS[:5]),
        Row("weekend", lambda _: _DAYS[5:]),
        Row(f"WEEKDAY {_THROUGH} WEEKDAY", _list_from),
    ),
    "DAYSET": (Row("ONEDAY; ONEDAY [and|&] DAYSET", _chain),),
    "NTHSET": (Row("ORDER; ORDER [and|&] [the] NTHSET", _list),),
    "NUMBERSET": (Row("DAYNUMBER; DAYNUMBER and|& [the] NUMBERSET", _list),),
    "NTHDAYS": (Row("NTHSET ONEDAY; NTHSET ONEDAY [and|&] [the] NTHDAYS", _list_nth),),
    "TIMESET": (Row("ANYHOUR; ANYHOUR [and|&] [at] TIMESET", _list),),
    "PARITY": tuple(Row(name, lambda _, weeks=weeks: weeks) for name, weeks in _PARITIES.items()),
    "ON": (  # on which days, and of which frequencies these are
        Row("DAYSET", lambda _, days: ("WEEKLY", {"BYDAY": days})),
        Row("NTHDAYS", lambda _, days: ("MONTHLY YEARLY", {"BYDAY": days})),
        Row("NTHDAYS in|of MONTH", lambda _, days, month: ("YEARLY", {"BYMONTH": month, "BYDAY": days})),
        Row("NTHSET [day]; day NUMBERSET", lambda _, days: ("MONTHLY", {"BYMONTHDAY": days})),
        Row("EDGE", lambda _, nth: ("MONTHLY", {"BYMONTHDAY": nth})),
        Row(
            "MONTH [on] [the] [day] NUMBERSET",
            lambda _, month, days: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days}),
        ),
        Row("NUMBERSET [of] MONTH", lambda _, days, month: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days})),
    ),
    "CORE": (
        Row("PACE", lambda _, pace: _make(pace)),
        Row(f"{_EVERY} PART", lambda _, part: _make(("DAILY", 1))),
        Row(f"{_EVERY} ON", _make_every),
        Row(f"{_EVERY} other ON", lambda base, on: _make_every(base, on, 2)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL ON", lambda base, n, on: _make_every(base, on, n) if n > 1 else None),
        Row("[on] PLURAL; [on] PLURAL [and|&] DAYSET", lambda _, *days: _make(("WEEKLY", 1), BYDAY=_chain(_, *days))),
        Row("PACE on|at [the] ON", _put_on),
        Row("[on|at] [the] ON [of|in] PACE", _put_before),
        Row(f"{_EVERY} ON of|in the|a month", _make_monthly),
        Row("[on] [the] ON of|in the|a month", _make_monthly, Level.ALONE),
        Row(f"[{_EVERY}] [the] NTHSET ONEDAY", _find_several, Level.ALONE),
        Row(f"{_EVERY} ORDINAL; {_EVERY} ORDINAL and|& [the] NTHSET", _find_numbers, Level.CLEAR),
        Row(f"[{_EVERY}|on] DAYSET in week NUMBERSET; [{_EVERY}|on] DAYSET in|on PARITY {_WEEK}", _make_of_weeks),
        Row(f"{_EVERY}|in|on PARITY {_WEEK} on DAYSET", lambda base, weeks, days: _make_of_weeks(base, days, weeks)),
        Row(f"{_NUMBER} times a|per day at TIMESET", _find_often),
    ),
    "START": (Row("starting|beginning|from [on|from|in] DAY", lambda _, day: day),),
    "TAIL": (
        Row("at TIMESET", _find_times),
        Row("WRITTEN", lambda base, written: _find_times(base, [written])),
        Row("[on] [in] [the] PART", lambda _, part: {}),
        Row("START", lambda _, day: {"start": day}),
        Row("START to DAY", lambda _, start, until: {"start": start, "until": until}),
        Row("until|till|through [the] DAY; up to DAY", lambda _, day: {"until": day}),
        Row("for [up to] [the next] LENGTHS; for the next ONEUNIT", lambda _, length: {"length": length}),
        Row(f"[for] [up to] {_NUMBER} times|x|occurrences", lambda _, count: {"COUNT": count}),
        Row("twice", lambda _: {"COUNT": 2}),
    ),
    "TAILS": (Row("TAIL; TAIL [and|on] TAILS", _merge),),
    "RULE": (Row("[TAILS] [on] CORE [TAILS]", _find_rule),),
}
"""A core says on which days; tails say at which times, from when on and until when."""
