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
    """A time of day as written: its hour may be by the 12-hour clock, with the half of the day, a or p."""

    hour: int
    minute: int = 0
    half: str | None = None
    is_24: bool = False


class Times(NamedTuple):
    """A time of day, or a range; whether it was assumed to be after noon, and whether it ends its day."""

    at: time
    until: time | None = None
    is_guessed: bool = False
    ends_day: bool = False


def write(hour: int, minute: int = 0, half: str | None = None, *, is_24: bool = False) -> Written | None:
    """Return a time of day as written; None if it is not one."""
    is_one = hour < 24 and minute < 60 and not (half and not 0 < hour <= _NOON)
    return Written(hour, minute, half, is_24) if is_one else None


def settle(base: Base, written: Written | None) -> Times | None:
    """Return the time in a phrase, with or without a part of the day."""
    if written is None:
        return None
    hour, minute, half, is_24 = written
    if half:
        return Times(time(hour % _NOON + (_NOON if half == "p" else 0), minute))
    if is_24 or hour > _NOON:
        return Times(time(hour, minute))
    if base.part in ("evening", "night") and hour % _NOON == 0:
        return Times(time(0, minute), ends_day=True)
    if base.part == "night" and hour < 6:  # after the midnight that ends the day
        return Times(time(hour, minute), ends_day=True)
    if base.part in ("afternoon", "evening", "night"):
        return Times(time(hour % _NOON + _NOON, minute))
    is_guessed = 1 <= hour <= 6 and base.part != "morning"
    return Times(time(hour + _NOON if is_guessed else hour, minute), is_guessed=is_guessed)


def _settle_hour(base: Base, hour: int) -> Times | None:
    return settle(base, write(hour))


def _write_clock(_: Base, figures: Figures, half: str | None = None) -> Written | None:
    hour, minute = (*figures.numbers, 0)[:2]
    return write(hour, minute, half, is_24=hour == 6 or figures.text.startswith("0") or "h" in figures.text)


def _write_decimal(_: Base, figures: Figures, half: str | None = None) -> Written | None:
    is_clock = figures.text[-3:-2] == "."
    hour, minute = figures.numbers
    return write(hour, minute, half, is_24=figures.text.startswith("0")) if is_clock else None


def _shift(base: Base, minutes: int, written: Written) -> Written:
    """Return a number of minutes past a time, or before it: ten to one is before one in the same half of the day."""
    if minutes < 0 and (at := settle(base, written)):
        written = Written(at.at.hour, at.at.minute, is_24=True)
    hour, minute = divmod(written.hour * 60 + written.minute + minutes, 60)
    return written._replace(hour=hour % 24, minute=minute)


def _shift_back(base: Base, minutes: int, written: Written) -> Written:
    return _shift(base, -minutes, written)


def _settle_range(base: Base, first: Written, last: Written) -> Times | None:
    """Return a range of times; am or pm beside the last time applies to the first too, if that makes it earlier than
    the last.
    """
    begin, end = settle(base, first), settle(base, last)
    if begin and end and last.half and not (first.half or first.is_24):
        same = settle(base, first._replace(half=last.half))
        begin = same if same and same.at < end.at else settle(base, first._replace(half="a"))
    if begin is None or end is None or (end.at <= begin.at and not last.half and end.at.hour >= _NOON):  # 15 to noon
        return None
    is_later = not (last.half or last.is_24) and end.at <= begin.at
    return begin._replace(until=end.at.replace(hour=end.at.hour + _NOON) if is_later else end.at)


def _settle_length(base: Base, first: Written, length: Length) -> Times | None:
    begin = settle(base, first)
    if begin is None or not 0 < length.minutes < 24 * 60:
        return None
    return begin._replace(until=(datetime.combine(base.today, begin.at) + timedelta(minutes=length.minutes)).time())


def _measure(_: Base, amount: float, unit: str) -> Length | None:
    if unit in ("minutes", "hours"):
        return Length(relativedelta(), amount * (60 if unit == "hours" else 1))
    if amount != int(amount):
        return Length(relativedelta(), amount * 24 * 60) if unit == "days" else None
    count = int(amount)
    return Length(relativedelta(months=3 * count) if unit == "quarters" else relativedelta(**{unit: count}))  # type: ignore[arg-type]


def _find_moment(base: Base, length: Length) -> datetime | None:
    """Return the first full minute at least this far ahead; None if the distance is in days."""
    if not length.minutes or base.now is None:
        return None
    moment = base.now + length.days + timedelta(minutes=length.minutes)
    # cut to its minute it would be earlier than said, and its reminder perhaps over before it is kept
    begun = timedelta(seconds=moment.second, microseconds=moment.microsecond)
    return moment - begun + timedelta(minutes=1) if begun else moment


_LEAD, _NEAR = "at|by|from|until|till|around|about|before|after", "[about|around]"
_TO = "to|-|until|till|untill|through"

