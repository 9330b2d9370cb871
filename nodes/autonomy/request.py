"""The request that a person is shown, in langchain's HITLRequest convention, and what it binds to."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ana.memory.item import to_json
from graph.state import Asked
from nodes.autonomy.weigh import Asking
from nodes.autonomy.writes import Touched, Write

_CHOICES = ["approve", "edit", "reject"]


def make_request(askings: Sequence[Asking], note: str = "") -> Asked:
    """Return one request for all calls that ask.

    Args:
        askings: The calls, each with its reasons.
        note: Why it is asked again.
    """
    writes = [asking.write for asking in askings]
    return Asked(
        request={
            "action_requests": [{"name": w.name, "args": dict(w.args), "description": _describe(w)} for w in writes],
            "review_configs": [
                {"action_name": name, "allowed_decisions": _CHOICES} for name in dict.fromkeys(w.name for w in writes)
            ],
        },
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[write.call for write in writes],
        digests={write.call: digest_write(write) for write in writes},
        note=note,
        records=sorted({digest for write in writes for digest in digest_records(write)}),
    )


def show_request(asked: Asked) -> dict[str, Any]:
    """Return the request as people are shown it: each description with the note before it and the reasons after it."""
    actions = []
    for call, action in zip(asked["calls"], asked["request"]["action_requests"], strict=True):
        reasons = [reason["words"] for reason in asked.get("reasons", {}).get(call, ())]
        lines = [asked["note"], action["description"], *reasons]
        actions.append(action | {"description": "\n".join(filter(None, lines))})
    return asked["request"] | {"action_requests": actions}


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


_SENTENCES = {
    "create_item": "Stores {content}.",
    "append_context": "Learns about you: {content}.",
    "delete_item": "Deletes {before}.",
    "delete_context": "Forgets line {line}, {before}.",
    "replace_context": "Replaces line {line}, {before}, with {content}.",
    "update_item": "Changes {before}.",
}


def _describe(write: Write) -> str:
    """Return what a write does, in words."""
    if write.name == "undo":
        return " ".join(["Takes back what was done.", *map(_describe_undone, write.touched)])
    if write.name not in _SENTENCES:
        return f"Runs {write.name}, a tool of your own."
    content = f"“{_join_lines(str(write.args.get('content', '')))}”"
    before = f"“{_join_lines(write.touched[0].text)}”" if write.touched else ""
    return _SENTENCES[write.name].format(content=content, before=before, line=write.args.get("line"))


def _describe_undone(touched: Touched) -> str:
    if touched.back:
        return f"Brings back “{_join_lines(touched.back.content)}”."
    return f"{'Deletes' if touched.removed else 'Changes back'} “{_join_lines(touched.text)}”."


def _join_lines(text: str) -> str:
    """Return a text in one line: each line of a description is ours, and stored text must not look like a reason."""
    return " ".join(text.split())
