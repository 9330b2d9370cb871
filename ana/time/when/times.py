"""Rows that name times of day, and lengths of time.

- An hour needs am or pm, minutes, "o'clock", "at" before it, or a part of the day beside it.
- "half seven" is half past seven.
- "in the afternoon", "this evening" and "tonight", wherever they stand, make hours up to 11 afternoon hours. Without
  them "at 3" and "at 3:15" are after noon, as people mean it: 1 to 6 count from noon, 7 to 12 are taken as they are.
"""

from datetime import datetime, time, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from ana.time.when.days import Length
from ana.time.when.grammar import Base, Level, Row

AFTERNOON = "{at} is read as {meant:%H:%M}; with am it would be in the morning."


_NOON = 12


class Written(NamedTuple):
    """A time of day as written: its hour may be one of a clock with 12."""

    hour: int
    minute: int = 0
    half: str | None = None
    is_24: bool = False


class Times(NamedTuple):
    """A time of day, or from when to when; whether it was taken for one after noon, and whether it ends its day."""

    at: time
    until: time | None = None
    is_guessed: bool = False
    ends_day: bool = False


def _clock(base: Base, written: tuple[int, int, str], half: str | None = None) -> Written | None:
    hour, minute, text = written
    is_24 = text.startswith("0") or "h" in text or hour > 12
    return None if half and hour > 12 else Written(hour, minute, half, is_24)


def _hour(base: Base, hour: int, half: str | None = None) -> Written | None:
    return Written(hour, 0, half) if hour < 24 and not (half and not 0 < hour <= 12) else None


def _hour_minute(base: Base, hour: int, minute: int, half: str | None = None) -> Written | None:
    return Written(hour, minute, half) if 0 < hour <= 12 and 9 < minute < 60 else None


def _joined(base: Base, written: tuple[int, int], half: str | None = None) -> Written | None:
    return Written(*written, half) if not (half and not 0 < written[0] <= 12) else None


def _decimal(base: Base, written: tuple[int, int, str], half: str | None = None) -> Written | None:
    hour, minute, text = written
    return Written(hour, minute, half, text[0] == "0") if text[-3:-2] == "." and hour < 24 and minute < 60 else None


def _past(base: Base, minutes: int, written: Written, sign: int = 1) -> Written:
    hour, minute = divmod(written.hour * 60 + written.minute + sign * minutes, 60)
    return written._replace(hour=hour % 24, minute=minute)


def _to(base: Base, minutes: int, written: Written) -> Written:
    # ten to one is before one of the same half of the day
    return _settle_written(base, _past(base, minutes, _settle_written(base, written), -1))


def _settle_written(base: Base, written: Written) -> Written:
    at = settle(written, base.part).at
    return Written(at.hour, at.minute, is_24=True)


def settle(written: Written, part: str) -> Times:
    """Return the time that is meant, in a phrase with a part of the day or without one."""
    hour, minute, half, is_24 = written
    if half:
        return Times(time(hour % 12 + (12 if half == "p" else 0), minute))
    if is_24 or hour > 12:
        return Times(time(hour % 24, minute))
    if part in ("evening", "night") and hour in (0, 12):
        return Times(time(0, minute), ends_day=True)
    if part in ("afternoon", "evening") or (part == "night" and hour > 5):
        return Times(time(hour % 12 + 12, minute))
    if part == "night" and 0 < hour < 6:  # after the midnight that ends the day
        return Times(time(hour, minute), ends_day=True)
    is_guessed = 1 <= hour <= 6 and part != "morning"
    return Times(time(hour + 12 if is_guessed else hour, minute), is_guessed=is_guessed)


def _time(base: Base, written: Written | None) -> Times | None:
    return settle(written, base.part) if written else None


def _bare_hour(base: Base, hour: int) -> Times | None:
    return settle(Written(hour), base.part) if hour < 24 else None


def _range(base: Base, first: Written, last: Written) -> Times | None:
    """From when to when; am or pm that stands at the last alone is meant of the first too, if that is before it."""
    end = settle(last, base.part)
    if not (first.half or first.is_24):
        same = settle(first._replace(half=last.half), base.part)
        first = first._replace(half=last.half if last.half and same.at < end.at else "a" if last.half else None)
    begin = settle(first, base.part)
    if not (last.half or last.is_24) and end.at <= begin.at and end.at.hour < 12:
        end = Times(end.at.replace(hour=end.at.hour + 12))
    is_backwards = end.at <= begin.at and not last.half and end.at.hour >= _NOON  # 15 to noon
    return None if is_backwards else begin._replace(until=end.at)


def _bare_range(base: Base, first: int, last: int) -> Times | None:
    return _range(base, Written(first), Written(last))


def _range_for(base: Base, first: Written, length: Length) -> Times | None:
    begin = settle(first, base.part)
    end = datetime.combine(base.today, begin.at) + timedelta(minutes=length.minutes)
    return begin._replace(until=end.time()) if 0 < length.minutes < 24 * 60 else None


def _length(base: Base, amount: float, unit: str) -> Length | None:
    if unit in ("minutes", "hours"):
        return Length(relativedelta(), amount * (60 if unit == "hours" else 1))
    if amount != int(amount):
        return Length(relativedelta(), amount * 24 * 60) if unit == "days" else None
    count = int(amount)
    return Length(relativedelta(months=3 * count) if unit == "quarters" else relativedelta(**{unit: count}))  # type: ignore[arg-type]


def _moment(base: Base, length: Length) -> datetime | None:
    """The moment that lies so many minutes ahead; what has none is a day."""
    if not length.minutes or base.now is None:
        return None
    return base.now + length.days + timedelta(minutes=length.minutes)


