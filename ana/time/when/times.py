"""The rows of the grammar that name times of day and lengths of time.

- An hour needs am or pm, minutes, "o'clock", "at" before it, or a part of the day beside it.
- "half seven" is half past seven.
- "in the afternoon", "this evening" and "tonight", wherever they stand, make hours up to 11 afternoon hours. Without
  them "at 3" and "at 3:15" are after noon, as people mean it: 1 to 6 count from noon, 6:15 and 7 to 12 as they are.
"""

from datetime import datetime, time, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from ana.time.when.days import Length
from ana.time.when.grammar import Base, Level, Row
from ana.time.when.tokens import Figures

_NOON = 12
_FEW = 3


class Written(NamedTuple):
    """A time of day as written: its hour may be one of a clock with 12, in which half of the day it says, a or p."""

    hour: int
    minute: int = 0
    half: str | None = None
    is_24: bool = False


class Times(NamedTuple):
    """A time of day, or from when to when, and where a text names it.

    Args:
        is_guessed: Whether it was taken for one after noon.
        ends_day: Whether it is in the night that begins on its day: tonight at 12.
        start: The first character of its words.
        end: The character after the last of them.
    """

    at: time
    until: time | None = None
    is_guessed: bool = False
    ends_day: bool = False
    start: int = 0
    end: int = 0


def _write(hour: int, minute: int = 0, half: str | None = None, *, is_24: bool = False) -> Written | None:
    """Return a time of day as written; None if it is none."""
    is_one = hour < 24 and minute < 60 and not (half and not 0 < hour <= _NOON)
    return Written(hour, minute, half, is_24) if is_one else None


def settle(base: Base, written: Written | None) -> Times | None:
    """Return the time that is meant in a phrase, with the part of the day that it names or without one."""
    if written is None:
        return None
    hour, minute, half, is_24 = written
    if half:
        return Times(time(hour % _NOON + (_NOON if half == "p" else 0), minute))
    if is_24 or hour > _NOON:
        return Times(time(hour, minute))
    is_late = base.part in ("evening", "night") and hour % _NOON == 0
    if is_late or (base.part == "night" and hour < 6):  # after the midnight that ends the day
        return Times(time(hour % _NOON, minute), ends_day=True)
    if base.part in ("afternoon", "evening", "night"):
        return Times(time(hour % _NOON + _NOON, minute))
    is_guessed = 1 <= hour <= 6 and base.part != "morning"
    return Times(time(hour + _NOON if is_guessed else hour, minute), is_guessed=is_guessed)


def _write_clock(_: Base, figures: Figures, half: str | None) -> Written | None:
    hour, minute = figures.numbers
    return _write(hour, minute, half, is_24=hour == 6 or figures.text.startswith("0"))


def _shift(_: Base, minutes: int, written: Written) -> Written:
    """Return so many minutes past a time, or to it: ten to one is 12:50."""
    hour, minute = divmod(written.hour * 60 + written.minute + minutes, 60)
    is_24 = written.is_24 or hour == 6
    return written._replace(hour=hour % 24 if is_24 else hour or _NOON, minute=minute, is_24=is_24)


def _settle_range(base: Base, first: Written, last: Written) -> Times | None:
    """Return from when to when; am or pm beside the last alone is meant of the first too, if that is before it."""
    begin, end = settle(base, first), settle(base, last)
    if begin and end and last.half and not (first.half or first.is_24):
        same = settle(base, first._replace(half=last.half))
        begin = same if same and same.at < end.at else settle(base, first._replace(half="a"))
    if begin is None or end is None or (end.at <= begin.at and not last.half and end.at.hour >= _NOON):  # 15 to noon
        return None
    is_later = not (last.half or last.is_24) and end.at <= begin.at
    return begin._replace(until=end.at.replace(hour=end.at.hour + _NOON) if is_later else end.at)


def _measure(_: Base, amount: float, unit: str) -> Length | None:
    if unit in ("minutes", "hours"):
        return Length(relativedelta(), amount * (60 if unit == "hours" else 1))
    if amount != int(amount):
        return Length(relativedelta(), amount * 24 * 60) if unit == "days" else None
    name, times = {"quarters": ("months", 3), "fortnights": ("weeks", 2)}.get(unit, (unit, 1))
    return Length(relativedelta(**{name: times * int(amount)}))  # type: ignore[arg-type]


