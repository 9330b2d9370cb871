"""Replies to a request, as doors make and check them; `nodes/decisions.py` has their form."""

from collections.abc import Mapping
from typing import Any, Literal

from ana.errors import WrongReply
from app.outcome import Request


def decide_all(request: Request, decision: Literal["approve", "reject"]) -> dict[str, Any]:
    """Return the reply that approves or rejects everything; a request without actions takes one decision."""
    return {"decisions": [{"type": decision} for _ in range(_count(request))]}


def check_reply(reply: Any, request: Request) -> None:
    """Check that a reply decides every action, and only as each may be decided.

    Raises:
        WrongReply: It does not; the turn still waits.
    """
    actions = request["action_requests"]
    if not actions:
        return  # only the node that asked knows which replies it takes
    decisions = reply.get("decisions") if isinstance(reply, Mapping) else None
    if not isinstance(decisions, list) or len(decisions) != len(actions):
        given = len(decisions) if isinstance(decisions, list) else 0
        raise WrongReply(f"Decisions needed: {len(actions)}; given: {given}.", "Give one for each action, in order.")
    allowed = {config.get("action_name"): config.get("allowed_decisions") for config in request["review_configs"]}
    for action, decision in zip(actions, decisions, strict=True):
        kind, may = decision.get("type"), allowed.get(action.get("name"))
        if may is not None and kind not in may:
            raise WrongReply(f"{action.get('name')} cannot be decided with {kind!r}.", f"Possible: {', '.join(may)}.")


def _count(request: Request) -> int:
    return max(len(request["action_requests"]), 1)
