"""Rows that name what repeats, as RRULE has it: every second Tuesday at 9:15 until June."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from dateutil.relativedelta import relativedelta

from ana.time.when.days import Days, Length, add
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.times import Written, settle

DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
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
PARITIES = {name: ",".join(map(str, range(first, 54, 2))) for name, first in (("odd", 1), ("even", 2))}
"""Not every second week: after a year of 53 weeks an odd one follows an odd one."""

Pace = tuple[str, int]
Parts = Mapping[str, Any]


class Recurrence(NamedTuple):
    """What repeats.

    Args:
        rule: As RRULE, with its end.
        start: From which day on; None where the words do not say.
    """

    rule: str
    start: date | None


def _pace(base: Base, unit: str, interval: int = 1) -> Pace | None:
    freq, months = _UNITS.get(unit, ("", 0))
    return (freq, interval * months) if freq and interval > 0 else None


def _write(pace: Pace, **parts: Any) -> dict[str, Any]:
    freq, interval = pace
    return {"FREQ": freq, **({"INTERVAL": interval} if interval > 1 else {}), **parts}


def _join(values: Sequence[Any]) -> str:
    return ",".join(map(str, dict.fromkeys(values)))


def _weekly(base: Base, pace: Pace, days: Sequence[str]) -> Parts | None:
    return _write(pace, BYDAY=_join(days)) if pace[0] == "WEEKLY" else None


def _every_nth(base: Base, interval: int, days: Sequence[str]) -> Parts | None:
    return _weekly(base, ("WEEKLY", interval), days) if interval > 1 else None


def _by_weekday(base: Base, pace: Pace, days: Sequence[str], month: int | None = None) -> Parts | None:
    """The first Friday of a month, of a year, or of one month of each year."""
    if month:
        return _write(pace, BYMONTH=month, BYDAY=_join(days)) if pace[0] == "YEARLY" else None
    return _write(pace, BYDAY=_join(days)) if pace[0] in ("MONTHLY", "YEARLY") else None


def _by_day(base: Base, pace: Pace, days: Sequence[int]) -> Parts | None:
    return _write(pace, BYMONTHDAY=_join(days)) if pace[0] == "MONTHLY" and max(map(abs, days)) < 32 else None


def _by_date(base: Base, pace: Pace, month: int, days: Sequence[int]) -> Parts | None:
    return _write(pace, BYMONTH=month, BYMONTHDAY=_join(days)) if pace[0] == "YEARLY" else None


def _by_week(base: Base, days: Sequence[str], weeks: Sequence[int] | str) -> Parts:
    weeks = weeks if isinstance(weeks, str) else _join(weeks)
    return {"FREQ": "YEARLY", "BYWEEKNO": weeks, "BYDAY": _join(days)}


def _nth_days(base: Base, nths: Sequence[int], days: Sequence[str], more: Sequence[str] | None = None) -> list[str]:
    return [f"{nth}{day}" for day in days for nth in nths] + [*(more or ())]


def _day_range(base: Base, first: Sequence[str], last: Sequence[str]) -> list[str]:
    begin, end = DAYS.index(first[0]), DAYS.index(last[0])
    return [DAYS[n % 7] for n in range(begin, begin + (end - begin) % 7 + 1)]


def _list(base: Base, one: Any, more: Sequence[Any] | None = None) -> list[Any]:
    return [one, *(more or ())]


def _chain(base: Base, some: Sequence[Any], more: Sequence[Any] | None = None) -> list[Any]:
    return [*some, *(more or ())]


def _at(base: Base, written: Sequence[Written]) -> Parts | None:
    """Times of a day; one that is of a clock with 24 hours makes the others so."""
    is_24 = any(each.is_24 or each.hour > 12 for each in written) and len(written) > 1
    times = sorted(
        {settle(each._replace(is_24=not each.half and (is_24 or each.is_24)), base.part).at for each in written}
    )
    minutes = {at.minute for at in times}
    return {"BYHOUR": _join([at.hour for at in times]), "BYMINUTE": minutes.pop()} if len(minutes) == 1 else None


def _often(base: Base, count: int, parts: Parts) -> Parts | None:
    return {"FREQ": "DAILY", **parts} if len(parts["BYHOUR"].split(",")) == count else None


def _tails(base: Base, one: Parts, more: Parts | None = None) -> Parts | None:
    return None if more and not one.keys().isdisjoint(more.keys()) else {**one, **(more or {})}


def _rule(base: Base, before: Parts | None, core: Parts, after: Parts | None) -> Recurrence | None:
    """A rule with what stands before and after it: its times, its beginning, its end."""
    tails = _tails(base, before or {}, after or {})
    if tails is None or not core.keys().isdisjoint(tails.keys()):
        return None
    start = tails["start"].first if "start" in tails else None
    begin, ends = start or base.today, []
    if "until" in tails:
        until: Days = tails["until"]
        later = relativedelta(years=1) if until.step == "year" and until.first < begin else timedelta(0)
        ends.append(f"UNTIL={until.first + later:%Y%m%d}")
    if "length" in tails:
        ends.append(f"UNTIL={add(begin, tails['length']) - timedelta(days=1):%Y%m%d}")
    if "COUNT" in tails:
        ends.append(f"COUNT={tails['COUNT']}")
    parts = {**core, **{name: value for name, value in tails.items() if name in ("BYHOUR", "BYMINUTE")}}
    written = [f"{name}={value}" for name, value in parts.items()]
    return Recurrence(";".join([*written, *ends]), start) if len(ends) < 2 else None


_EVERY, _ON = "every|each", "on [the]"
_NUMBER = "NUMBER|WORDNUMBER"
_MONTHLY, _YEARLY = ("MONTHLY", 1), ("YEARLY", 1)

RULE_ROWS: dict[str, tuple[Row, ...]] = {
    "PACE": (
        *(Row(word, lambda base, pace=pace: pace, Level.CLEAR) for word, pace in ADVERBS.items()),
        Row(f"{_EVERY} UNIT", _pace),
        Row(f"{_EVERY} other UNIT", lambda base, unit: _pace(base, unit, 2)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL UNIT", lambda base, number, unit: _pace(base, unit, number)),
        Row("once a|per|every UNIT", _pace),
    ),
    "ONEDAY": (
        Row("WEEKDAY|WEEKDAYS", lambda base, day: [DAYS[day]]),
        Row("weekday|weekdays|workday|workdays", lambda base: DAYS[:5]),
        Row("weekend|weekends", lambda base: DAYS[5:]),
        Row("ONEDAYNAME -|through|thru|to ONEDAYNAME", _day_range),
    ),
    "ONEDAYNAME": (Row("WEEKDAY|WEEKDAYS", lambda base, day: [DAYS[day]]),),
    "DAYSET": (Row("ONEDAY", _chain), Row("ONEDAY [and|&] DAYSET", _chain)),
    "PLURAL": (
        Row("WEEKDAYS", lambda base, day: [DAYS[day]]),
        Row("weekdays|workdays", lambda base: DAYS[:5]),
        Row("weekends", lambda base: DAYS[5:]),
        Row("PLURALNAME -|through|thru|to ONEDAYNAME", _day_range),
    ),
    "PLURALNAME": (Row("WEEKDAYS", lambda base, day: [DAYS[day]]),),
    "NTHSET": (Row("ORDER", _list), Row("ORDER [and|&] [the] NTHSET", _list)),
    "NUMBERSET": (Row("DAYNUMBER", _list), Row("DAYNUMBER and|& [the] NUMBERSET", _list)),
    "NTHDAYS": (Row("NTHSET ONEDAY", _nth_days), Row("NTHSET ONEDAY [and|&] [the] NTHDAYS", _nth_days)),
    "EACHMONTH": (Row("[of|in] PACE", lambda base, pace: pace if pace[0] == "MONTHLY" else None),),
    "THEMONTH": (Row("EACHMONTH", lambda base, pace: pace), Row("of|in the|a month", lambda base: _MONTHLY)),
    "CORE": (
        Row("PACE", lambda base, pace: _write(pace)),
        Row(f"{_EVERY} PART", lambda base, part: _write(("DAILY", 1))),
        Row("PACE on DAYSET", _weekly),
        Row(f"{_EVERY} DAYSET", lambda base, days: _weekly(base, ("WEEKLY", 1), days)),
        Row(f"{_EVERY} other DAYSET", lambda base, days: _weekly(base, ("WEEKLY", 2), days)),
        Row(f"{_EVERY} {_NUMBER}|NTH|ORDINAL DAYSET", _every_nth),
        Row("[on] PLURAL", lambda base, days: _weekly(base, ("WEEKLY", 1), days)),
        Row("[on] PLURAL [and|&] DAYSET", lambda base, days, more: _weekly(base, ("WEEKLY", 1), [*days, *more])),
        Row("[on] [the] NTHDAYS EACHMONTH", lambda base, days, pace: _by_weekday(base, pace, days)),
        Row("[on] [the] NTHDAYS THEMONTH", lambda base, days, pace: _by_weekday(base, pace, days), Level.ALONE),
        Row(f"{_EVERY} [the] NTHDAYS THEMONTH", lambda base, days, pace: _by_weekday(base, pace, days)),
        Row(
            f"[{_EVERY}|on] [the] NTHDAYS",
            lambda base, days: _by_weekday(base, _MONTHLY, days) if len(days) > 1 else None,
            Level.ALONE,
        ),
        Row(f"PACE {_ON} NTHDAYS", _by_weekday),
        Row(f"PACE {_ON} NTHDAYS in|of MONTH", _by_weekday),
        Row(f"{_EVERY} NTHDAYS in|of MONTH", lambda base, days, month: _by_weekday(base, _YEARLY, days, month)),
        Row("[on] [the] NTHSET [day] EACHMONTH", lambda base, days, pace: _by_day(base, pace, days)),
        Row("[on] [the] NTHSET [day] THEMONTH", lambda base, days, pace: _by_day(base, pace, days), Level.ALONE),
        Row(f"{_EVERY} [the] NTHSET [day] THEMONTH", lambda base, days, pace: _by_day(base, pace, days)),
        Row(f"{_EVERY} ORDINAL", lambda base, day: _by_day(base, _MONTHLY, [day]), Level.CLEAR),
        Row(
            f"{_EVERY} ORDINAL and|& [the] NTHSET",
            lambda base, day, days: _by_day(base, _MONTHLY, [day, *days]),
            Level.CLEAR,
        ),
        Row(f"PACE {_ON} NTHSET [day]", _by_day),
        Row("PACE on [the] day NUMBERSET", _by_day),
        Row("[at] [the] EDGE EACHMONTH", lambda base, edge, pace: _by_day(base, pace, [-1 if edge else 1])),
        Row("PACE at [the] EDGE", lambda base, pace, edge: _by_day(base, pace, [-1 if edge else 1])),
        Row(
            f"{_EVERY} MONTH [on] [the] [day] NUMBERSET", lambda base, month, days: _by_date(base, _YEARLY, month, days)
        ),
        Row("[on] [the] MONTHDAY PACE", lambda base, day, pace: _by_date(base, pace, day[0], [day[1]])),
        Row(f"{_EVERY} NUMBERSET [of] MONTH", lambda base, days, month: _by_date(base, _YEARLY, month, days)),
        Row(f"PACE {_ON} MONTH [the] NUMBERSET", _by_date),
        Row(f"PACE {_ON} NUMBERSET [of] MONTH", lambda base, pace, days, month: _by_date(base, pace, month, days)),
        Row(f"[{_EVERY}|on] DAYSET in week NUMBERSET", _by_week),
        Row(
            f"[{_EVERY}|in|on] PARITY [iso|calendar] week|weeks on DAYSET",
            lambda base, weeks, days: _by_week(base, days, weeks),
        ),
        Row(f"[{_EVERY}|on] DAYSET in|on PARITY [iso|calendar] week|weeks", _by_week),
        Row(
            f"{_NUMBER} times a|per day at TIMESET",
            lambda base, count, times: (at := _at(base, times)) and _often(base, count, at),
        ),
    ),
    "PARITY": tuple(Row(name, lambda base, weeks=weeks: weeks) for name, weeks in PARITIES.items()),
    "TIMESET": (Row("ANYHOUR", _list), Row("ANYHOUR [and|&] [at] TIMESET", _list)),
    "START": (Row("starting|beginning|from [on|from|in] DAY", lambda base, day: day),),
    "UNTIL": (Row("until|till|through [the] DAY", lambda base, day: day), Row("up to DAY", lambda base, day: day)),
    "TAIL": (
        Row("at TIMESET", _at),
        Row("WRITTEN", lambda base, written: _at(base, [written])),
        Row("[on] [in] [the] PART", lambda base, part: {}),
        Row("START", lambda base, day: {"start": day}),
        Row("UNTIL", lambda base, day: {"until": day}),
        Row("START to DAY", lambda base, start, until: {"start": start, "until": until}),
        Row("for [up to] [the next] LENGTHS", lambda base, length: {"length": length}),
        Row(
            "for the next UNIT",
            lambda base, unit: (
                {"length": Length(relativedelta(**{unit: 1}))} if unit in _UNITS and unit != "quarters" else None
            ),
        ),  # type: ignore[arg-type]
        Row(f"[for] [up to] {_NUMBER} times|x|occurrences", lambda base, count: {"COUNT": count}),
        Row("twice", lambda base: {"COUNT": 2}),
    ),
    "TAILS": (Row("TAIL", _tails), Row("TAIL [and|on] TAILS", _tails)),
    "RULE": (Row("[TAILS] [on] CORE [TAILS]", _rule),),
}
"""A core says on which days; tails say at which times, from when on and until when."""
