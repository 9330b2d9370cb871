"""Receipts of writes and reasons of finds, as people see them and traces record them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, tzinfo
from itertools import accumulate, islice, zip_longest
from typing import Any, TypeAlias

from ana.language import WORDINGS, Language, guess_language, spell_day
from ana.memory.changes import Change
from ana.memory.item import Item, localize, to_json
from ana.memory.search.found import Reason
from ana.memory.search.property_text import describe_unsearched
from ana.output import escape_controls, shorten
from ana.time.dates import day_of
from ana.time.repeats import DATE_KEYS, RULE_KEYS, find_passed_over, word_rule
from ana.values import Json, Properties, list_others, plain

Receipt: TypeAlias = Mapping[str, Any]
"""The record of one write as people are shown it: {op, kind, id, before, after}."""

SIGNS = {"create": "+", "update": "~", "delete": "-"}

LONGEST_VALUE = 100
"""Characters of a value that is shown; of a longer one its length is told, for half a value would read as all of it."""

CONTENT = 80
"""Characters that are shown of a record's content."""

LED_IN = 40
"""Characters that are shown before the place where a line changed."""

_ON_THE_WALL = (*DATE_KEYS, "done_for")

MOST_PROPERTIES = 8
"""Properties that are named of one record."""


def reason_to_json(reason: Reason) -> dict[str, Any]:
    """Return why an item was found, without the reasons that do not apply."""
    return {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in asdict(reason).items()
        if value or (name == "vector" and value is not None)
    }


def make_receipt(change: Change, zone: tzinfo | None = None) -> dict[str, Any]:
    """Return a write as people are shown it: op, kind, id, and the record before and after, its moments in a zone."""
    shown = (each and (localize(each, zone) if zone else each) for each in (change.before, change.after))
    before, after = (each and plain(to_json(each)) for each in shown)
    return {"op": change.op, "kind": change.kind, "id": change.id, "before": before, "after": after}


