"""The request that a person is shown, in words and in langchain's HITLRequest convention, bound to its records."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from ana.memory.changes import Change
from ana.memory.few_words import describe_property
from ana.memory.item import to_json
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
_UNDOES = mark_text(
    {
        "create": "Brings back {before}.",
        "update": "Changes back {before}{parts}.",
        "delete": "Deletes {before}.",
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
_RUNS = mark_plural("runs {name}", "runs {name} {n} times")


def make_request(askings: Sequence[Asking], today: date, note: str = "") -> OpenRequest:
    """Return one request for all calls that ask.

    Args:
        askings: The calls, each with its reasons.
        today: The day of the person's message.
        note: Why the request is shown again.
    """
    writes = [asking.write for asking in askings]
    choices = ["approve", "edit", "reject"]
    alike = Counter({each.id: _find_text(each) for write in writes for each in write.touched}.values())
    return OpenRequest(
        request={
            "action_requests": [
                {"name": w.name, "args": _show_args(w), "description": _describe(w, today, alike)} for w in writes
            ],
            "review_configs": [
                {"action_name": name, "allowed_decisions": choices} for name in dict.fromkeys(w.name for w in writes)
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

    A front end shows one action at a time, so the description of the first one begins with the common part: it also has
    each reason that several actions share, once, with the numbers of these actions if it is not true for all.
    """
    numbered: dict[str, list[int]] = {}
    for number, call in enumerate(request["calls"], start=1):
        for reason in request.get("reasons", {}).get(call, ()):
            numbered.setdefault(reason["words"], []).append(number)
    shared = [
        words if len(numbers) == len(request["calls"]) else f"{', '.join(map(str, numbers))}: {words}"
        for words, numbers in numbered.items()
        if len(numbers) > 1
    ]
    summary = "\n".join(filter(None, (request["note"], request.get("summary"), *shared)))
    actions = []
    for number, action in enumerate(request["request"]["action_requests"], start=1):
        own = [words for words, numbers in numbered.items() if numbers == [number]]
        lines = [summary if number == 1 else "", action["description"], *own]
        actions.append(action | {"description": "\n".join(filter(None, lines))})
    return request["request"] | {"action_requests": actions} | ({"summary": summary} if summary else {})


def leave_out_about(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as a person edited them, without the parts that were only shown.

    Args:
        name: The tool.
        args: The arguments as the person left them.
    """
    return {key: value for key, value in args.items() if key != ABOUT or name not in TOOLS}


def _show_args(write: Write) -> dict[str, Any]:
    about = [each.before.content for each in write.changes if each.before and write.name != "undo"]
    return ({ABOUT: "\n".join(about)} if about else {}) | dict(write.args)


def may_be_approved_unseen(request: OpenRequest | None) -> bool:
    """Whether a yes to all requests of a turn covers this one: only the dial asks, and nothing has changed.

    Args:
        request: The request; None if a tool of the person's own asks, because nobody weighed where its order came from.
    """
    if not request or request["note"]:
        return False
    reasons = [request.get("reasons", {}).get(call) for call in request["calls"]]  # an earlier version has none
    return all(each and all(reason["kind"] == "dial" for reason in each) for each in reasons)


def digest_write(write: Write) -> str:
    """Return a fingerprint of a call and of the present state of the records that it touches."""
    return _digest([write.name, dict(write.args), digest_records(write)])


def digest_records(write: Write) -> list[str]:
    """Return a fingerprint of the present state of each record that a write touches."""
    return [
        _digest([each.kind, each.id, each.before and to_json(each.before), not each.after and write.name == "undo"])
        for each in write.touched
    ]


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]


# ---- in words: each line is ours, and what is stored stands in quotes


def _describe(write: Write, today: date, alike: Mapping[str, int]) -> str:
    """Return a description of a write; days of this year are shown without the year.

    If several records of the request have the same text, the description names the date of each.
    """
    if write.name != "undo" and write.name not in _SENTENCES:
        return _("Runs {name}, a tool of your own.").format(name=write.name)
    facts = {"content": quote(str(write.args.get("content", ""))), "line": write.args.get("line")}
    sentences = [_("Takes back what was done.")] if write.name == "undo" else []
    for change in write.changes:
        form = _SENTENCES.get(write.name) or _UNDOES[change.op if change.after else "delete"]
        before, parts = _name(change, today, alike), _list_changes(change, today)
        sentences.append(_(form).format(before=before, parts=parts, **facts))
    return " ".join(sentences)


def _name(change: Change, today: date, alike: Mapping[str, int]) -> str:
    """Return the text of a record in quotes, with its first date if others have the same text."""
    record, text = change.before or change.after, _find_text(change)
    dated = ((key, value) for key, value in (record.properties if record else {}).items() if day_of(value))
    first = next(dated, None) if alike.get(text, 0) > 1 else None
    return quote(text) + (f" ({describe_property(*first, today.year)})" if first else "")


def _find_text(change: Change) -> str:
    """Return the text of a record; its id if the record does not exist and is not brought back."""
    record = change.before or change.after
    return record.content if record else change.id


def _list_changes(change: Change, today: date) -> str:
    """Return the changes to a record's properties and text, each after a mark."""
    old, new = change.before, change.after and replace(change.after, updated_at=str(today))
    if new is None or (old and (old.content, old.properties) == (new.content, new.properties)):
        return ""
    parts = list_parts(make_receipt(Change(change.kind, change.id, old, new)))
    if old is None:
        return f" ({', '.join(parts)})" if parts else ""
    titles = dict.fromkeys(quote_title(each.content) for each in (old, new))
    renamed = [" -> ".join(titles)] if len(titles) > 1 else []
    return f": {', '.join([*renamed, *parts])}"


def _describe_batch(writes: Sequence[Write]) -> str:
    """Return one sentence about a write to several records; nothing for a single one."""
    # what is done to one record in several calls is one change; what makes a record, and an undo, counts by its call
    done: dict[tuple[str, str], None] = {}
    for write in writes:
        ids = [each.id for each in write.touched] if write.name != "undo" else []
        done |= dict.fromkeys((write.name, id) for id in ids or [write.call])
    if len(writes) < 2 and len(done) < 2:
        return ""
    counts = Counter(name for name, _id in done)
    *several, last = [ngettext(*_BATCHES.get(name, _RUNS), n, name=name) for name, n in counts.items()]
    sentence = _("{several} and {last}").format(several=", ".join(several), last=last) if several else last
    return f"{sentence[0].upper()}{sentence[1:]}."
