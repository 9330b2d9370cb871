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
    actions = [
        {
            "name": asking.write.name,
            "args": dict(asking.write.args),
            "description": _describe(asking.write),
        }
        for asking in askings
    ]
    names = dict.fromkeys(asking.write.name for asking in askings)
    return Asked(
        request={
            "action_requests": actions,
            "review_configs": [{"action_name": name, "allowed_decisions": _CHOICES} for name in names],
        },
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[asking.write.call for asking in askings],
        digests={asking.write.call: digest_write(asking.write) for asking in askings},
        note=note,
        records=sorted({digest for asking in askings for digest in digest_records(asking.write)}),
    )


def show_request(asked: Asked) -> dict[str, Any]:
    """Return the request as people are shown it: each description with the note before it and the reasons after it."""
    reasons, note = asked.get("reasons", {}), [asked["note"]] if asked["note"] else []
    actions = [
        action
        | {"description": "\n".join([*note, action["description"], *(each["words"] for each in reasons.get(call, ()))])}
        for call, action in zip(asked["calls"], asked["request"]["action_requests"], strict=True)
    ]
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


def _describe(write: Write) -> str:
    """Return what a write does, in words."""
    content = f"“{_join_lines(str(write.args.get('content', '')))}”"
    before = f"“{_join_lines(write.touched[0].text)}”" if write.touched else ""
    match write.name:
        case "create_item":
            return f"Stores {content}."
        case "append_context":
            return f"Learns about you: {content}."
        case "delete_item":
            return f"Deletes {before}."
        case "delete_context":
            return f"Forgets line {write.args['line']}, {before}."
        case "replace_context":
            return f"Replaces line {write.args['line']}, {before}, with {content}."
        case "update_item":
            return f"Changes {before}."
        case "undo":
            return " ".join(["Takes back what was done."] + [_describe_undone(each) for each in write.touched])
    return f"Runs {write.name}, a tool of your own."


def _describe_undone(touched: Touched) -> str:
    if touched.back:
        return f"Brings back “{_join_lines(touched.back.content)}”."
    return f"{'Deletes' if touched.removed else 'Changes back'} “{_join_lines(touched.text)}”."


def _join_lines(text: str) -> str:
    """Return a text in one line: each line of a description is ours, and stored text must not look like a reason."""
    return " ".join(text.split())
