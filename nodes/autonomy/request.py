"""The request that a person is shown, in langchain's HITLRequest convention, and what it binds to."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from ana.language import guess_language
from ana.memory.item import to_json
from graph.state import Asked
from nodes.autonomy.describing import describe, describe_batch, name_touched
from nodes.autonomy.weigh import Asking
from nodes.autonomy.writes import Write
from tools.catalog import TOOLS

ABOUT = "about"
"""A shown argument that no call has: the words of the record that it changes, where its own arguments have an id."""

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
    return Asked(
        request={
            "action_requests": [
                {"name": w.name, "args": _show_args(w), "description": describe(w, today, language)} for w in writes
            ],
            "review_configs": [
                {"action_name": name, "allowed_decisions": _CHOICES} for name in dict.fromkeys(w.name for w in writes)
            ],
        },
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[write.call for write in writes],
        digests={write.call: digest_write(write) for write in writes},
        note=note,
        summary=describe_batch(writes, today, language),
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
    return asked["request"] | {"action_requests": actions} | ({"summary": summary} if len(actions) > 1 else {})


def leave_out_about(name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call as a person edited them, without what was only shown.

    Args:
        name: The tool.
        args: What they left of the shown arguments.
    """
    return {key: value for key, value in args.items() if key != ABOUT or name not in TOOLS}


def _show_args(write: Write) -> dict[str, Any]:
    about = name_touched(write)
    return ({} if about is None else {ABOUT: about}) | dict(write.args)


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
