"""The rows of the grammar that name what repeats, as RRULE has it: every second Tuesday at 9:15 until June."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from ana.time.when.days import DAY, YEAR, move, one
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.times import Written, settle

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {
    "days": ("DAILY", 1), "weeks": ("WEEKLY", 1), "fortnights": ("WEEKLY", 2), "months": ("MONTHLY", 1),
    "quarters": ("MONTHLY", 3), "years": ("YEARLY", 1),
}  # fmt: skip

Pace = tuple[str, int]
Parts = Mapping[str, Any]
On = tuple[str, Parts]
"""On which days, and of which frequencies these are."""


class Recurrence(NamedTuple):
    """What repeats: an RRULE with its end, and the day from which on, if the words say it."""

    rule: str
    start: date | None


def _find_pace(_: Base, unit: str, interval: int = 1) -> Pace | None:
    freq, times = _UNITS.get(unit, ("", 0))
    return (freq, interval * times) if interval * times else None


def _put_on(pace: Pace, on: On) -> Parts | None:
    """Return a rule of a pace on days that one of its frequency has."""
    (freq, interval), (freqs, days) = pace, on
    if freq not in freqs.split():
        return None
    return {"FREQ": freq, **({"INTERVAL": interval} if interval > 1 else {}), **days}


def _every(_: Base, on: On, interval: int = 1) -> Parts | None:
    """Return a rule of each week with weekdays, or each year with dates. Days of a month need its name."""
    freqs = on[0]
    if interval < 1 or freqs not in ("WEEKLY", "YEARLY") or (interval > 1 and freqs == "YEARLY"):
        return None
    return _put_on((freqs, interval), on)


def _every_nth(_: Base, nth: int, on: On) -> Parts | None:
    return _every(_, on, nth) if nth > 1 else None


def _weekly(_: Base, days: Sequence[str], more: Sequence[str] = ()) -> Parts:
    return {"FREQ": "WEEKLY", "BYDAY": [*days, *more]}


def _list(_: Base, one: Any, more: Sequence[Any] = ()) -> list[Any]:
    return [one, *more]


def _chain(_: Base, some: Sequence[Any], more: Sequence[Any] = ()) -> list[Any]:
    return [*some, *more]


def _list_from(_: Base, first: int, last: int) -> list[str]:
    return [_DAYS[(first + n) % 7] for n in range((last - first) % 7 + 1)]


def _list_nth(nths: Sequence[int], days: Sequence[str]) -> Parts:
    return {"BYDAY": [f"{nth}{day}" for day in days for nth in nths]}


def _find_times(base: Base, written: Sequence[Written]) -> Parts | None:
    """Return times of a day; one of a clock with 24 hours makes the others so. Their minutes are the same."""
    is_24 = len(written) > 1 and any(each.is_24 or each.hour > 12 for each in written)
    found = {settle(base, each._replace(is_24=each.is_24 or (is_24 and not each.half))) for each in written}
    times = sorted(each.at for each in found if each)
    minutes = {at.minute for at in times}
    return {"BYHOUR": [at.hour for at in times], "BYMINUTE": minutes.pop()} if len(minutes) == 1 else None


def _merge(_: Base, one: Parts | None, more: Parts | None = None) -> Parts | None:
    one, more = one or {}, more or {}
    return {**one, **more} if one.keys().isdisjoint(more.keys()) else None


def _find_rule(base: Base, before: Parts | None, core: Parts, after: Parts | None) -> Recurrence | None:
    """Return a rule with what stands before and after its core: its times, its beginning, its end."""
    tails = _merge(base, before, after)
    whole = _merge(base, core, tails) if tails is not None else None
    if whole is None or len({"until", "length", "COUNT"} & whole.keys()) > 1:
        return None
    start = whole["start"].first if "start" in whole else None
    begin, until = start or base.today, None
    if "until" in whole:
        days = whole["until"]
        until = days.first + YEAR if days.step == "year" and days.first < begin else days.first
    if "length" in whole:
        end = move(base, whole["length"], one(begin))
        if end is None:  # hours are how long it lasts
            return None
        until = end.first - DAY
    written = [f"{name}={_write(value)}" for name, value in whole.items() if name.isupper()]
    return Recurrence(";".join([*written, *([f"UNTIL={until:%Y%m%d}"] if until else [])]), start)


def _write(value: Any) -> str:
    return ",".join(map(str, dict.fromkeys(value))) if isinstance(value, list) else str(value)


_EVERY, _NUMBER = "every|each", "NUMBER|WORDNUMBER"
_MONTHLY = ("MONTHLY", 1)

RULE_ROWS: dict[str, tuple[Row, ...]] = {
    "PACE": (
        Row("ADVERB", _find_pace, Level.CLEAR),
        Row(f"{_EVERY} UNIT", _find_pace),
        Row(f"{_EVERY} other UNIT", lambda base, unit: _find_pace(base, unit, 2)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL UNIT", lambda base, number, unit: _find_pace(base, unit, number)),
    ),
    "PLURAL": (
        Row("WEEKDAYS", lambda _, day: [_DAYS[day]]),
        Row("weekdays|workdays", lambda _: _DAYS[:5]),
        Row("weekends", lambda _: _DAYS[5:]),
    ),
    "ONEDAY": (
        Row("PLURAL", _chain),
        Row("WEEKDAY", lambda _, day: [_DAYS[day]]),
        Row("weekday|workday", lambda _: _DAYS[:5]),
        Row("weekend", lambda _: _DAYS[5:]),
        Row("WEEKDAY|WEEKDAYS -|through|thru|to WEEKDAY|WEEKDAYS", _list_from),
    ),
    "DAYSET": (Row("ONEDAY; ONEDAY [and|&] DAYSET", _chain),),
    "NTHSET": (Row("ORDER; ORDER [and|&] [the] NTHSET", _list),),
    "NUMBERSET": (Row("DAYNUMBER; DAYNUMBER and|& [the] NUMBERSET", _list),),
    "TIMESET": (Row("ANYHOUR; ANYHOUR [and|&] [at] TIMESET", _list),),
    "ON": (
        Row("DAYSET", lambda _, days: ("WEEKLY", {"BYDAY": days})),
        Row("NTHSET ONEDAY", lambda _, nths, days: ("MONTHLY YEARLY", _list_nth(nths, days))),
        Row(
            "NTHSET ONEDAY in|of MONTH",
            lambda _, nths, days, month: ("YEARLY", {"BYMONTH": month, **_list_nth(nths, days)}),
        ),
        Row("NTHSET [day]; day NUMBERSET", lambda _, days: ("MONTHLY", {"BYMONTHDAY": days})),
        Row("MONTH [the] NUMBERSET", lambda _, month, days: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days})),
        Row("NUMBERSET [of] MONTH", lambda _, days, month: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days})),
    ),
    "CORE": (
        Row("PACE", lambda _, pace: _put_on(pace, (pace[0], {}))),
        Row(f"{_EVERY} PART", lambda _, part: {"FREQ": "DAILY"}),
        Row(f"{_EVERY} ON", _every),
        Row(f"{_EVERY} other ON", lambda base, on: _every(base, on, 2)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL ON", _every_nth),
        Row("[on] PLURAL; [on] PLURAL [and|&] DAYSET", _weekly),
        Row("PACE on|at [the] ON", lambda _, pace, on: _put_on(pace, on)),
        Row("[on|at] [the] ON [of|in] PACE", lambda _, on, pace: _put_on(pace, on)),
        Row(f"{_EVERY} ON of|in the|a month", lambda _, on: _put_on(_MONTHLY, on)),
        Row("[on] [the] ON of|in the|a month", lambda _, on: _put_on(_MONTHLY, on), Level.ALONE),
        Row(
            f"[{_EVERY}] [the] NTHSET ONEDAY",  # the 1st Friday alone may be a single date
            lambda _, nths, days: {"FREQ": "MONTHLY", **_list_nth(nths, days)} if len(nths) > 1 else None,
            Level.ALONE,
        ),
        Row(
            f"{_EVERY} ORDINAL; {_EVERY} ORDINAL and|& [the] NTHSET",
            lambda _, number, more=(): {"FREQ": "MONTHLY", "BYMONTHDAY": [number, *more]},
            Level.CLEAR,
        ),
    ),
    "TAIL": (
        Row("at TIMESET", _find_times),
        Row("WRITTEN", lambda base, written: _find_times(base, [written])),
        Row("[on] [in] [the] PART", lambda _, part: {}),
        Row("starting|beginning|from [on|from|in] DAY", lambda _, day: {"start": day}),
        Row("until|till|through [the] DAY; up to DAY", lambda _, day: {"until": day}),
        Row("for [up to] [the next] LENGTHS", lambda _, length: {"length": length}),
        Row(f"[for] [up to] {_NUMBER} times|x|occurrences", lambda _, count: {"COUNT": count}),
    ),
    "TAILS": (Row("TAIL; TAIL [and|on] TAILS", _merge),),
    "RULE": (Row("[TAILS] [on] CORE [TAILS]", _find_rule),),
}
"""A core says on which days; tails say at which times, from when on and until when."""