TIME_ROWS: dict[str, tuple[Row, ...]] = {
    "WRITTEN": (
        Row("noon|midday|lunchtime; mid day", lambda _: Written(12, is_24=True)),
        Row("midnight", lambda _: Written(0, is_24=True)),
        Row("CLOCK [HALF]; CLOCK in the HALF", _write_clock),
        Row("HOUR [in] [the] HALF; HOUR o'clock|oclock [HALF]", lambda _, hour, half: write(hour, 0, half)),
        Row("HOURMINUTE HALF", lambda _, pair, half: write(pair[0], pair[1], half)),
        Row("WORDNUMBER MINUTE HALF", lambda _, hour, minute, half: write(hour, minute, half)),
        Row("DECIMAL HALF", _write_decimal),
        Row("MINUTES past|after ANYHOUR", _shift),
        Row("MINUTES to|before ANYHOUR", _shift_back),
        Row("NUMBER past|after ANYHOUR", _shift, Level.ALONE),
        Row("NUMBER to|before WRITTEN", _shift_back, Level.ALONE),
        Row("half WORDNUMBER", lambda _, hour: write(hour, 30), Level.CLEAR),
    ),
    "ANYHOUR": (Row("WRITTEN", lambda _, written: written), Row("HOUR", lambda _, hour: write(hour), Level.CLEAR)),
    "HOUR": (Row("NUMBER|WORDNUMBER", lambda _, hour: hour if hour < 24 else None),),
    "MINUTE": (
        Row("NUMBER|WORDNUMBER|TENS", lambda _, minutes: minutes if minutes < 60 else None),
        Row("TENS [-] WORDNUMBER", lambda _, tens, more: tens + more if more < 10 else None),
    ),
    "MINUTES": (
        Row("half", lambda _: 30),
        Row("[a] quarter", lambda _: 15),
        Row("MINUTE minutes|min; WORDNUMBER|TENS", lambda _, minutes: minutes),
    ),
    "TIME": (
        Row(f"[{_LEAD}] {_NEAR} WRITTEN", settle),
        Row(f"{_LEAD} {_NEAR} HOUR; {_LEAD} HOURS", _settle_hour, Level.CLEAR),
        Row("HOUR", _settle_hour, Level.FAINT),
        Row("at HOURMINUTE", lambda base, pair: settle(base, write(*pair)), Level.ALONE),
        Row("at HOUR MINUTE", lambda base, hour, minute: settle(base, write(hour, minute)), Level.ALONE),
        Row("at DECIMAL", lambda base, figures: settle(base, _write_decimal(base, figures)), Level.CLEAR),
        Row("DECIMAL", lambda base, figures: settle(base, _write_decimal(base, figures)), Level.FAINT),
    ),
    "RANGE": (
        Row(f"{_NEAR} [from] ANYHOUR {_TO} WRITTEN", _settle_range),
        Row(f"{_NEAR} [from] WRITTEN {_TO} ANYHOUR; between ANYHOUR and ANYHOUR", _settle_range, Level.CLEAR),
        Row(f"from ANYHOUR {_TO} ANYHOUR", _settle_range, Level.CLEAR),
        Row(f"ANYHOUR {_TO} ANYHOUR", _settle_range, Level.FAINT),
        Row("[from] ANYHOUR for LENGTHS", _settle_length, Level.ALONE),
    ),
    "PARTOFDAY": (
        Row("[in] [the|this|at] [early|late] PART; [in] [the] early|late [hours] in|of the PART", lambda _, part: part),
    ),
    "AMOUNT": (
        Row("NUMBER|WORDNUMBER|TENS", lambda _, number: number),
        Row("a|an", lambda _: 1),
        Row("[a] couple|pair [of]", lambda _: 2),
        Row("[a] few", lambda _: _FEW),
        Row("DECIMAL", lambda _, figures: float(figures.text.replace(",", "."))),
    ),
    "LENGTH": (
        Row("AMOUNT [more] UNIT", _measure),
        Row("HOURS", lambda _, hours: Length(relativedelta(), 60 * hours)),
        Row("AMOUNT UNIT and a half; AMOUNT and a|an half UNIT", lambda _, n, unit: _measure(_, n + 0.5, unit)),
        Row("half a|an UNIT", lambda base, unit: _measure(base, 0.5, unit)),
        Row("[a] quarter of an UNIT", lambda base, unit: _measure(base, 0.25, unit)),
        Row("three [-] quarters of an UNIT", lambda base, unit: _measure(base, 0.75, unit)),
        Row("a fortnight", lambda base: _measure(base, 2, "weeks")),
    ),
    "ONEUNIT": (Row("UNIT", lambda base, unit: _measure(base, 1, unit)),),
    "LENGTHS": (
        Row("LENGTH", lambda _, length: length),
        Row("LENGTH [and] LENGTHS", lambda _, one, more: Length(one.days + more.days, one.minutes + more.minutes)),
    ),
    "MOMENT": (
        Row(f"[today] in {_NEAR} LENGTHS; {_NEAR} LENGTHS from [right] now", _find_moment),
        Row(f"LENGTHS later|out; after|within {_NEAR} LENGTHS", _find_moment, Level.ALONE),
        Row("[right|just] now; at the moment", lambda base: base.now, Level.ALONE),
    ),
}