_LEAD = "at|by|from|until|till|around|about|before|after"
_TO = "to|-|until|till|untill|through"
_NEAR = "[about|around]"
_FEW = 3

TIME_ROWS: dict[str, tuple[Row, ...]] = {
    "WRITTEN": (
        Row("noon|midday|lunchtime", lambda base: Written(12, is_24=True)),
        Row("mid day", lambda base: Written(12, is_24=True)),
        Row("midnight", lambda base: Written(0, is_24=True)),
        Row("CLOCK [HALF]", _clock),
        Row("CLOCK in the HALF", _clock),
        Row("HOUR HALF", _hour),
        Row("HOUR in the HALF", _hour),
        Row("HOUR o'clock|oclock [HALF]", _hour),
        Row("HOURMINUTE HALF", _joined),
        Row("WORDNUMBER MINUTE HALF", _hour_minute),
        Row("DECIMAL HALF", _decimal),
        Row("MINUTES past|after ANYHOUR", _past),
        Row("MINUTES to|before ANYHOUR", _to),
        Row("half WORDNUMBER", lambda base, hour: Written(hour, 30), Level.CLEAR),
    ),
    "ANYHOUR": (Row("WRITTEN", lambda base, written: written), Row("HOUR", _hour, Level.CLEAR)),
    "HOUR": (
        Row("NUMBER", lambda base, hour: hour if hour < 24 else None),
        Row("WORDNUMBER", lambda base, hour: hour),
    ),
    "MINUTE": (
        Row("TENS", lambda base, tens: tens),
        Row("TENS [-] WORDNUMBER", lambda base, tens, more: tens + more if more < 10 else None),
        Row("NUMBER", lambda base, minutes: minutes if minutes < 60 else None),
        Row("WORDNUMBER", lambda base, minutes: minutes),
    ),
    "MINUTES": (
        Row("half", lambda base: 30),
        Row("[a] quarter", lambda base: 15),
        Row("MINUTE [minutes|min]", lambda base, minutes: minutes),
    ),
    "TIME": (
        Row(f"[{_LEAD}] {_NEAR} WRITTEN", _time),
        Row(f"{_LEAD} {_NEAR} HOUR", _bare_hour, Level.CLEAR),
        Row(f"{_LEAD} HOURS", _bare_hour),
        Row("at HOURMINUTE", lambda base, written: _time(base, Written(*written)), Level.ALONE),
        Row("at HOUR MINUTE", lambda base, hour, minute: _time(base, _hour_minute(base, hour, minute)), Level.ALONE),
        Row("at DECIMAL", lambda base, written: _time(base, _decimal(base, written)), Level.CLEAR),
        Row("DECIMAL", lambda base, written: _time(base, _decimal(base, written)), Level.FAINT),
        Row("HOUR", _bare_hour, Level.FAINT),
    ),
    "RANGE": (
        Row(f"{_NEAR} [from] ANYHOUR {_TO} WRITTEN", _range),
        Row(f"{_NEAR} [from] WRITTEN {_TO} ANYHOUR", _range, Level.CLEAR),
        Row(f"from HOUR {_TO} HOUR", _bare_range, Level.CLEAR),
        Row("between ANYHOUR and ANYHOUR", _range, Level.CLEAR),
        Row(f"HOUR {_TO} HOUR", _bare_range, Level.FAINT),
        Row("[from] ANYHOUR for LENGTHS", _range_for, Level.ALONE),
    ),
    "PARTOFDAY": (
        Row("[in] [the|this|at] [early|late] PART", lambda base, part: part),
        Row("early|late in the PART", lambda base, part: part),
        Row("in the early hours of the PART", lambda base, part: part),
    ),
    "AMOUNT": (
        Row("NUMBER|WORDNUMBER|TENS", lambda base, number: number),
        Row("a|an", lambda base: 1),
        Row("[a] couple|pair [of]", lambda base: 2),
        Row("[a] few", lambda base: _FEW, Level.ALONE),
        Row("DECIMAL", lambda base, written: float(written[2].replace(",", "."))),
    ),
    "LENGTH": (
        Row("AMOUNT [more] UNIT", _length),
        Row("HOURS", lambda base, hours: Length(relativedelta(), 60 * hours)),
        Row("AMOUNT UNIT and a half", lambda base, amount, unit: _length(base, amount + 0.5, unit)),
        Row("AMOUNT and a|an half UNIT", lambda base, amount, unit: _length(base, amount + 0.5, unit)),
        Row("half a|an UNIT", lambda base, unit: _length(base, 0.5, unit)),
        Row("[a] quarter of an UNIT", lambda base, unit: _length(base, 0.25, unit)),
        Row("three [-] quarters of an UNIT", lambda base, unit: _length(base, 0.75, unit)),
        Row("a fortnight", lambda base: Length(relativedelta(weeks=2))),
    ),
    "LENGTHS": (
        Row("LENGTH", lambda base, length: length),
        Row(
            "LENGTH [and] LENGTHS",
            lambda base, length, more: Length(length.days + more.days, length.minutes + more.minutes),
        ),
    ),
    "MOMENT": (
        Row(f"[today] in {_NEAR} LENGTHS", _moment),
        Row(f"{_NEAR} LENGTHS from [right] now", _moment),
        Row("LENGTHS later|out", _moment, Level.ALONE),
        Row(f"after|within {_NEAR} LENGTHS", _moment, Level.ALONE),
        Row("[right|just] now", lambda base: base.now, Level.ALONE),
        Row("at the moment", lambda base: base.now, Level.ALONE),
    ),
}
