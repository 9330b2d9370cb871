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


class Written(NamedTuple):
    """A time of day as written: its hour may be by the 12-hour clock, with the half of the day, a or p."""

    hour: int
    minute: int = 0
    half: str | None = None
    is_24: bool = False


class Times(NamedTuple):
    """A time of day, or a range; whether it was assumed to be after noon, whether it ends its day, and its side."""

    at: time
    until: time | None = None
    is_guessed: bool = False
    ends_day: bool = False
    bound: str = ""


def _write(_: Base, hour: int, half: str | None = None, minute: int = 0) -> Written | None:
    is_one = hour < 24 and minute < 60 and not (half and not 0 < hour <= _NOON)
    return Written(hour, minute, half) if is_one else None


def _write_words(base: Base, hour: int, minute: int, more: int | None, half: str) -> Written | None:
    return _write(base, hour, half, minute + (more or 0))


def settle(base: Base, written: Written) -> Times:
    """Return the time in a phrase, with or without a part of the day."""
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


def _settle_on_side(base: Base, bound: str | None, written: Written) -> Times:
    return settle(base, written)._replace(bound=bound or "")


def _write_figures(base: Base, figures: Figures, half: str | None = None) -> Written | None:
    """Read 8:15, 18h and 8.15. The 24-hour clock is assumed for 08:15, 18h and 6:40."""
    text, (hour, minute) = figures.text, (*figures.numbers, 0)[:2]
    written = None if text[-2:-1] == "." or "," in text else _write(base, hour, half, minute)
    is_24 = text[0] == "0" or "h" in text or (hour == 6 and ":" in text)
    return written and written._replace(is_24=is_24)


def _shift(base: Base, minutes: int, written: Written) -> Written:
    """Return a number of minutes past a time, or before it: ten to one is before one in the same half of the day."""
    if minutes < 0:
        at = settle(base, written).at
        written = Written(at.hour, at.minute, is_24=True)
    hour, minute = divmod(written.hour * 60 + written.minute + minutes, 60)
    return written._replace(hour=hour % 24, minute=minute)


def _settle_range(base: Base, first: Written, last: Written) -> Times | None:
    """Return a range of times; am or pm beside the last time applies to the first too, if that makes it earlier than
    the last.
    """
    begin, end = settle(base, first), settle(base, last)
    if last.half and not (first.half or first.is_24 or first.hour > _NOON):
        same = settle(base, first._replace(half=last.half))
        begin = same if same.at < end.at else settle(base, first._replace(half="a"))
    if end.at <= begin.at and not last.half and end.at.hour >= _NOON:  # 15 to noon
        return None
    is_later = not (last.half or last.is_24) and end.at <= begin.at
    return begin._replace(until=end.at.replace(hour=end.at.hour + _NOON) if is_later else end.at)


_ONE = {
    "minutes": Length(relativedelta(), 1),
    "hours": Length(relativedelta(), 60),
    "days": Length(relativedelta(days=1)),
    "weeks": Length(relativedelta(weeks=1)),
    "fortnights": Length(relativedelta(weeks=2)),
    "months": Length(relativedelta(months=1)),
    "quarters": Length(relativedelta(months=3)),
    "years": Length(relativedelta(years=1)),
}


def _measure(_: Base, amount: float, unit: str) -> Length | None:
    days, minutes = _ONE[unit]
    return Length(days * int(amount), minutes * amount) if minutes or amount == int(amount) else None


def _find_moment(base: Base, length: Length) -> datetime | None:
    """Return the first full minute at least this far ahead; None if the distance is in days."""
    if not length.minutes or base.now is None:
        return None
    moment = base.now + length.days + timedelta(minutes=length.minutes)
    # cut to its minute it would be earlier than said, and its reminder perhaps over before it is kept
    begun = timedelta(seconds=moment.second, microseconds=moment.microsecond)
    return moment - begun + timedelta(minutes=1) if begun else moment


