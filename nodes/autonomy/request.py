"""The request that a person is shown, in words and in langchain's HITLRequest convention, and what it binds to."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from ana.errors import ToolError
from ana.language import Language, guess_language, spell_day
from ana.memory.changes import Change
from ana.memory.few_words import describe_property
from ana.memory.item import Item, merge_properties, to_json
from ana.memory.operations import apply_to, read_operation
from ana.memory.receipts import list_parts, make_receipt, quote_title
from ana.memory.repeating import merge_moved
from ana.output import quote
from ana.time.dates import day_of
from ana.time.repeats import may_repeat
from graph.state import Asked
from nodes.autonomy.weigh import Asking
from nodes.autonomy.writes import Touched, Write
from tools.arguments import read_properties
from tools.catalog import TOOLS

ABOUT = "about"
"""A shown argument that no call has: the words of the record that it changes, where its own arguments have an id."""

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

_CHOICES = ["approve", "edit", "reject"]


def make_request(askings: Sequence[Asking], said: str, today: date, note: str = "") -> Asked:
    """Return one request for all calls that ask.

    Args:
        askings: The calls, each with its reasons.
        said: The person's message: names of days are in its language.
        today: When they said it.
        note: Why it is asked again.
    """
    writes, language = [asking.write for asking in askings], guess_language(said)
    alike = Counter({each.id: each.text for write in writes for each in write.touched}.values())
    return Asked(
        request={
            "action_requests": [
                {"name": w.name, "args": _show_args(w), "description": _describe(w, today, language, alike)}
                for w in writes
            ],
            "review_configs": [
                {"action_name": name, "allowed_decisions": _CHOICES} for name in dict.fromkeys(w.name for w in writes)
            ],
        },
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[write.call for write in writes],
        digests={write.call: digest_write(write) for write in writes},
        note=note,
        summary=_describe_batch(writes, today, language),
        records=sorted({digest for write in writes for digest in digest_records(write)}),
    )


def show_request(asked: Asked) -> dict[str, Any]:
    """Return the request as people are shown it: what is said of all first, and each description with its reasons.

    A front end shows one action at a time, so the first one's description begins with what is said of all.
    """
    numbered = _number_reasons(asked)
    shared = [_tell_shared(words, numbers, len(asked["calls"])) for words, numbers in numbered.items()]
    summary = "\n".join(filter(None, (asked["note"], asked.get("summary"), *shared)))
    actions = []
    for number, action in enumerate(asked["request"]["action_requests"], start=1):
        own = [words for words, numbers in numbered.items() if numbers == [number]]
        lines = [summary if number == 1 else "", action["description"], *own]
        actions.append(action | {"description": "\n".join(filter(None, lines))})
    return asked["request"] | {"action_requests": actions} | ({"summary": summary} if summary else {})


def leave_out_about(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as a person edited them, without what was only shown.

    Args:
        name: The tool.
        args: What they left of the shown arguments.
    """
    return {key: value for key, value in args.items() if key != ABOUT or name not in TOOLS}


def _show_args(write: Write) -> dict[str, Any]:
    now = write.touched[0].now if write.touched and write.name != "undo" else None
    return ({ABOUT: now.content} if now else {}) | dict(write.args)


def _number_reasons(asked: Asked) -> dict[str, list[int]]:
    """Return each reason with the numbers of the actions that it is for."""
    numbered: dict[str, list[int]] = {}
    for number, call in enumerate(asked["calls"], start=1):
        for reason in asked.get("reasons", {}).get(call, ()):
            numbered.setdefault(reason["words"], []).append(number)
    return numbered


def _tell_shared(words: str, numbers: Sequence[int], actions: int) -> str:
    """Return a reason that several actions have, once; nothing for one of a single action."""
    if len(numbers) < 2:
        return ""
    return words if len(numbers) == actions else f"{', '.join(map(str, numbers))}: {words}"