def _find_moment(base: Base, length: Length) -> datetime | None:
    """Return the moment that lies so much ahead; None if that is a matter of days."""
    return base.now + length.days + timedelta(minutes=length.minutes) if length.minutes and base.now else None


_LEAD, _NEAR = "at|by|from|until|till|around|about|before|after", "[about|around]"
_TO = "to|-|until|till|untill|through"

TIME_ROWS: dict[str, tuple[Row, ...]] = {
    "WRITTEN": (
        Row("noon|midday", lambda _: Written(12, is_24=True)),
        Row("midnight", lambda _: Written(0, is_24=True)),
        Row("CLOCK [HALF]", _write_clock),
        Row("HOUR HALF; HOUR o'clock|oclock [HALF]", lambda _, hour, half: _write(hour, 0, half)),
        Row("MINUTES past|after ANYHOUR", _shift),
        Row("MINUTES to|before ANYHOUR", lambda base, minutes, written: _shift(base, -minutes, written)),
        Row("half WORDNUMBER", lambda _, hour: _write(hour, 30), Level.CLEAR),
    ),
    "HOUR": (Row("NUMBER|WORDNUMBER", lambda _, hour: hour if hour < 24 else None),),
    "ANYHOUR": (Row("WRITTEN", lambda _, written: written), Row("HOUR", lambda _, hour: _write(hour), Level.CLEAR)),
    "MINUTES": (
        Row("half", lambda _: 30),
        Row("[a] quarter", lambda _: 15),
        Row(
            "NUMBER|WORDNUMBER|TENS minutes|min; WORDNUMBER|TENS", lambda _, minutes: minutes if minutes < 60 else None
        ),
    ),
    "TIME": (
        Row(f"[{_LEAD}] {_NEAR} WRITTEN", settle),
        Row(f"{_LEAD} {_NEAR} HOUR", lambda base, hour: settle(base, _write(hour)), Level.CLEAR),
        Row("HOUR in the PART", lambda base, hour, _: settle(base, _write(hour))),
        Row("HOUR", lambda base, hour: settle(base, _write(hour)) if base.part else None, Level.ALONE),
    ),
    "RANGE": (
        Row(f"[from] ANYHOUR {_TO} WRITTEN", _settle_range),
        Row(f"[from] WRITTEN {_TO} ANYHOUR; between ANYHOUR and ANYHOUR", _settle_range, Level.CLEAR),
        Row(f"from ANYHOUR {_TO} ANYHOUR", _settle_range, Level.CLEAR),
    ),
    "PARTOFDAY": (Row("[in] [the|this|at] [early|late] PART", lambda _, part: part),),
    "AMOUNT": (
        Row("NUMBER|WORDNUMBER|TENS", lambda _, number: number),
        Row("a|an", lambda _: 1),
        Row("[a] couple|pair [of]", lambda _: 2),
        Row("[a] few", lambda _: _FEW),
        Row("DECIMAL", lambda _, figures: float(figures.text.replace(",", "."))),
    ),
    "LENGTH": (
        Row("AMOUNT [more] UNIT", _measure),
        Row("AMOUNT UNIT and a half; AMOUNT and a|an half UNIT", lambda _, n, unit: _measure(_, n + 0.5, unit)),
        Row("half a|an UNIT", lambda base, unit: _measure(base, 0.5, unit)),
    ),
    "LENGTHS": (
        Row("LENGTH", lambda _, length: length),
        Row("LENGTH [and] LENGTHS", lambda _, one, more: Length(one.days + more.days, one.minutes + more.minutes)),
    ),
    "MOMENT": (
        Row(f"[today] in {_NEAR} LENGTHS; {_NEAR} LENGTHS from [right] now", _find_moment),
        Row(f"LENGTHS later; after|within {_NEAR} LENGTHS", _find_moment, Level.ALONE),
        Row("[right|just] now", lambda base: base.now, Level.ALONE),
    ),
}
