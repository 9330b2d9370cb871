"""The rows of the grammar for repetitions, in the form of RRULE: every second Tuesday at 9:15 until June."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from ana.time.repeats.rules import DAYS, PARITIES
from ana.time.when.days import DAY, YEAR, find_later, one
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.times import Written, settle

_PACES = {
    "days": ("DAILY", 1),
    "weeks": ("WEEKLY", 1),
    "fortnights": ("WEEKLY", 2),
    "months": ("MONTHLY", 1),
    "quarters": ("MONTHLY", 3),
    "years": ("YEARLY", 1),
}

Pace = tuple[str, int]
Parts = Mapping[str, Any]
On = tuple[str, Parts]
"""When of a rule: the frequencies that they fit, and its parts that name them."""


class Recurrence(NamedTuple):
    """A repetition in words: an RRULE with its end, and the first day if the words name one."""

    rule: str
    start: date | None


def _find_pace(_: Base, interval: int, unit: str) -> Pace | None:
    freq, number = _PACES.get(unit, ("", 0))
    return (freq, interval * number) if interval * number else None


def _make(_: Base, pace: Pace, on: On = ("", {})) -> Parts | None:
    """Return the parts of a rule, if its days fit its frequency."""
    (freq, interval), (fitting, parts) = pace, on
    if freq not in (fitting or freq).split() or interval < 1:
        return None
    return {"FREQ": freq, **({"INTERVAL": interval} if interval > 1 else {}), **parts}


def _make_every(base: Base, interval: int, on: On) -> Parts | None:
    """Return a rule of each week with weekdays, or each year with dates. When of a month need its name."""
    freq = on[0] if interval == 1 or on[0] == "WEEKLY" else ""
    return _make(base, (freq, interval), on) if freq in ("WEEKLY", "YEARLY") else None


def _make_monthly(base: Base, on: On) -> Parts | None:
    return _make(base, ("MONTHLY", 1), on)


def _make_of_weeks(_: Base, days: str, weeks: str) -> Parts:
    return {"FREQ": "YEARLY", "BYWEEKNO": weeks, "BYDAY": days}


def _join(_: Base, *parts: Any) -> str:
    return ",".join(str(part) for part in parts if part is not None)


def _join_nth(_: Base, nths: str, days: str) -> str:
    return ",".join(f"{nth}{day}" for day in days.split(",") for nth in nths.split(","))


def _list_from(_: Base, first: int, last: int) -> str:
    return ",".join(DAYS[(first + n) % 7] for n in range((last - first) % 7 + 1))


def _list_times(_: Base, first: Written, more: Sequence[Written] = ()) -> list[Written]:
    return [first, *more]


def _find_times(base: Base, written: Sequence[Written]) -> Parts | None:
    """Return times of a day; if one is by the 24-hour clock, all are. Their minutes are the same."""
    is_24 = len(written) > 1 and any(each.is_24 or each.hour > 12 for each in written)
    readings = [settle(base, each._replace(is_24=each.is_24 or (is_24 and not each.half))) for each in written]
    hours, minutes = sorted({each.at.hour for each in readings}), {each.at.minute for each in readings}
    return {"BYHOUR": _join(base, *hours), "BYMINUTE": minutes.pop()} if len(minutes) == 1 else None


def _find_often(base: Base, count: int, written: Sequence[Written]) -> Parts | None:
    times = _find_times(base, written)
    return {"FREQ": "DAILY", **times} if times and len(written) == count else None


def _merge(_: Base, some: Parts, more: Parts | None = None) -> Parts | None:
    more = more or {}
    return {**some, **more} if some.keys().isdisjoint(more.keys()) else None


def _find_rule(base: Base, before: Parts | None, core: Parts, after: Parts | None) -> Recurrence | None:
    """Return a rule with the words before and after its core: its times, its beginning, its end."""
    tails = _merge(base, before or {}, after)
    if tails is None or len({"until", "length", "COUNT"} & tails.keys()) > 1:
        return None
    start = tails["start"].first if "start" in tails else None
    begin, until = start or base.today, None
    if days := tails.get("until"):
        until = days.first + YEAR if days.step == "year" and days.first < begin else days.first
    if "length" in tails:
        end = find_later(base, tails["length"], one(begin))
        if end is None:  # hours are how long it lasts
            return None
        until = end.first - DAY
    written = [f"{name}={value}" for name, value in {**core, **tails}.items() if name.isupper()]
    return Recurrence(";".join([*written, *([f"UNTIL={until:%Y%m%d}"] if until else [])]), start)


_NUMBER, _WEEK = "NUMBER|WORDNUMBER", "[iso|calendar] week|weeks"

RULE_ROWS: dict[str, tuple[Row, ...]] = {
    "INTERVAL": (
        Row("EVERY; EVERY NUMBER|WORDNUMBER|NTH|ORDINAL", lambda _, each, number=1: number or None),
        Row("EVERY other", lambda _, each: 2),
    ),
    "PACE": (
        Row("ADVERB", lambda _, pace: pace, Level.CLEAR),
        Row("INTERVAL UNIT", _find_pace),
        Row("once a|per|every UNIT", lambda base, unit: _find_pace(base, 1, unit)),
    ),
    "PLURAL": (
        Row("WEEKDAYS", lambda _, day: DAYS[day]),
        Row("weekdays|workdays", lambda _: ",".join(DAYS[:5])),
        Row("weekends", lambda _: ",".join(DAYS[5:])),
    ),
    "ONEDAY": (
        Row("PLURAL", _join),
        Row("WEEKDAY", lambda _, day: DAYS[day]),
        Row("weekday|workday", lambda _: ",".join(DAYS[:5])),
        Row("weekend", lambda _: ",".join(DAYS[5:])),
        Row("WEEKDAY|WEEKDAYS -|through|thru|to WEEKDAY|WEEKDAYS", _list_from),
    ),
    "DAYSET": (Row("ONEDAY; ONEDAY [and|&] DAYSET", _join),),
    "NTHSET": (Row("ORDER; ORDER [and|&] [the] NTHSET", _join),),
    "NUMBERSET": (Row("DAYNUMBER; DAYNUMBER and|& [the] NUMBERSET", _join),),
    "TIMESET": (Row("ANYHOUR; ANYHOUR [and|&] [at] TIMESET", _list_times),),
    "PARITY": tuple(Row(name, lambda _, weeks=weeks: weeks) for name, weeks in PARITIES.items()),
    "ON": (
        Row("DAYSET", lambda _, days: ("WEEKLY", {"BYDAY": days})),
        Row("NTHSET ONEDAY", lambda _, *days: ("MONTHLY YEARLY", {"BYDAY": _join_nth(_, *days)})),
        Row(
            "NTHSET ONEDAY in|of MONTH",
            lambda _, nths, days, month: ("YEARLY", {"BYMONTH": month, "BYDAY": _join_nth(_, nths, days)}),
        ),
        Row("NTHSET|EDGE [day]; day NUMBERSET", lambda _, days: ("MONTHLY", {"BYMONTHDAY": days})),
        Row("MONTH [the] NUMBERSET", lambda _, month, days: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days})),
        Row("NUMBERSET [of] MONTH", lambda _, days, month: ("YEARLY", {"BYMONTH": month, "BYMONTHDAY": days})),
    ),
    "CORE": (
        Row("PACE; PACE on|at [the] ON", _make),
        Row("[on|at] [the] ON [of|in] PACE", lambda base, on, pace: _make(base, pace, on)),
        Row("EVERY PART", lambda base, *_: _make(base, ("DAILY", 1))),
        Row("INTERVAL ON", _make_every),
        Row("[on] PLURAL; [on] PLURAL [and|&] DAYSET", lambda _, *days: {"FREQ": "WEEKLY", "BYDAY": _join(_, *days)}),
        Row("every|each ON of|in the|a month", _make_monthly),
        Row("[on] [the] ON of|in the|a month", _make_monthly, Level.ALONE),
        Row(  # the 1st alone may be a single date
            "[every|each] [the] NTHSET ONEDAY",
            lambda _, nths, days: {"FREQ": "MONTHLY", "BYDAY": _join_nth(_, nths, days)} if "," in nths else None,
            Level.ALONE,
        ),
        Row(
            "every|each ORDINAL [and|& NTHSET]",
            lambda _, *days: {"FREQ": "MONTHLY", "BYMONTHDAY": _join(_, *days)},
            Level.CLEAR,
        ),
        Row(f"[every|each|on] DAYSET in|on PARITY {_WEEK}", _make_of_weeks),
        Row(f"every|each|in|on PARITY {_WEEK} on DAYSET", lambda base, weeks, days: _make_of_weeks(base, days, weeks)),
        Row(f"{_NUMBER} times a|per day at TIMESET", _find_often),
    ),
    "TAIL": (
        Row("at TIMESET", _find_times),
        Row("WRITTEN", lambda base, written: _find_times(base, [written])),
        Row("[on] [in] [the] PART", lambda _, part: {}),
        Row("starting|beginning|from [on|from|in] DAY", lambda _, day: {"start": day}),
        Row("until|till|through|to [the] DAY", lambda _, day: {"until": day}),
        Row("for [up to] [the next] LENGTHS; for the next ONEUNIT", lambda _, length: {"length": length}),
        Row(f"[for] [up to] {_NUMBER} times|x|occurrences", lambda _, count: {"COUNT": count}),
    ),
    "TAILS": (Row("TAIL; TAIL [and|on] TAILS", _merge),),
    "RULE": (Row("[TAILS] [on] CORE [TAILS]", _find_rule),),
    "HABIT": (  # what repeats, read or not
        Row("EVERY UNIT|WEEKDAY|WEEKDAYS|ORDINAL|NTH|NUMBER|WORDNUMBER|PART|MONTH", lambda *_: True),
        Row("ADVERB; WEEKDAYS; mornings|afternoons|evenings|nights; once|twice|times a|per", lambda *_: True),
        Row("[the] ORDINAL and [the] ORDINAL", lambda *_: True),
        Row("ADVERB report|review|meeting|stand|standup|sync|call; EVERY one", lambda *_: False),  # one thing
    ),
}
"""A core says on which days; tails say at which times, from when on and until when."""