def may_be_approved_unseen(asked: Asked | None) -> bool:
    """Whether a yes to everything that a turn asks covers a request: only the dial asks, and nothing has changed.

    Args:
        asked: The request; None if a tool of the person's own asks, of which nobody has weighed what ordered it.
    """
    if not asked or asked["note"]:
        return False
    reasons = asked.get("reasons", {})  # a request of an earlier version does not tell them
    return all(reasons.get(call) for call in asked["calls"]) and all(
        reason["kind"] == "dial" for each in reasons.values() for reason in each
    )


def digest_write(write: Write) -> str:
    """Return a fingerprint of a call and of the records it touches, as they are."""
    return _digest([write.name, dict(write.args), digest_records(write)])


def digest_records(write: Write) -> list[str]:
    """Return a fingerprint of each record that a write touches, as it is."""
    return [
        _digest([each.kind, each.id, each.now and to_json(each.now), each.removed and write.name == "undo"])
        for each in write.touched
    ]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


# ---- in words: each line is ours, and what is stored stands in quotes


def _describe(write: Write, today: date, language: Language, alike: Mapping[str, int]) -> str:
    """Return what a write does, in words; days of this year are shown without it.

    A record whose text others of the request have too is told with its date.
    """
    if write.name == "undo":
        alike = Counter(each.after.content for each in write.touched if each.after)
        undone = (_describe_undone(each, today, language, alike) for each in write.touched)
        return " ".join(["Takes back what was done.", *undone])
    if write.name not in _SENTENCES:
        return f"Runs {write.name}, a tool of your own."
    before = _name(write.touched[0].now, today, language, alike) if write.touched else ""
    content, parts = quote(str(write.args.get("content", ""))), _list_changes(write, today, language)
    return _SENTENCES[write.name].format(content=content, before=before, line=write.args.get("line"), parts=parts)


def _describe_batch(writes: Sequence[Write], today: date, language: Language) -> str:
    """Return in one sentence what several writes do; nothing for a single one."""
    if len(writes) < 2:
        return ""
    if days := _find_new_days(writes):
        return f"Moves {len(days)} items to {_name_days(days, today, language)}."
    # what is done to one record in several calls is one change
    names = [name for name, _ in dict.fromkeys((each.name, _find_one(each) or each.call) for each in writes)]
    counted = [_count(name, names.count(name)) for name in dict.fromkeys(names)]
    sentence = " and ".join(filter(None, (", ".join(counted[:-1]), counted[-1])))
    return f"{sentence[0].upper()}{sentence[1:]}."


def _find_one(write: Write) -> str:
    """Return the id of the only record that a write changes; empty if it makes one, or changes several."""
    return write.touched[0].id if len(write.touched) == 1 else ""


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
    """Return an item as an update would leave it. Raises ToolError if something of it cannot be read or carried out."""
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
    titles = [quote_title(each) for each in (old.content, new.content)]
    renamed = [" -> ".join(titles)] if titles[0] != titles[1] else []
    return f": {', '.join([*renamed, *list_parts(make_receipt(change), language)])}"


def _describe_undone(touched: Touched, today: date, language: Language, alike: Mapping[str, int]) -> str:
    if touched.removed:
        return f"Deletes {quote(touched.text)}."
    if touched.now is None:
        return f"Brings back {_name(touched.after, today, language, alike) or quote(touched.text)}."
    step = _describe_step(touched.now, touched.after, today, language) if touched.after else ""
    return f"Changes back {quote(touched.text)}{step}."


def _name(item: Item | None, today: date, language: Language, alike: Mapping[str, int]) -> str:
    """Return the text of a record in quotes, with its first date if others have the same text."""
    if item is None:
        return ""
    dated = ((key, value) for key, value in item.properties.items() if day_of(value))
    first = next(dated, None) if alike.get(item.content, 0) > 1 else None
    when = f" ({describe_property(*first, today.year, language)})" if first else ""
    return f"{quote(item.content)}{when}"
