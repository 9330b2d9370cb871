"""Receipts of writes, in the form that people see and traces record."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from itertools import zip_longest
from typing import Any, TypeAlias

from ana.memory.changes import Change
from ana.memory.few_words import (
    LONGEST_VALUE,
    describe_property,
    name_property,
    show_step,
    show_value,
    tell_more,
    word_values,
)
from ana.memory.item import Item, to_json
from ana.memory.search.property_text import describe_unsearched
from ana.memory.single_dates import SINGLE, read_moves
from ana.memory.sources import describe_claim
from ana.memory.views import localize, tell_own_time
from ana.output import quote, shorten
from ana.time.dates import day_of, read_moment, write_moment
from ana.time.repeats import ALSO, DATE_KEYS, count_remaining, find_passed_over, read_repeat
from ana.translation import _
from ana.values import Json, Properties, list_others, plain

Receipt: TypeAlias = Mapping[str, Any]
"""The record of one write as people are shown it: {op, kind, id, before, after}."""

SIGNS = {"create": "+", "update": "~", "delete": "-"}

CONTENT = 80
"""Characters that are shown of a record's content."""

LED_IN = 40
"""Characters that are shown before the place where a line changed."""

_ON_THE_WALL = (*DATE_KEYS, "done_for")

MOST_PROPERTIES = 8
"""Properties that are named of one record."""


