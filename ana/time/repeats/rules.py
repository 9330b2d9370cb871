"""A rule of repetition in the form of RRULE, and the moments that it names in local time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from heapq import merge
from itertools import groupby, islice, product
from typing import cast

from dateutil.relativedelta import relativedelta
from dateutil.rrule import rrule, rrulestr

UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
PARITIES = {name: ",".join(map(str, range(first, 54, 2))) for name, first in (("odd", 1), ("even", 2))}
"""Not every second week: after a year of 53 weeks, two odd ones follow each other."""

MOST_TIMES = 24
"""How often a day something may repeat."""

LONGEST = 1_000
"""Characters of a rule."""

YEARS_AHEAD = 12
"""How far an occurrence is looked for: a 29 February that is left out where there is none comes within eight years."""

_BOUNDS = {
    "INTERVAL": (1, 1000),
    "BYMONTH": (1, 12),
    "BYMONTHDAY": (-31, 31),
    "BYYEARDAY": (-366, 366),
    "BYWEEKNO": (-53, 53),
    "BYSETPOS": (-366, 366),
    "BYHOUR": (0, 23),
    "BYMINUTE": (0, 59),
    "BYSECOND": (0, 0),
    "COUNT": (1, 10_000),
}
_SINGLE = ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST")
_TIMES = ("BYHOUR", "BYMINUTE")
PINS = ("BYMONTH", "BYMONTHDAY", "BYDAY", "BYYEARDAY", "BYWEEKNO")
_DAY = re.compile(rf"([+-]?\d{{1,2}})?({'|'.join(DAYS)})")
_UNTIL = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d)(?::?(\d\d))?(Z?))?")
_LAST_DAY = date(9900, 1, 1)
_LATEST = 9599
_CENTURY = timedelta(days=36525)


@dataclass(frozen=True)
class Rule:
    """A rule.

    Args:
        parts: Its parts by name, but for its end.
        until: Its last moment, in local time.
        count: The number of occurrences, if that ends it.
    """

    parts: tuple[tuple[str, str], ...]
    until: datetime | None = None
    count: int = 0

    def __getitem__(self, name: str) -> str:
        return dict(self.parts).get(name, "")

    def has(self, *names: str) -> bool:
        """Return whether it has one of these parts."""
        return any(map(self.__getitem__, names))

    def list_numbers(self, name: str) -> list[int]:
        """Return the numbers of a part."""
        return [int(value) for value in self[name].split(",") if value]

    @property
    def interval(self) -> int:
        return int(self["INTERVAL"] or 1)

    @property
    def times(self) -> list[time]:
        """Return the times of a day, in order; none if the rule keeps the time of the first date."""
        hours, minutes = map(self.list_numbers, _TIMES)
        return [time(hour, minute) for hour, minute in sorted(product(hours, minutes))]

    @property
    def text(self) -> str:
        """Return it as RRULE, without its end."""
        return ";".join(f"{name}={value}" for name, value in self.parts)

    def pin(self, **parts: str) -> "Rule":
        """Return the rule with more parts."""
        return replace(self, parts=(*self.parts, *parts.items()))

    def drop(self, name: str) -> "Rule":
        """Return it without a part."""
        return replace(self, parts=tuple(part for part in self.parts if part[0] != name))


NO_RULE = Rule(())
"""Names no moment."""


def parse_rule(text: str, zone: tzinfo) -> Rule:
    """Read an RRULE.

    Args:
        text: The line of a calendar file, or its value alone.
        zone: The person's zone, for an end in UTC.

    Raises:
        ValueError: It is not a rule, repeats more than 24 times a day, or has a part or a value that no rule has.
    """
    parts: dict[str, str] = {}
    if len(text) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} characters")
    for part in filter(None, re.sub(r"\s+|^RRULE:", "", text.upper()).split(";")):
        name, _, value = part.partition("=")
        if name in parts:
            raise ValueError(f"{name} stands in it twice")
        parts[name] = _check_part(name, value)
    if parts.get("FREQ") not in UNITS:
        raise ValueError(f"FREQ is one of {', '.join(UNITS)}")
    if ("BYMINUTE" in parts and "BYHOUR" not in parts) or ("BYSETPOS" in parts and "BYHOUR" in parts):
        raise ValueError("BYMINUTE needs BYHOUR, and BYSETPOS goes with neither")
    until, count = parts.pop("UNTIL", None), int(parts.pop("COUNT", 0))
    parts.pop("BYSECOND", None)
    rule = Rule(tuple(parts.items()), _read_until(until, zone) if until else None, count)
    if len(rule.list_numbers("BYHOUR")) * max(len(rule.list_numbers("BYMINUTE")), 1) > MOST_TIMES:
        raise ValueError(f"it repeats more than {MOST_TIMES} times a day")
    if parts["FREQ"] in ("DAILY", "WEEKLY") and re.search(r"\d", parts.get("BYDAY", "")):
        raise ValueError("only a month or a year has a first or a last weekday")
    return rule


def _check_part(name: str, value: str) -> str:
    values = value.split(",")
    if len(values) > 1 and name in _SINGLE:
        raise ValueError(f"{name} has one value")
    for each in values:
        if name in _BOUNDS:
            low, high = _BOUNDS[name]
            if not re.fullmatch(r"[+-]?\d{1,6}", each) or not low <= int(each) <= high or (low < 0 and int(each) == 0):
                raise ValueError(f"{name} is not {each!r}")
        elif name == "BYDAY":
            if not (match := _DAY.fullmatch(each)) or not -53 <= int(match[1] or 1) <= 53 or match[1] in ("0", "00"):
                raise ValueError(f"BYDAY is not {each!r}")
        elif name not in ("FREQ", "UNTIL", "WKST") or (name == "WKST" and each not in DAYS):
            raise ValueError(f"{name or 'nothing'}={each} is no part of a rule")
    return ",".join(dict.fromkeys(each.removeprefix("+") for each in values))


def _read_until(text: str, zone: tzinfo) -> datetime:
    """Return a rule's last moment in local time. Raises ValueError if it is not valid."""
    match = _UNTIL.fullmatch(text)
    if match is None:
        raise ValueError(f"UNTIL is not {text!r}")
    *numbers, utc = match.groups()
    if numbers[3] is None:
        return datetime.combine(date(*map(int, numbers[:3])), time.max)
    year, month, day, hour, minute, second = (int(number or 0) for number in numbers)
    moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC if utc else zone)
    return moment.astimezone(zone).replace(tzinfo=None)


