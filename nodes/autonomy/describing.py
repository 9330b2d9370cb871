"""A batch that waits for a person, in words: what becomes of what, and all of it in one sentence."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta

from ana.errors import ToolError
from ana.language import Language, spell_day
from ana.memory.changes import Change
from ana.memory.item import Item, merge_properties, to_json
from ana.memory.operations import apply_to, read_operation
from ana.memory.receipts import find_title, list_parts, make_receipt
from ana.memory.repeating import merge_moved
from ana.time.dates import day_of
from ana.time.repeats import may_repeat
from nodes.autonomy.writes import Touched, Write
from tools.arguments import read_properties

_SENTENCES = {
    "create_item": "Stores {content}{parts}.",
    "append_context": "Learns about you: {content}.",
    "delete_item": "Deletes {before}.",
    "delete_context": "Forgets line {line}, {before}.",
    "replace_context": "Replaces line {line}, {before}, with {content}.",
    "update_item": "Changes {before}{parts}.",
}
_BATCHES = {
    "create_item": "stores {n} item{s}",
    "append_context": "learns {n} thing{s} about you",
    "delete_item": "deletes {n} item{s}",
    "delete_context": "forgets {n} line{s}",
    "replace_context": "rewrites {n} line{s}",
    "update_item": "changes {n} item{s}",
    "undo": "takes back what was done",
}


def describe(write: Write, today: date, language: Language) -> str:
    """Return what a write does, in words.

    Args:
        write: The write.
        today: Days of its year are shown without it.
        language: The language of the names of days and properties.
    """
    if write.name == "undo":
        undone = (_describe_undone(each, today, language) for each in write.touched)
        return " ".join(["Takes back what was done.", *undone])
    if write.name not in _SENTENCES:
        return f"Runs {write.name}, a tool of your own."
    before = _quote(write.touched[0].text) if write.touched else ""
    content, parts = _quote(str(write.args.get("content", ""))), _list_changes(write, today, language)
    return _SENTENCES[write.name].format(content=content, before=before, line=write.args.get("line"), parts=parts)


def describe_batch(writes: Sequence[Write], today: date, language: Language) -> str:
    """Return in one sentence what several writes do; nothing for a single one. Arguments as of `describe`."""
    if len(writes) < 2:
        return ""
    if days := _find_new_days(writes):
        return f"Moves {len(days)} items to {_name_days(days, today, language)}."
    names = [write.name for write in writes]
    counted = [_count(name, names.count(name)) for name in dict.fromkeys(names)]
    sentence = " and ".join(filter(None, (", ".join(counted[:-1]), counted[-1])))
    return f"{sentence[0].upper()}{sentence[1:]}."


def name_touched(write: Write) -> str | None:
    """Return the words of the record that a write changes or deletes; None where it makes one, or takes back a turn."""
    now = write.touched[0].now if write.touched and write.name != "undo" else None
    return now.content if now else None


def _count(name: str, n: int) -> str:
    known = _BATCHES.get(name, f"runs {name}{{times}}")
    return known.format(n=n, s="s" * (n > 1), times=f" {n} times" if n > 1 else "")


def _find_new_days(writes: Sequence[Write]) -> list[date]:
    """Return the days to which writes move the due dates of items; none if one of them does anything else."""
    days = [day_of(write.given.get("due_date")) for write in writes]
    moves = all(write.name == "update_item" and {*write.args} <= {"id", "properties"} for write in writes)
    alone = all({*write.given} == {"due_date"} and write.before.get("due_date") for write in writes)
    return [day for day in days if day] if moves and alone and all(days) else []


def _name_days(days: Sequence[date], today: date, language: Language) -> str:
    """Return days in a few words: the day, or the week they are in, or their span."""
    monday = today - timedelta(days=today.weekday())
    first, last = min(days), max(days)
    if first == last:
        return spell_day(first, today.year, language)
    for name, start in (("this week", monday), ("next week", monday + timedelta(days=7))):
        if start <= first and last < start + timedelta(days=7):
            return name
    return f"days from {spell_day(first, today.year, language)} to {spell_day(last, today.year, language)}"


def _list_changes(write: Write, today: date, language: Language) -> str:
    """Return what becomes of the properties and the text of an item, after a mark; nothing where nobody can say."""
    if write.name == "create_item":
        new = Item("", str(write.args.get("content", "")), dict(write.given), "", str(today))
        parts = list_parts(make_receipt(Change("item", "", None, new)), language)
        return f" ({', '.join(parts)})" if parts else ""
    with suppress(ToolError):  # what cannot be carried out changes nothing
        if write.name == "update_item" and (old := write.touched[0].now):
            return _describe_step(old, _foresee(write, old, today), today, language)
    return ""


def _foresee(write: Write, old: Item, today: date) -> Item:
    """Return an item as an update would leave it.

    Raises:
        ToolError: A property or an operation of it cannot be read or carried out.
    """
    given = {
        k: apply_to(old.properties.get(k), read_operation(k, v)) for k, v in read_properties(write.given, today).items()
    }
    content = write.args.get("content")
    text = old.content if content is None else str(apply_to(old.content, read_operation("content", content)))
    new = merge_properties(old.properties, given)
    return replace(old, content=text, properties=merge_moved(old.properties, new) if may_repeat(new) else new)


def _describe_step(old: Item, new: Item, today: date, language: Language) -> str:
    if to_json(old) == to_json(new):
        return ""
    change = Change("item", old.id, old, replace(new, updated_at=str(today)))
    titles = [f"“{find_title(each)}”" for each in (old.content, new.content)]
    renamed = [" -> ".join(titles)] if titles[0] != titles[1] else []
    return f": {', '.join([*renamed, *list_parts(make_receipt(change), language)])}"


def _describe_undone(touched: Touched, today: date, language: Language) -> str:
    if touched.now is None or touched.removed:
        back = touched.after.content if touched.after else touched.text
        return f"{'Deletes' if touched.removed else 'Brings back'} {_quote(back)}."
    step = _describe_step(touched.now, touched.after, today, language) if touched.after else ""
    return f"Changes back {_quote(touched.text)}{step}."


def _quote(text: str) -> str:
    """Return a text in quotes and in one line: each line of a description is ours, and stored text must not look so."""
    return f"“{' '.join(text.split())}”"