def make_receipt(change: Change, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return a write in the form for people: op, kind, id, and the record before and after, with its moments in a
    zone.
    """
    records = change.before, change.after
    local = (each and (localize(each, zone) if zone else replace(each, zone="")) for each in records)
    before, after = (each and plain(to_json(each)) for each in local)
    return {"op": change.op, "kind": change.kind, "id": change.id, "before": before, "after": after}


def combine_receipts(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Return one receipt for each record, from before its first change to after its last; none for a record that is
    unchanged in the end.

    The receipt of a repeated item also has `passed_over`, the number of dates that no change marked, and `marked`, the
    dates that several changes marked. The receipt of a record with the same title as another one has `alike`.
    """
    groups: dict[tuple[str, str], list[Receipt]] = {}
    for receipt in receipts:
        groups.setdefault((receipt["kind"], str(receipt["id"])), []).append(receipt)
    joined = map(_join, groups.values())
    changed = [each for each in joined if _strip(each["before"]) != _strip(each["after"])]
    titles = [find_title((each["after"] or each["before"])["content"]) for each in changed]
    alike = {title for title, count in Counter(titles).items() if count > 1}
    return [{**each, "alike": True} if title in alike else each for each, title in zip(changed, titles, strict=True)]


def _join(receipts: Sequence[Receipt]) -> Receipt:
    """Return one receipt in place of those of one record, in their order."""
    before, after = receipts[0]["before"], receipts[-1]["after"]
    op = "create" if before is None else "delete" if after is None else "update"
    joined = {**receipts[-1], "op": op, "before": before, "after": after}
    if (passed := sum(map(_count_passed_over, receipts))) or len(receipts) > 1:
        joined["passed_over"] = passed
    if marked := [day for each in receipts for day in _list_marked(each)]:
        joined["marked"] = marked
    return joined


def describe_change(receipt: Receipt) -> str:
    """Return a receipt in the words for people: + “Buy milk” (task, due Fri 27 Nov)."""
    about = f"{name_verbs()['line', receipt['op']].lower()}: " if receipt["kind"] == "line" else ""
    return f"{SIGNS[receipt['op']]} {about}{_describe_record(receipt)}"


def word_change(receipt: Receipt) -> str:
    """Return a receipt with words for signs, which would make a list in Markdown: Stored: “Buy milk” (task)."""
    return f"{name_verbs()[receipt['kind'], receipt['op']]}: {_describe_record(receipt)}"


def name_verbs() -> dict[tuple[str, str], str]:
    """Return the words of a receipt for each kind of record and of write."""
    return {
        ("item", "create"): _("Stored"),
        ("item", "update"): _("Changed"),
        ("item", "delete"): _("Deleted"),
        ("line", "create"): _("Learned"),
        ("line", "update"): _("Now known"),
        ("line", "delete"): _("Forgotten"),
    }


def tells_no_changes(receipt: str | None) -> bool:
    """Whether a receipt says that nothing was written, even in the words of an earlier version."""
    return bool(receipt) and not str(receipt).startswith("- ")


def describe_difference(before: Item | None, now: Item | None) -> str:
    """Describe how a record differs after another change: “Buy milk” is now “Buy oat milk”, or (done)."""
    if before and now and quote_record(before) == quote_record(now):
        parts = list_parts({"op": "update", "before": plain(to_json(before)), "after": plain(to_json(now))})
        return _("{record} was changed ({parts})").format(record=quote_record(now), parts=", ".join(parts))
    if before and now:
        return _("{record} is now {other}").format(record=quote_record(before), other=quote_record(now))
    gone, back = _("{record} is no longer there"), _("{record} is there again")
    return (gone if before else back).format(record=quote_record(before or now))


def quote_record(record: Item | None) -> str:
    """Return a record in a few words, in quotes; the word for "none" if it does not exist."""
    return quote(record.content, 60) if record else _("nothing")


def _describe_record(receipt: Receipt) -> str:
    record = receipt["after"] or receipt["before"]
    unsearched = describe_unsearched(record["content"], record.get("properties", {})) if receipt["after"] else ""
    parts = list_parts(receipt)
    more = [tell_more(len(parts) - MOST_PROPERTIES)] if len(parts) > MOST_PROPERTIES else []
    details = f" ({', '.join([*parts[:MOST_PROPERTIES], *more])})" if parts else ""
    titles = dict.fromkeys(quote_title(each["content"]) for each in (receipt["before"], receipt["after"]) if each)
    return f"{' -> '.join(titles)}{details}{unsearched and f'. {unsearched[:-1]}'}"


def find_title(content: str) -> str:
    """Return the name of a record: the first line of its content, shortened."""
    return shorten(next(filter(str.strip, content.splitlines()), ""), CONTENT)


def quote_title(content: str) -> str:
    """Return the same in quotes."""
    return quote(find_title(content))


def list_parts(receipt: Receipt) -> list[str]:
    """Return a receipt's words about properties: all of a new or deleted record, the changes of another one."""
    before, after = receipt["before"] or {}, receipt["after"] or {}
    old, new = map(word_values, _read_properties(receipt))
    year = int(str((after or before).get("updated_at") or "0")[:4])
    if receipt["op"] != "update":
        own_times = _tell_own_times(after or before, new or old)
        known = {name: value for name, value in (new or old).items() if name != "zone" or not own_times}
        return [*(describe_property(name, value, year) for name, value in known.items()), *own_times]
    parts = [*_describe_edit(before["content"], after["content"]), *_tell_date(receipt, year)]
    parts += (moved_on := [*_describe_done(receipt, year)])
    parts += _describe_values(old, new, year, moved_on=bool(moved_on))
    for key in (key for key in old if key not in new):
        if key not in SINGLE:
            parts.append(_("no {name}").format(name=name_property(key).strip() or key))
        elif not moved_on:
            parts += _describe_days(key, old[key], [], year)[1]
    parts += _tell_own_times(after, {key: value for key, value in new.items() if old.get(key) != value})
    return parts or describe_claim(before, after)


def _describe_values(old: Properties, new: Properties, year: int, *, moved_on: bool) -> Iterator[str]:
    """Yield the change of each value, without dates that were told already because a repeated item moved on."""
    for name, value in new.items():
        if moved_on and name in (*DATE_KEYS, "done_for"):
            continue
        if name not in old or old[name] is None:
            yield describe_property(name, value, year)
        elif old[name] != value and name in SINGLE:
            came, again = _describe_days(name, old[name], value, year)
            yield from came if moved_on else came + again
        elif old[name] != value:
            yield name_property(name) + _describe_step(old[name], value, year)


def _tell_own_times(record: Mapping[str, Any], properties: Properties) -> list[str]:
    """Return the time of a record's first date among properties by the clock of the zone that the record keeps."""
    date = next((properties[key] for key in DATE_KEYS if day_of(properties.get(key))), None)
    return [*filter(None, [tell_own_time(record.get("zone", ""), date)])]


def _tell_date(receipt: Receipt, year: int) -> list[str]:
    """Return the date of a record with the same title as another one, if the date did not change."""
    old, new = _read_properties(receipt)
    key = next((key for key, value in new.items() if day_of(value) and old.get(key) == value), None)
    return [describe_property(key, new[key], year)] if key and receipt.get("alike") else []


def _describe_done(receipt: Receipt, year: int) -> Iterator[str]:
    """Yield the date for which a repeated item was done, the number of dates passed over, and the next date."""
    old, new = _read_properties(receipt)
    if new.get("done_for") != old.get("done_for") and day_of(new.get("done_for")):
        yield _("done for {day}").format(day=show_value(receipt.get("marked") or new["done_for"], year))
        if passed := _count_passed_over(receipt):
            yield _("{n} before it not marked").format(n=passed)
        key = next((key for key in DATE_KEYS if old.get(key) != new.get(key)), None)
        if key:
            yield _("next {day}").format(day=show_value(new[key], year))
            repeat = read_repeat(new, UTC)
            if repeat and (remaining := count_remaining(repeat)) is not None:
                yield _("{n} left").format(n=remaining)


def _read_properties(receipt: Receipt) -> tuple[Properties, Properties]:
    """Return the properties before and after a write; none where the record does not exist."""
    before, after = receipt["before"] or {}, receipt["after"] or {}
    return before.get("properties", {}), after.get("properties", {})


def _list_marked(receipt: Receipt) -> list[Json]:
    """Return the date of a repeated item that a write marked as done."""
    old, new = _read_properties(receipt)
    return [new["done_for"]] if old and day_of(new.get("done_for")) and new["done_for"] != old.get("done_for") else []


def _count_passed_over(receipt: Receipt) -> int:
    """Return the number of unmarked dates before the one that was done, by local time without a zone."""
    if "passed_over" in receipt:
        return int(receipt["passed_over"])
    if not (receipt["before"] and receipt["after"]):
        return 0
    sides = _read_properties(receipt)
    old, new = ({**each, **{key: _drop_zone(each.get(key)) for key in _ON_THE_WALL}} for each in sides)
    return len(find_passed_over(old, new, UTC))


def _drop_zone(value: Json) -> Json:
    moment = read_moment(value)
    return write_moment(moment.replace(tzinfo=None)) if moment else value


def _describe_edit(old: str, new: str) -> Iterator[str]:
    """Yield the change of a text below its title: the added part, or the first line that differs."""
    if old.strip() and new.startswith(old) and (added := new.removeprefix(old).strip()):
        yield f"+ {quote(added, LONGEST_VALUE)}"
    elif find_title(old) == find_title(new):
        lines = zip_longest(old.splitlines(), new.splitlines(), fillvalue="")
        if first := next((pair for pair in lines if pair[0] != pair[1]), None):
            yield " -> ".join(_cut_to_difference(*first))


def _cut_to_difference(old: str, new: str) -> tuple[str, ...]:
    """Return two lines in quotes, from a few words before the place where they differ, shortened."""
    same = next(at for at, (was, now) in enumerate(zip_longest(old, new)) if was != now)
    start = old.rfind(" ", 0, max(0, same - LED_IN)) + 1
    return tuple(quote(f"{'…' if start else ''}{each[start:]}", CONTENT + 1) for each in (old, new))


def _describe_step(old: Json, new: Json, year: int) -> str:
    """Return the change of a value: for a list the added and removed entries, else the old and the new value."""
    if isinstance(old, list) and isinstance(new, list):
        signs = (("+", list_others(new, old)), ("-", list_others(old, new)))
        if steps := [f"{sign} {', '.join(show_value(each, year) for each in part)}" for sign, part in signs if part]:
            return ", ".join(steps)
    return show_step(old, new, year)


def _describe_days(name: str, old: Json, new: Json, year: int) -> tuple[list[str], list[str]]:
    """Return the dates of a repeated item that are newly left out, added or moved, and those that no longer are."""
    before, now = read_moves(old), read_moves(new)
    added = {day: to for day, to in now.items() if day not in before or before[day] != to}
    again: list[Json] = [day for day in before if day not in now]
    form = _("without {days}") if name == ALSO else _("again {days}")
    days = show_value(added if name == "moved" else [*added], year)
    return (
        [name_property(name) + days] if added else [],
        [form.format(days=show_value(again, year))] if again else [],
    )


def _strip(record: Mapping[str, Any] | None) -> Any:
    return record and (record["content"], record.get("properties", {}))
