"""A repetition, described by an item's properties."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Literal

from ana.recent import keep_recent
from ana.time.dates import day_of
from ana.time.repeats.rules import DAYS, NO_RULE, Rule, parse_rule, settle
from ana.time.repeats.words import read_words
from ana.time.taking_place import takes_place
from ana.time.travel import DATE_KEYS, find_own_zone
from ana.values import Json

RULE_KEYS = ("repeats", "recurrence")
"""The property that has a rule, and what older items call it."""

ALSO = "also"
"""The property that has dates beside those of a rule, or all but the first where there is no rule."""

REPEATING = (*RULE_KEYS, ALSO)
"""The properties of which an item that repeats has one."""

MOST_ALSO = 1000
"""How many dates `also` has at most: each is worked out and searched like a date of its own."""

TO_DO = ("task", "todo", "to-do", "chore", "reminder")
"""The types of what has to be done: what repeats of them waits."""

_DAY = len("2026-01-13")

Form = Literal["day", "local", "zoned"]


@dataclass(frozen=True)
class DateKey:
    """One of the dates that move on together.

    Args:
        name: Its property.
        distance: Its distance from the first date, by local time.
        form: A day, a moment in the zone of the series, or one that names its zone.
    """

    name: str
    distance: timedelta
    form: Form


@dataclass(frozen=True)
class Repeat:
    """A repetition. Moments are in the local time of its zone; a day is its midnight.

    Args:
        source: The property that has its rule, and the property's value.
        rule: The rule, completed from the first date unless it counts from when it was done; NO_RULE for single dates.
        first: The next occurrence, from the item's dates.
        keys: The item's dates, the one that the rule counts from first.
        zone: The zone in which its times are meant: the one that the item names, else the person's.
        here: The person's zone, in which its occurrences are shown.
        end: The last moment of the rule that counts; None without an end.
        also: Further moments, in order. They count after the rule's end, too.
        exceptions: Days and moments that do not count.
        moved: The new moments of moved occurrences, by the moment or the day that the rule gives.
        from_done: Whether the next one counts from the day on which it was done.
        waits: Whether it stays until it is done; else it passes by itself.
        done_for: The last occurrence that was done; None if none was.
    """

    source: tuple[str, str]
    rule: Rule
    first: datetime
    keys: tuple[DateKey, ...]
    zone: tzinfo
    here: tzinfo
    end: datetime | None
    also: tuple[datetime, ...]
    exceptions: frozenset[date]
    moved: Mapping[date, datetime]
    from_done: bool
    waits: bool
    done_for: datetime | None

    @property
    def is_day(self) -> bool:
        """Return whether an occurrence is a day, without a time."""
        return self.keys[0].form == "day"

    @property
    def begin(self) -> datetime:
        """Return the first moment of all: an additional one may come before the rule's next one."""
        return min((self.first, *self.also[:1]))

    def is_exception(self, at: datetime) -> bool:
        """Return whether a moment is left out. If a day is left out, moments added on it at another time still
        count.
        """
        return at in self.exceptions or (
            at.date() in self.exceptions and at.time() in (*self.rule.times, self.first.time())
        )

    def list_also(self, since: datetime, last: datetime) -> tuple[datetime, ...]:
        """Return the moments that were added from one to another, both included."""
        rest = self.also[bisect_left(self.also, since) :]
        return rest[: bisect_left(rest, last + timedelta.resolution)] if last < datetime.max else rest


def read_repeat(properties: Mapping[str, Json], zone: tzinfo, own_zone: str = "") -> Repeat | None:
    """Return the repetition; None if there is none, or neither rule nor dates can be read.

    Args:
        properties: An item's properties. `recurrence`, which older items have, is read if there is no `repeats`.
        zone: The person's zone.
        own_zone: The zone that the item keeps (see ana.time.travel); empty if it keeps none.
    """
    source = "repeats" if "repeats" in properties else "recurrence"
    written, from_done = properties.get(source), properties.get("repeat_from") == "done"
    keys = [key for key in DATE_KEYS if day_of(properties.get(key))]
    if not (isinstance(written, str) or properties.get(ALSO)) or not keys or keys == ["end_date"]:
        return None
    texts = {key: str(properties[key]) for key in keys}
    here, zone = zone, find_own_zone(properties, own_zone, repeats=True) or zone
    moments = {key: read_local(text, zone) for key, text in texts.items()}
    first = moments[keys[0]]
    rule = _read_rule(written, first, zone, is_settled=not from_done) if isinstance(written, str) else NO_RULE
    also = _read_also(properties.get(ALSO), rule.times or [first.time()], zone, is_day=len(texts[keys[0]]) == _DAY)
    if rule is NO_RULE and not also:
        return None
    if source == "recurrence":  # a rule in repeats is refused when it is written
        rule = _drop_overlapping(rule, (moments.get("end_date", first) - first).days)
    ends = [_read_end(properties.get("until"), zone), rule.until]
    moved = properties.get("moved")
    return Repeat(
        source=(source, written if isinstance(written, str) else ""),
        rule=rule,
        first=first,
        keys=tuple(
            DateKey(key, moments[key] - first, _find_form(texts[key]))
            for key in keys
            if key != "end_date" or "start_date" in keys or "date" in keys
        ),
        zone=zone,
        here=here,
        end=min((end for end in ends if end), default=None),
        also=also,
        exceptions=frozenset(_iter_exceptions(properties.get("except"), zone)),
        moved=dict(_iter_moved(moved, {*rule.times, first.time()}, zone)) if isinstance(moved, dict) else {},
        from_done=from_done,
        waits=waits(properties),
        done_for=_read_done(properties.get("done_for"), zone),
    )