_LEAD, _NEAR, _TO = (
    "at|from|around|about|SIDE",
    "[about|around]",
    "to|-|until|till|untill|through",
)
_N = "NUMBER|WORDNUMBER"

TIME_ROWS: dict[str, tuple[Row, ...]] = {
    "WRITTEN": (
        Row("noon|midday|lunchtime; mid day", lambda _: Written(12, is_24=True)),
        Row("midnight", lambda _: Written(0, is_24=True)),
        Row("CLOCK [HALF]; DECIMAL HALF", _write_figures),
        Row(f"{_N} HALF; {_N} o'clock|oclock [HALF]", _write),
        Row("WORDNUMBER WORDNUMBER [-] [WORDNUMBER] HALF", _write_words),
        Row("MINUTES past|after ANYHOUR; NUMBER past ANYHOUR", _shift),
        Row("MINUTES to|before ANYHOUR", lambda base, minutes, written: _shift(base, -minutes, written)),
        Row("half WORDNUMBER", lambda base, hour: _write(base, hour, None, 30), Level.CLEAR),
    ),
    "HOUR": (Row(_N, _write),),
    "ANYHOUR": (Row("WRITTEN", lambda _, written: written), Row("HOUR", lambda _, written: written, Level.CLEAR)),
    "MINUTES": (
        Row("half", lambda _: 30),
        Row("[a] quarter", lambda _: 15),
        Row(f"{_N} minutes|min; WORDNUMBER", lambda _, minutes: minutes if minutes < 60 else None),
    ),
    "TIME": (
        Row(f"[{_LEAD}] {_NEAR} WRITTEN", _settle_on_side),
        Row(f"{_LEAD} {_NEAR} HOUR", _settle_on_side, Level.CLEAR),
        Row("at DOTTED", settle, Level.CLEAR),
        Row("HOUR|DOTTED", settle, Level.FAINT),
    ),
    "DOTTED": (Row("DECIMAL", _write_figures),),
    "RANGE": (
        Row(f"{_NEAR} [from] ANYHOUR {_TO} WRITTEN", _settle_range),
        Row(f"{_NEAR} [from] WRITTEN {_TO} ANYHOUR; between ANYHOUR and ANYHOUR", _settle_range, Level.CLEAR),
        Row(f"from ANYHOUR {_TO} ANYHOUR", _settle_range, Level.CLEAR),
        Row(f"ANYHOUR {_TO} ANYHOUR", _settle_range, Level.FAINT),
    ),
    "PARTOFDAY": (Row("[in] [the|this|at] [early|late] PART", lambda _, part: part),),
    "AMOUNT": (
        Row(_N, lambda _, number: number),
        Row("a|an", lambda _: 1),
        Row("[a] couple|pair [of]", lambda _: 2),
        Row("[a] few", lambda _: 3),
        Row("DECIMAL", lambda _, figures: float(figures.text.replace(",", "."))),
    ),
    "LENGTH": (
        Row("AMOUNT [more] UNIT", _measure),
        Row("HOURS", lambda _, hours: Length(relativedelta(), 60 * hours)),
        Row("AMOUNT UNIT and a half; AMOUNT and a|an half UNIT", lambda base, n, unit: _measure(base, n + 0.5, unit)),
        Row("half a|an UNIT", lambda base, unit: _measure(base, 0.5, unit)),
    ),
    "ONEUNIT": (Row("UNIT", lambda base, unit: _measure(base, 1, unit)),),
    "LENGTHS": (
        Row("LENGTH", lambda _, length: length),
        Row("LENGTH [and] LENGTHS", lambda _, one, more: Length(one.days + more.days, one.minutes + more.minutes)),
    ),
    "MOMENT": (
        Row(f"[today] in {_NEAR} LENGTHS; {_NEAR} LENGTHS from [right] now", _find_moment),
        Row(f"LENGTHS later; after|within {_NEAR} LENGTHS", _find_moment, Level.ALONE),
        Row("[right|just] now; at the moment", lambda base: base.now, Level.ALONE),
    ),
}