def settle(rule: Rule, first: datetime) -> Rule:
    """Return a rule that states everything that it took from its first date, so that it can go on from any other date.

    Args:
        rule: The rule as written: a monthly rule takes its day from the first date, and a count begins with that date.
        first: The first date in local time.
    """
    freq = rule["FREQ"]
    if freq == "WEEKLY" and not rule.has("BYDAY"):
        rule = rule.pin(BYDAY=DAYS[first.weekday()])
    if freq == "YEARLY" and not rule.has(*PINS):
        rule = rule.pin(BYMONTH=str(first.month))
    if freq in ("MONTHLY", "YEARLY") and not rule.has(*PINS[1:]):
        rule = rule.pin(BYMONTHDAY=str(first.day))
    if rule.has("BYHOUR") and not rule.has("BYMINUTE"):
        rule = rule.pin(BYMINUTE=str(first.minute))
    if not rule.count:
        return rule
    *_, last = islice(iter_moments(rule, first, first, first + _CENTURY), rule.count)
    return replace(rule, until=last, count=0)


def iter_moments(rule: Rule, first: datetime, since: datetime, last: datetime) -> Iterator[datetime]:
    """Yield the moments of a rule, in local time and in order, beginning with the first date, which always counts.

    Args:
        since: Moments before this are left out.
        last: Moments after this are left out.
    """
    if since <= first <= last:
        yield first
    yield from (moment for moment in iter_matching(rule, first, since, last) if moment != first)


def iter_matching(rule: Rule, first: datetime, since: datetime, last: datetime) -> Iterator[datetime]:
    """Yield the moments that a rule names from its first date on, which is one of them only if the rule names it."""
    if not rule.parts:
        return
    last = min(last, rule.until) if rule.until else last
    times, since = rule.times or [first.time()], max(since, first)
    for day in _iter_days(rule, first.date(), since.date(), last.date()):
        yield from (at for each in times if since <= (at := datetime.combine(day, each)) <= last)


def is_named(rule: Rule, moment: datetime) -> bool:
    """Return whether a rule names a moment of local time, in one of its periods."""
    once = rule.drop("INTERVAL")
    return next(iter_matching(once, moment, moment, moment), None) is not None


def _iter_days(rule: Rule, first: date, since: date, last: date) -> Iterator[date]:
    anchor = _find_anchor(rule, first, since)
    # dateutil looks for an occurrence up to the year 9999, which takes seconds where there is none; the calendar is the
    # same after 400 years, so it begins as late as it can
    ahead = max(_LATEST - anchor.year, 0) // 400 * 400
    last = min(last, _LAST_DAY.replace(year=_LAST_DAY.year - ahead))
    begin, end = (datetime.combine(day.replace(year=day.year + ahead), time()) for day in (anchor, last))
    # not as UNTIL, which takes twice as long to be read as all else
    days = (cast(rrule, rrulestr(text, dtstart=begin)).replace(until=end) for text in _list_texts(rule))
    yield from (day.date().replace(year=day.year - ahead) for day, _ in groupby(merge(*days)))


def _list_texts(rule: Rule) -> list[str]:
    """Return a rule without times as rules of which each takes one day of a month: the last one, if it has less."""
    parts = {name: value for name, value in rule.parts if name not in _TIMES}
    days = rule.list_numbers("BYMONTHDAY")
    is_whole = rule["FREQ"] in ("MONTHLY", "YEARLY") and not rule.has("BYDAY", "BYSETPOS", "BYYEARDAY", "BYWEEKNO")
    if not is_whole or max(days, default=0) <= 28:
        return [_join(parts)]
    # BYSETPOS counts within a period, so a year's months are rules of their own
    months = rule.list_numbers("BYMONTH") or range(1, 13)
    every = [{"BYMONTH": str(month)} for month in months] if rule["FREQ"] == "YEARLY" else [{}]
    texts = []
    for day, month in product(days, every):
        until_there = {"BYMONTHDAY": ",".join(map(str, range(28, day + 1))), "BYSETPOS": "-1"}
        texts.append(_join(parts | month | (until_there if day > 28 else {"BYMONTHDAY": str(day)})))
    return texts


def _join(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _find_anchor(rule: Rule, first: date, since: date) -> date:
    """Return the beginning of a period that counts, at or shortly before a day, so that no period has to be skipped."""
    freq, interval = rule["FREQ"], rule.interval
    if freq == "YEARLY":
        return date(first.year + (since.year - first.year) // interval * interval, 1, 1)
    if freq == "MONTHLY":
        months = (since.year - first.year) * 12 + since.month - first.month
        return first.replace(day=1) + relativedelta(months=months // interval * interval)
    step = interval * (7 if freq == "WEEKLY" else 1)
    starts = DAYS.index(rule["WKST"] or "MO")
    begin = first - timedelta((first.weekday() - starts) % 7) if freq == "WEEKLY" else first
    return begin + timedelta((since - begin).days // step * step)