def may_repeat(properties: Mapping[str, Json]) -> bool:
    """Return whether an item has a property for a rule, readable or not."""
    return any(key in properties for key in REPEATING)


def waits(properties: Mapping[str, Json]) -> bool:
    """Return whether a repeated item stays until it is done, like a task; else it passes by itself, like a birthday.

    `missed` decides. Without it, an item that counts from the day it was done waits, an item that takes place passes,
    and any other item waits if it is a task or has a status.
    """
    missed, kind = properties.get("missed"), str(properties.get("type") or "").lower()
    if missed in ("waits", "passes"):
        return missed == "waits"
    if properties.get("repeat_from") == "done" or kind in TO_DO:
        return True
    return not takes_place(properties) and isinstance(properties.get("status"), str)


def read_local(text: str, zone: tzinfo) -> datetime:
    """Return a date or a moment from a property in local time; a day is its midnight."""
    moment = datetime.fromisoformat(text)
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def _find_form(text: str) -> Form:
    if len(text) == _DAY:
        return "day"
    return "zoned" if datetime.fromisoformat(text).tzinfo else "local"


@keep_recent(4096)
def _read_rule(text: str, first: datetime, zone: tzinfo, *, is_settled: bool) -> Rule:
    try:
        words = read_words(text, first.date())
        rule = parse_rule(words.rule if words else text, zone)
        return settle(rule, first) if is_settled else rule
    except (ValueError, OverflowError):
        return NO_RULE


def _drop_overlapping(rule: Rule, days: int) -> Rule:
    """Return a rule without the weekdays on which it still lasts: a weekend of two days begins on Saturday."""
    named = rule["BYDAY"].split(",") if rule["FREQ"] == "WEEKLY" and rule.has("BYDAY") else []
    back = range(1, min(days, 6) + 1)
    rest = [name for name in named if not any(DAYS[DAYS.index(name) - n] in named for n in back)]
    return rule.drop("BYDAY").pin(BYDAY=",".join(rest)) if rest and rest != named else rule


def _read_end(value: Json, zone: tzinfo) -> datetime | None:
    """Return the last moment that counts; a last day counts as a whole."""
    if not day_of(value):
        return None
    text = str(value)
    moment = read_local(text, zone)
    return datetime.combine(moment, time.max) if _find_form(text) == "day" else moment


def _read_done(value: Json, zone: tzinfo) -> datetime | None:
    return read_local(str(value), zone) if day_of(value) else None


def _read_also(value: Json, times: Sequence[time], zone: tzinfo, *, is_day: bool) -> tuple[datetime, ...]:
    """Return the moments that were added, in order; an added day gets the times of the rule, but no times if the item
    has only days.
    """
    moments = set[datetime]()
    for each in value[:MOST_ALSO] if isinstance(value, list) else [value]:
        if day_of(each):
            at = read_day_or_moment(str(each), zone)
            if isinstance(at, datetime) and not is_day:
                moments.add(at)
            else:
                moments |= {datetime.combine(at, each) for each in times}
    return tuple(sorted(moments))


def _iter_exceptions(value: Json, zone: tzinfo) -> Iterator[date]:
    for each in value if isinstance(value, list) else [value]:
        if day_of(each):
            yield read_day_or_moment(str(each), zone)


def read_day_or_moment(text: str, zone: tzinfo) -> date:
    """Return a date as such, and a moment in local time."""
    moment = read_local(text, zone)
    return moment.date() if _find_form(text) == "day" else moment


def _iter_moved(moved: Mapping[str, Json], times: set[time], zone: tzinfo) -> Iterator[tuple[date, datetime]]:
    """Yield the old and the new moment of each move; if a day is moved to a day, those of each of its times."""
    for key, value in moved.items():
        if day_of(key) and day_of(value):
            at, to = read_day_or_moment(key, zone), read_local(str(value), zone)
            if _find_form(str(value)) != "day":
                yield at, to
            elif isinstance(at, datetime):
                yield at, datetime.combine(to, at.time())
            elif len(times) == 1:
                yield at, datetime.combine(to, min(times))
            else:
                yield from ((datetime.combine(at, each), datetime.combine(to, each)) for each in times)
