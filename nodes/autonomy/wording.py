"""A request in words, in the language of whoever reads it: each line is ours, and what is stored stands in quotes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from ana.errors import AnaError
from ana.memory.receipt_lines import describe_write, find_text
from ana.memory.receipts import Receipt
from ana.output import quote
from ana.tracing.schema import Change, RefusedCall
from ana.translation import _, mark_plural, mark_text, ngettext
from graph.state import OpenRequest
from nodes.autonomy.reasons import word_reason

NOT_CARRIED_OUT = mark_text("{said} was not carried out: this waits for your decision. Another message drops it.")
"""What is said above a request that is shown again, because a message came instead of a decision."""

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
    alike = Counter({each["id"]: find_text(each) for call in calls for each in call.changes if each["id"]}.values())
    return [call.description or describe_write(call.name, call.args, call.changes, today, alike) for call in calls]


def list_calls(request: OpenRequest) -> list[RefusedCall | str]:
    """Return the calls of a request as they are kept if they are refused; those of an earlier version in words."""
    day = request.get("day", str(date.min))
    return [
        call.description
        or RefusedCall(
            name=call.name,
            args={name: call.args[name] for name in ("content", "line") if name in call.args},
            changes=[cast(Change, each) for each in call.changes],
            day=day,
        )
        for call in _list_calls(request)
    ]


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