def combine_receipts(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Return one receipt for each record, from before the first to after the last; none for one that is as it was.

    That of what repeats has `passed_over` too, the dates that no change marked: of several changes each marks one.
    That of a record which is called as another one has `alike`.
    """
    spans: dict[tuple[str, str], Receipt] = {}
    for receipt in receipts:
        key = receipt["kind"], str(receipt["id"])
        before = spans[key]["before"] if key in spans else receipt["before"]
        after = receipt["after"]
        op = "create" if before is None else "delete" if after is None else "update"
        passed = (spans[key].get("passed_over", 0) if key in spans else 0) + _count_passed_over(receipt)
        told = {"passed_over": passed} if passed or key in spans else {}
        spans[key] = {**receipt, "op": op, "before": before, "after": after, **told}
    changed = [each for each in spans.values() if _strip(each["before"]) != _strip(each["after"])]
    called = Counter(find_title((each["after"] or each["before"])["content"]) for each in changed)
    alike = {title: {"alike": True} for title, count in called.items() if count > 1}
    return [{**each, **alike.get(find_title((each["after"] or each["before"])["content"]), {})} for each in changed]


def describe_change(receipt: Receipt, language: Language = "en") -> str:
    """Return a receipt as people read it: + Buy milk (task, due Fri 27 Nov)."""
    about = f"{_word_line(receipt, language).lower()}: " if receipt["kind"] == "line" else ""
    return f"{SIGNS[receipt['op']]} {about}{_describe_record(receipt, language)}"


def word_change(receipt: Receipt, language: Language = "en") -> str:
    """Return a receipt without signs, which Markdown would take for a list's: Stored: Buy milk (task)."""
    wording = WORDINGS[language]
    verbs = {"create": wording.stored, "update": wording.changed, "delete": wording.deleted}
    verb = _word_line(receipt, language) if receipt["kind"] == "line" else verbs[receipt["op"]]
    return f"{verb}: {_describe_record(receipt, language)}"


def list_changes(changes: Sequence[Receipt], receipt: str | None, said: str = "") -> list[str]:
    """Return what a turn wrote, a line for each record, and what it did not, in the language of what was said.

    `receipt` is what stands under its answer.
    """
    language = guess_language(said)
    written = [describe_change(each, language) for each in combine_receipts(changes)]
    lines, wording = [line.removeprefix("- ") for line in (receipt or "").splitlines()], WORDINGS[language]
    verbs = (f"{each}: " for each in (wording.existing, wording.failed, wording.declined))
    others = (wording.outside, wording.silent, *verbs)
    return written + [line for line in lines if not written or line.startswith(others)]


def describe_difference(before: Item | None, now: Item | None) -> str:
    """Return how a record that something else has changed differs: “Buy milk” is now “Buy oat milk”, or (done)."""
    if before and now and quote_record(before) == quote_record(now):
        parts = list_parts({"op": "update", "before": plain(to_json(before)), "after": plain(to_json(now))}, "en")
        return f"{quote_record(now)} was changed ({', '.join(parts)})"
    if before and now:
        return f"{quote_record(before)} is now {quote_record(now)}"
    return f"{quote_record(before)} is no longer there" if before else f"{quote_record(now)} is there again"


def quote_record(record: Item | None) -> str:
    """Return a record in a few words, in quotes; the word for none where there is none."""
    return f"“{shorten(record.content, 60)}”" if record else "nothing"


def describe_property(name: str, value: Json, year: int | None = None, language: Language = "en") -> str:
    """Return a property in a few words: a type or a status without its name, a rule as it is spoken."""
    value = _word_rules({name: value})[name]
    return f"{_name_property(name, language)}{show_value(value, year, language)}"


def show_value(value: Json, year: int | None = None, language: Language = "en") -> str:
    """Return a value in a few words, whole or not at all: a date as Fri 27 Nov 15:00, a list with commas.

    Days are shown without this year. Of a long list the first entries are shown, and how many more there are.
    """
    if day := day_of(value):
        time = str(value)[11:16]
        return " ".join(filter(None, (spell_day(day, year, language), time)))
    if isinstance(value, dict) and value and all(day_of(day) for pair in value.items() for day in pair):
        shown = ", ".join(_show_step(*step, year, language) for step in value.items())
    elif isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return _show_list([show_value(each, year, language) for each in value], language)
    else:
        shown = " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape_controls(shown) if len(shown) <= LONGEST_VALUE else f"[{len(shown):,}]"


def _show_list(entries: Sequence[str], language: Language) -> str:
    ends = accumulate(len(entry) + len(", ") for entry in entries)
    fitting = max(sum(end <= LONGEST_VALUE + len(", ") for end in ends), 1)
    more = [WORDINGS[language].more.format(n=len(entries) - fitting)] if len(entries) > fitting else []
    return " ".join([", ".join(entries[:fitting]), *more]) or "[]"


def _word_rules(properties: Properties) -> Properties:
    return {k: word_rule(v) if k in RULE_KEYS and isinstance(v, str) else v for k, v in properties.items()}


def _name_property(name: str, language: Language) -> str:
    if name in ("type", "status"):
        return ""
    own = {"due_date": WORDINGS[language].due, "except": WORDINGS[language].left_out}
    return f"{own.get(name) or name.replace('_', ' ')} "


def _word_line(receipt: Receipt, language: Language) -> str:
    wording = WORDINGS[language]
    return {"create": wording.learned, "update": wording.known, "delete": wording.forgotten}[receipt["op"]]


def _describe_record(receipt: Receipt, language: Language) -> str:
    record = receipt["after"] or receipt["before"]
    unsearched = describe_unsearched(record["content"], record["properties"]) if receipt["after"] else ""
    parts = list_parts(receipt, language)
    more = [WORDINGS[language].more.format(n=len(parts) - MOST_PROPERTIES)] if len(parts) > MOST_PROPERTIES else []
    told = f" ({', '.join([*parts[:MOST_PROPERTIES], *more])})" if parts else ""
    titles = dict.fromkeys(find_title(each["content"]) for each in (receipt["before"], receipt["after"]) if each)
    return f"{' -> '.join(titles)}{told}{unsearched and f'. {unsearched[:-1]}'}"


def find_title(content: str) -> str:
    """Return the first line of a content, shortened: what a record is called."""
    return shorten(next(filter(str.strip, content.splitlines()), ""), CONTENT)


def list_parts(receipt: Receipt, language: Language) -> list[str]:
    """Return what a receipt says of the properties: those of a new or deleted record, or what became of them."""
    before, after = receipt["before"] or {}, receipt["after"] or {}
    old, new = (_word_rules(each.get("properties", {})) for each in (before, after))
    year = int(str((after or before).get("updated_at") or "0")[:4])
    if receipt["op"] != "update":
        return [describe_property(name, value, year, language) for name, value in (new or old).items()]
    parts = [*_describe_edit(before["content"], after["content"])]
    parts += _tell_date(receipt, year, language)
    parts += (moved_on := [*_describe_done(receipt, year, language)])
    for name, value in new.items():
        if moved_on and name in (*DATE_KEYS, "done_for"):
            continue
        if name not in old or old[name] is None:
            parts.append(describe_property(name, value, year, language))
        elif old[name] != value and name in ("except", "moved"):
            came, again = _describe_days(name, old[name], value, year, language)
            parts += came if moved_on else came + again
        elif old[name] != value:
            parts.append(_name_property(name, language) + _describe_step(old[name], value, year, language))
    for key in (key for key in old if key not in new):
        if key not in ("except", "moved"):
            parts.append(f"{WORDINGS[language].without} {_name_property(key, language) or key}".strip())
        elif not moved_on:
            parts += _describe_days(key, old[key], [], year, language)[1]
    return parts


def _tell_date(receipt: Receipt, year: int, language: Language) -> Iterator[str]:
    """Yield the date of a record that is called as another one, if it is as it was."""
    old, new = receipt["before"]["properties"], receipt["after"]["properties"]
    kept = ((key, value) for key, value in new.items() if day_of(value) and old.get(key) == value)
    for key, value in islice(kept, 1 if receipt.get("alike") else 0):
        yield describe_property(key, value, year, language)


def _describe_done(receipt: Receipt, year: int, language: Language) -> Iterator[str]:
    """Yield for which date what repeats was done, how many it passed over, and which is next."""
    old, new = receipt["before"]["properties"], receipt["after"]["properties"]
    if new.get("done_for") != old.get("done_for") and day_of(new.get("done_for")):
        yield f"{WORDINGS[language].done_for} {show_value(new['done_for'], year, language)}"
        if passed := _count_passed_over(receipt):
            yield WORDINGS[language].passed_over.format(n=passed)
        key = next((key for key in DATE_KEYS if old.get(key) != new.get(key)), None)
        if key:
            yield f"{WORDINGS[language].next} {show_value(new[key], year, language)}"


def _count_passed_over(receipt: Receipt) -> int:
    """Return how many dates before the one that was done were not marked, by the clock on the wall, in no zone."""
    if "passed_over" in receipt:
        return int(receipt["passed_over"])
    if not (receipt["before"] and receipt["after"]):
        return 0
    records = (receipt[when]["properties"] for when in ("before", "after"))
    old, new = ({**each, **{key: _drop_zone(each.get(key)) for key in _ON_THE_WALL}} for each in records)
    return len(find_passed_over(old, new, UTC))


def _drop_zone(value: Json) -> Json:
    if not day_of(value) or len(str(value)) == len("2026-01-13"):
        return value
    moment = datetime.fromisoformat(str(value)).replace(tzinfo=None)
    return moment.isoformat(timespec="auto" if moment.second or moment.microsecond else "minutes")


def _describe_edit(old: str, new: str) -> Iterator[str]:
    """Yield what became of a text below its title: what was added, or the first line that is another."""
    if old.strip() and new.startswith(old) and (added := new.removeprefix(old).strip()):
        yield f"+ “{shorten(added, LONGEST_VALUE)}”"
    elif find_title(old) == find_title(new):
        lines = zip_longest(old.splitlines(), new.splitlines(), fillvalue="")
        changed = (_cut_to_difference(line, other) for line, other in lines if line != other)
        yield from (f"“{line}” -> “{other}”" for line, other in islice(changed, 1))


def _cut_to_difference(old: str, new: str) -> tuple[str, ...]:
    """Return two lines from a few words before the place where they differ, shortened."""
    same = next(at for at, (was, now) in enumerate(zip_longest(old, new)) if was != now)
    start = old.rfind(" ", 0, max(0, same - LED_IN)) + 1
    return tuple(f"{'…' if start else ''}{shorten(each[start:], CONTENT)}" for each in (old, new))


def _describe_step(old: Json, new: Json, year: int, language: Language) -> str:
    """Return what became of a value: the entries that came and went of a list, else both."""
    if isinstance(old, list) and isinstance(new, list):
        signs = (("+", list_others(new, old)), ("-", list_others(old, new)))
        steps = [
            f"{sign} {', '.join(show_value(each, year, language) for each in found)}" for sign, found in signs if found
        ]
        if steps:
            return ", ".join(steps)
    return _show_step(old, new, year, language)


def _describe_days(name: str, old: Json, new: Json, year: int, language: Language) -> tuple[list[str], list[str]]:
    """Return which dates of what repeats came to those that are left out or moved, and which no longer are."""
    before, now = _read_days(old), _read_days(new)
    came = {day: to for day, to in now.items() if day not in before or before[day] != to}
    again: list[Json] = [day for day in before if day not in now]
    shown = show_value(came if name == "moved" else [*came], year, language)
    return (
        [_name_property(name, language) + shown] if came else [],
        [f"{WORDINGS[language].again} {show_value(again, year, language)}"] if again else [],
    )


def _read_days(value: Json) -> Properties:
    """Return the days that are left out, or moved, each with where to."""
    if isinstance(value, dict):
        return value
    return {str(day): None for day in (value if isinstance(value, list) else [value])}


def _show_step(old: Json, new: Json, year: int | None, language: Language) -> str:
    return f"{show_value(old, year, language)} -> {show_value(new, year, language)}"


def _strip(record: Mapping[str, Any] | None) -> Any:
    return record and (record["content"], record["properties"])
