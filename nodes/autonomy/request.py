"""The request that a person is asked, in langchain's HITLRequest convention, bound to its records."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, cast

from ana.memory.item import to_json
from ana.memory.receipts import make_receipt
from ana.tracing.schema import Change
from ana.translation import get_language
from graph.state import OpenRequest
from nodes.autonomy.weigh import Asking
from nodes.autonomy.writes import Write
from tools.catalog import TOOLS

ABOUT = "about"
"""A shown argument that no call has: the words of the record that it changes, where its own arguments have an id."""


def make_request(askings: Sequence[Asking], today: date, note: str = "") -> OpenRequest:
    """Return one request for all calls that ask.

    Args:
        askings: The calls, each with its reasons.
        today: The day of the person's message.
        note: Why the request is shown again, in English.
    """
    writes = [asking.write for asking in askings]
    choices = ["approve", "edit", "reject"]
    return OpenRequest(
        request={
            "action_requests": [{"name": write.name, "args": _show_args(write)} for write in writes],
            "review_configs": [
                {"action_name": name, "allowed_decisions": choices} for name in dict.fromkeys(w.name for w in writes)
            ],
        },
        changes={write.call: [cast(Change, make_receipt(each)) for each in write.changes] for write in writes},
        day=str(today),
        language=get_language(),
        reasons={asking.write.call: [*asking.reasons] for asking in askings},
        calls=[write.call for write in writes],
        digests={write.call: digest_write(write) for write in writes},
        note=note,
        records=sorted({digest for write in writes for digest in digest_records(write)}),
    )


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
