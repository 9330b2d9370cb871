"""The request that a person is shown, in words and in langchain's HITLRequest convention, and what it binds to."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from ana.memory.changes import Change
from ana.memory.few_words import describe_property
from ana.memory.item import Item, to_json
from ana.memory.receipts import list_parts, make_receipt, quote_title
from ana.output import quote
from ana.time.dates import day_of
from ana.translation import _, mark_plural, mark_text, ngettext
from graph.state import OpenRequest
from nodes.autonomy.weigh import Asking
from nodes.autonomy.writes import Write
from tools.catalog import TOOLS

ABOUT = "about"
"""A shown argument that no call has: the words of the record that it changes, where its own arguments have an id."""

_SENTENCES = mark_text(
    {
        "create_item": "Stores {content}{parts}.",
        "append_context": "Learns about you: {content}.",
        "delete_item": "Deletes {before}.",
        "delete_context": "Forgets line {line}, {before}.",
        "replace_context": "Replaces line {line}, {before}, with {content}.",
        "update_item": "Changes {before}{parts}.",
    }
)
_BATCHES = {
    "create_item": mark_plural("stores {n} item", "stores {n} items"),
    "append_context": mark_plural("learns {n} thing about you", "learns {n} things about you"),
    "delete_item": mark_plural("deletes {n} item", "deletes {n} items"),
    "delete_context": mark_plural("forgets {n} line", "forgets {n} lines"),
    "replace_context": mark_plural("rewrites {n} line", "rewrites {n} lines"),
    "update_item": mark_plural("changes {n} item", "changes {n} items"),
    "undo": mark_plural("takes back what was done", "takes back what was done"),
}

_CHOICES = ["approve", "edit", "reject"]


def make_request(askings: Sequence[Asking], today: date, note: str = "") -> OpenRequest:
    """Return one request for all calls that ask.

    Args:
        askings: The calls, each with its reasons.
        today: The day of the person's message.
        note: Why it is asked again.
    """
    writes = [asking.write for asking in askings]
    alike = Counter({each.id: _find_text(each) for write in writes for each in write.touched}.values())
    return OpenRequest(
        request={
            "action_requests": [
                {"name": w.name, "args": _show_args(w), "description": _describe(w, today, alike)} for w in writes
            ],
            "review_configs": [
                {"action_name": name, "allowed_decisions": _CHOICES} for name in dict.fromkeys(w.name for w in writes)
            ],
        },
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[write.call for write in writes],
        digests={write.call: digest_write(write) for write in writes},
        note=note,
        summary=_describe_batch(writes),
        records=sorted({digest for write in writes for digest in digest_records(write)}),
    )


def show_request(request: OpenRequest) -> dict[str, Any]:
    """Return the request in the form for people: first the reasons common to all, then each description with its own.

    A front end shows one action at a time, so the first one's description begins with what is said of all.
    """
    numbered = _number_reasons(request)
    shared = [_tell_shared(words, numbers, len(request["calls"])) for words, numbers in numbered.items()]
    summary = "\n".join(filter(None, (request["note"], request.get("summary"), *shared)))
    actions = []
    for number, action in enumerate(request["request"]["action_requests"], start=1):
        own = [words for words, numbers in numbered.items() if numbers == [number]]
        lines = [summary if number == 1 else "", action["description"], *own]
        actions.append(action | {"description": "\n".join(filter(None, lines))})
    return request["request"] | {"action_requests": actions} | ({"summary": summary} if summary else {})


def leave_out_about(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as a person edited them, without what was only shown.

    Args:
        name: The tool.
        args: What they left of the shown arguments.
    """
    return {key: value for key, value in args.items() if key != ABOUT or name not in TOOLS}


def _show_args(write: Write) -> dict[str, Any]:
    about = [each.before.content for each in write.changes if each.before and write.name != "undo"]
    return ({ABOUT: "\n".join(about)} if about else {}) | dict(write.args)


def _number_reasons(request: OpenRequest) -> dict[str, list[int]]:
    """Return each reason with the numbers of the actions that it is for."""
    numbered: dict[str, list[int]] = {}
    for number, call in enumerate(request["calls"], start=1):
        for reason in request.get("reasons", {}).get(call, ()):
            numbered.setdefault(reason["words"], []).append(number)
    return numbered


def _tell_shared(words: str, numbers: Sequence[int], actions: int) -> str:
    """Return a reason that several actions have, once; nothing for one of a single action."""
    if len(numbers) < 2:
        return ""
    return words if len(numbers) == actions else f"{', '.join(map(str, numbers))}: {words}"


