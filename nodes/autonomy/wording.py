"""A request in words, in the language of whoever reads it: each line is ours, and what is stored stands in quotes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ana.errors import AnaError
from ana.memory.few_words import describe_property
from ana.memory.receipts import Receipt, list_parts, quote_title
from ana.output import quote
from ana.time.dates import day_of
from ana.translation import _, mark_plural, mark_text, ngettext
from graph.state import OpenRequest
from nodes.autonomy.reasons import word_reason

NOT_CARRIED_OUT = mark_text("{said} was not carried out: this waits for your decision. Another message drops it.")
"""What is said above a request that is shown again, because a message came instead of a decision."""

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


@dataclass(frozen=True)
class _Call:
    """A call of a request.

    Args:
        id: Its id.
        name: The tool.
        args: The arguments as they are shown.
        changes: What it would change.
        description: What it does, in the words of an earlier version; else empty.
    """

    id: str
    name: str
    args: Mapping[str, Any]
    changes: Sequence[Receipt]
    description: str


def word_request(request: OpenRequest) -> dict[str, Any]:
    """Return the request for people: first the reasons common to all, then each description with its own.

    A front end shows one action at a time, so the description of the first one begins with the common part: it also has
    each reason that several actions share, once, with the numbers of these actions if it is not true for all. A request
    of an earlier version has its descriptions, and they stay in their language.
    """
    calls, numbered = _list_calls(request), _number_reasons(request)
    shared = [
        words if len(numbers) == len(calls) else f"{', '.join(map(str, numbers))}: {words}"
        for words, numbers in numbered.items()
        if len(numbers) > 1
    ]
    batch = request.get("summary") or _describe_batch(calls)
    summary = "\n".join(filter(None, (_word_note(request), batch, *shared)))
    descriptions, actions = word_calls(request), []
    for number, action in enumerate(request["request"]["action_requests"], start=1):
        own = [words for words, numbers in numbered.items() if numbers == [number]]
        lines = [summary if number == 1 else "", descriptions[number - 1], *own]
        actions.append(action | {"description": "\n".join(filter(None, lines))})
    return request["request"] | {"action_requests": actions} | ({"summary": summary} if summary else {})


def word_calls(request: OpenRequest) -> list[str]:
    """Return what each call of a request does, without the reasons for asking."""
    calls, today = _list_calls(request), date.fromisoformat(request.get("day", str(date.min))[:10])
    alike = Counter({each["id"]: _find_text(each) for call in calls for each in call.changes if each["id"]}.values())
    return [call.description or _describe(call, today, alike) for call in calls]


def _list_calls(request: OpenRequest) -> list[_Call]:
    changes = request.get("changes", {})
    return [
        _Call(id, action["name"], action["args"], changes.get(id, ()), str(action.get("description") or ""))
        for id, action in zip(request["calls"], request["request"]["action_requests"], strict=True)
    ]


def _number_reasons(request: OpenRequest) -> dict[str, list[int]]:
    """Return the reasons for asking, each with the numbers of its calls, from 1."""
    numbered: dict[str, list[int]] = {}
    for number, call in enumerate(request["calls"], start=1):
        for reason in request.get("reasons", {}).get(call, ()):
            numbered.setdefault(word_reason(reason), []).append(number)
    return numbered


def _word_note(request: OpenRequest) -> str:
    note = request["note"]
    if note == NOT_CARRIED_OUT:
        return _(note).format(said=quote(request.get("said", "")))
    message, _newline, hint = note.partition("\n")
    return AnaError(message, hint).sentence()


def _describe(call: _Call, today: date, alike: Mapping[str, int]) -> str:
    """Return a description of a call; days of this year are shown without the year.

    If several records of the request have the same text, the description names the date of each.
    """
    if call.name != "undo" and call.name not in _SENTENCES:
        return _("Runs {name}, a tool of your own.").format(name=call.name)
    facts = {"content": quote(str(call.args.get("content", ""))), "line": call.args.get("line")}
    sentences = [_("Takes back what was done.")] if call.name == "undo" else []
    for change in call.changes:
        form = _SENTENCES.get(call.name) or _UNDOES[change["op"] if change["after"] else "delete"]
        before, parts = _name(change, today, alike), _list_changes(change, today)
        sentences.append(_(form).format(before=before, parts=parts, **facts))
    return " ".join(sentences)


def _name(change: Receipt, today: date, alike: Mapping[str, int]) -> str:
    """Return the text of a record in quotes, with its first date if others have the same text."""
    record, text = change["before"] or change["after"] or {}, _find_text(change)
    dated = ((key, value) for key, value in record.get("properties", {}).items() if day_of(value))
    first = next(dated, None) if alike.get(text, 0) > 1 else None
    return quote(text) + (f" ({describe_property(*first, today.year)})" if first else "")


def _find_text(change: Receipt) -> str:
    """Return the text of a record; its id if the record does not exist and is not brought back."""
    record = change["before"] or change["after"]
    return str(record["content"] if record else change["id"])


def _list_changes(change: Receipt, today: date) -> str:
    """Return the changes to a record's properties and text, each after a mark."""
    old, new = change["before"], change["after"]
    if new is None or (old and all(old.get(part) == new.get(part) for part in ("content", "properties"))):
        return ""
    parts = list_parts({**change, "after": {**new, "updated_at": str(today)}})
    if old is None:
        return f" ({', '.join(parts)})" if parts else ""
    titles = dict.fromkeys(quote_title(each["content"]) for each in (old, new))
    renamed = [" -> ".join(titles)] if len(titles) > 1 else []
    return f": {', '.join([*renamed, *parts])}"


def _describe_batch(calls: Sequence[_Call]) -> str:
    """Return one sentence about a write to several records; nothing for a single one, or one of an earlier version."""
    # what is done to one record in several calls is one change; what makes a record, and an undo, counts by its call
    done: dict[tuple[str, str], None] = {}
    for call in calls:
        ids = [each["id"] for each in call.changes if each["id"]] if call.name != "undo" else []
        done |= dict.fromkeys((call.name, id) for id in ids or [call.id])
    if max(len(calls), len(done)) < 2 or any(call.description for call in calls):
        return ""
    counts = Counter(name for name, _id in done)
    *several, last = [ngettext(*_BATCHES.get(name, _RUNS), n, name=name) for name, n in counts.items()]
    sentence = _("{several} and {last}").format(several=", ".join(several), last=last) if several else last
    return f"{sentence[0].upper()}{sentence[1:]}."
