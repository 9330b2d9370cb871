"""Moving an item on: the occurrence that was done, and the dates of the next one."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta, tzinfo
from itertools import islice

from ana.time.dates import day_of
from ana.time.repeats.occurring import (
    MOST,
    Occurrence,
    find_bounds,
    find_next_after,
    iter_occurrences,
    iter_ruled,
    make_occurrence,
    to_local,
    write_date,
)
from ana.time.repeats.repeat import ALSO, RULE_KEYS, DateKey, Repeat, read_local, read_repeat
from ana.time.repeats.rules import NO_RULE, YEARS_AHEAD, iter_moments, settle
from ana.time.travel import DATE_KEYS
from ana.values import Json

_FAR = timedelta(days=366 * YEARS_AHEAD)
_BACK = timedelta(days=366)


def find_done_occurrence(repeat: Repeat, now: datetime) -> Occurrence | None:
    """Return the occurrence that a person means if they say now that the item is done.

    It is today's if there is one a day, else the latest that has begun, else the next. None if it was already done,
    that is if the next one is farther away than the one done last.
    """
    local = to_local(repeat, now)
    end = local if len(repeat.rule.times) > 1 else datetime.combine(local, time.max)
    since = max(repeat.begin, local - _BACK) if repeat.begin < local else repeat.begin
    begun = [*iter_occurrences(repeat, min([since, *repeat.moved.values()]), end)]
    if begun:
        return begun[-1]
    coming = find_next_after(repeat, now)
    if coming is None or repeat.done_for is None:
        return coming
    is_nearer = local - repeat.done_for > to_local(repeat, coming.start) - local
    return coming if is_nearer else None


def find_on(repeat: Repeat, day: date) -> Occurrence | None:
    """Return the first occurrence on a day, or at a moment; None if there is none, or it is past."""
    begin, end = find_bounds(repeat, day, day)
    return next((each for each in iter_occurrences(repeat, begin, end) if to_local(repeat, each.start) >= begin), None)


def find_passed_over(old: Mapping[str, Json], new: Mapping[str, Json], zone: tzinfo) -> list[Occurrence]:
    """Return the waiting occurrences before the one that was done that nobody marked as done, at most MOST.

    Args:
        old: The item's properties before it was done.
        new: The item's properties afterwards.
    """
    done_for = new.get("done_for")
    if not day_of(done_for) or done_for == old.get("done_for") or _has_same_dates(old, new):
        return []
    repeat = read_repeat({**old, **{key: new[key] for key in ("except", "moved") if key in new}}, zone)
    if repeat is None or repeat.from_done or not repeat.waits:
        return []
    last = max([read_local(str(done_for), zone), *repeat.moved.values()])
    waited = [*islice(iter_occurrences(repeat, min([repeat.begin, *repeat.moved.values()]), last), MOST)]
    done = next((each for each in waited if each.dates[repeat.keys[0].name] == done_for), None)
    return [each for each in waited if each.at < done.at] if done else []


def count_remaining(repeat: Repeat) -> int | None:
    """Return the number of remaining occurrences, including the next one, at most MOST; None if the series has no
    end.
    """
    if repeat.from_done or (repeat.end is None and repeat.rule is not NO_RULE):
        return None
    last = max([*filter(None, [repeat.end]), *repeat.also[-1:], repeat.first])
    return sum(1 for _ in islice(iter_occurrences(repeat, repeat.begin, last), MOST))


def list_missed(repeat: Repeat, now: datetime) -> list[Occurrence]:
    """Return the occurrences that are over and wait to be marked as done, at most MOST, in order."""
    local = to_local(repeat, now)
    begun = iter_occurrences(repeat, min([repeat.begin, *repeat.moved.values()]), local) if repeat.waits else ()
    return [each for each in islice(begun, MOST) if each.until <= local]


def _has_same_dates(old: Mapping[str, Json], new: Mapping[str, Json]) -> bool:
    """Return whether an item kept its dates and stayed open."""
    return old.get("status") == new.get("status") and all(old.get(key) == new.get(key) for key in (*DATE_KEYS, ALSO))


def advance(
    repeat: Repeat, past: datetime, done_on: date | None = None, *, is_skipped: bool = False
) -> dict[str, Json] | None:
    """Return the properties that make the next occurrence the item's; None if the series has ended.

    Args:
        repeat: The repetition.
        past: The rule's moment of the past occurrence, in local time.
        done_on: The day on which it was done, from which a rule with `repeat_from: done` counts.
        is_skipped: Whether it was left out and not done; then dates that were added before it still count.
    """
    at, rest = _find_next(repeat, past, done_on), [each for each in repeat.also if each > past or is_skipped]
    is_over = at is None
    if at is None:  # the next of the dates beside the rule, if there is one, is the item's own from now on
        at = next((each for each in rest if each > past and not repeat.is_exception(each)), None)
        if at is None:
            return None
        rest.remove(at)
    changed: dict[str, Json] = {key.name: _write_stored(repeat, key, at) for key in repeat.keys}
    if len(rest) < len(repeat.also):
        changed[ALSO] = [_write_stored(repeat, repeat.keys[0], each) for each in rest] or None
    if is_over and repeat.rule is not NO_RULE:
        return changed | dict.fromkeys((*RULE_KEYS, "until"))
    return changed if repeat.from_done else changed | _settle_source(repeat)


def _write_stored(repeat: Repeat, key: DateKey, at: datetime) -> str:
    """Return a date of the occurrence at a moment, in the form of the item's property."""
    if key.form == "local":
        # by the clock on the wall: a moment that the clock skips on this day must not move those that follow
        return write_date(at + key.distance, key.form)
    return make_occurrence(repeat, at, at).dates[key.name]


def _settle_source(repeat: Repeat) -> dict[str, Json]:
    """Return the properties that state the parts that a rule took from its first date, if the rule does not state them
    itself.
    """
    (name, written), rule = repeat.source, repeat.rule
    if rule is NO_RULE or (name == "repeats" and written == rule.text):
        return {}
    changed: dict[str, Json] = {"repeats": rule.text} | ({"recurrence": None} if name == "recurrence" else {})
    return changed | ({"until": write_until(repeat.end, is_day=repeat.is_day)} if rule.until and repeat.end else {})


def write_until(end: datetime, *, is_day: bool) -> str:
    """Return the last moment of a series in the form of properties: a day if the whole day counts."""
    return str(end.date()) if is_day or end.time() == time.max else end.isoformat(timespec="minutes")


def _find_next(repeat: Repeat, past: datetime, done_on: date | None) -> datetime | None:
    if repeat.from_done:
        begin = datetime.combine(done_on or past, repeat.first.time())
        moments = iter_moments(settle(repeat.rule, begin), begin, begin, begin + _FAR)
        at = next((each for each in moments if each > begin), None)
        return at if at and (repeat.end is None or at <= repeat.end) else None
    alone = replace(repeat, also=())
    return next((at for at in iter_ruled(alone, past, past + _FAR) if at > past), None)