def may_be_approved_unseen(request: OpenRequest | None) -> bool:
    """Whether a yes to everything that a turn asks covers a request: only the dial asks, and nothing has changed.

    Args:
        request: The request; None if a tool of the person's own asks: nothing has weighed who ordered that.
    """
    if not request or request["note"]:
        return False
    reasons = request.get("reasons", {})  # a request of an earlier version does not tell them
    return all(reasons.get(call) for call in request["calls"]) and all(
        reason["kind"] == "dial" for each in reasons.values() for reason in each
    )


def digest_write(write: Write) -> str:
    """Return a fingerprint of a call and of the records it touches, as they are."""
    return _digest([write.name, dict(write.args), digest_records(write)])


def digest_records(write: Write) -> list[str]:
    """Return a fingerprint of each record that a write touches, as it is."""
    return [
        _digest([each.kind, each.id, each.before and to_json(each.before), not each.after and write.name == "undo"])
        for each in write.touched
    ]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


# ---- in words: each line is ours, and what is stored stands in quotes


def _describe(write: Write, today: date, alike: Mapping[str, int]) -> str:
    """Return what a write does, in words; days of this year are shown without it.

    A record whose text others of the request have too is told with its date.
    """
    if write.name == "undo":
        alike = Counter(each.after.content for each in write.changes if each.after)
        undone = (_describe_undone(each, today, alike) for each in write.changes)
        return " ".join([_("Takes back what was done."), *undone])
    if write.name not in _SENTENCES:
        return _("Runs {name}, a tool of your own.").format(name=write.name)
    return " ".join(_describe_change(write, change, today, alike) for change in write.changes)


def _describe_change(write: Write, change: Change, today: date, alike: Mapping[str, int]) -> str:
    before, content = _name(change.before, today, alike), quote(str(write.args.get("content", "")))
    parts = _list_changes(change, today)
    return _(_SENTENCES[write.name]).format(content=content, before=before, line=write.args.get("line"), parts=parts)


def _describe_batch(writes: Sequence[Write]) -> str:
    """Return in one sentence what is done to several records; nothing for a single one."""
    # what is done to one record in several calls is one change
    done = dict.fromkeys((each.name, id) for each in writes for id in _list_counted(each))
    if len(writes) < 2 and len(done) < 2:
        return ""
    names = [name for name, _id in done]
    counted = [_count(name, names.count(name)) for name in dict.fromkeys(names)]
    sentence = counted[-1]
    if len(counted) > 1:
        sentence = _("{several} and {last}").format(several=", ".join(counted[:-1]), last=counted[-1])
    return f"{sentence[0].upper()}{sentence[1:]}."


def _list_counted(write: Write) -> list[str]:
    """Return the ids of the records that a write changes; of one that makes a record, and of an undo, its own."""
    return [each.id for each in write.touched] if write.name != "undo" and [*write.touched] else [write.call]


def _count(name: str, n: int) -> str:
    return ngettext(*_BATCHES.get(name, mark_plural("runs {name}", "runs {name} {n} times")), n, name=name)


def _list_changes(change: Change, today: date) -> str:
    """Return what becomes of the properties and the text of a record, after a mark."""
    if change.after is None:
        return ""
    if change.before is None:
        new = replace(change.after, updated_at=str(today))
        parts = list_parts(make_receipt(Change(change.kind, change.id, None, new)))
        return f" ({', '.join(parts)})" if parts else ""
    return _describe_step(change.before, change.after, today)


def _describe_step(old: Item, new: Item, today: date) -> str:
    if (old.content, old.properties) == (new.content, new.properties):
        return ""
    change = Change("item", old.id, old, replace(new, updated_at=str(today)))
    titles = [quote_title(each) for each in (old.content, new.content)]
    renamed = [" -> ".join(titles)] if titles[0] != titles[1] else []
    parts = [*renamed, *list_parts(make_receipt(change))]
    return f": {', '.join(parts)}"


def _describe_undone(change: Change, today: date, alike: Mapping[str, int]) -> str:
    if change.after is None:
        return _("Deletes {before}.").format(before=quote(_find_text(change)))
    if change.before is None:
        return _("Brings back {record}.").format(record=_name(change.after, today, alike))
    step = _describe_step(change.before, change.after, today)
    return _("Changes back {before}{parts}.").format(before=quote(_find_text(change)), parts=step)


def _find_text(change: Change) -> str:
    """Return the text of a record that is there; its id where it is not."""
    return change.before.content if change.before else change.id


def _name(item: Item | None, today: date, alike: Mapping[str, int]) -> str:
    """Return the text of a record in quotes, with its first date if others have the same text."""
    if item is None:
        return ""
    dated = ((key, value) for key, value in item.properties.items() if day_of(value))
    first = next(dated, None) if alike.get(item.content, 0) > 1 else None
    when = f" ({describe_property(*first, today.year)})" if first else ""
    return f"{quote(item.content)}{when}"
