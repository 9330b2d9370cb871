"""Requests that a person decides, and the replies to them, in langchain's HITL convention.

A reply is {"decisions": [...]}, one for each action of the request; shorter forms are accepted too.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from langgraph.types import Interrupt
from pydantic import BaseModel, ConfigDict, Field

from ana.errors import WrongReply
from ana.text import check_text
from graph.state import OpenRequest
from nodes.short_replies import begins_with_no, read_short_reply

FORM = (
    'Give {"decisions": [...]}, one for each action in order: {"type": "approve"}, {"type": "reject", "message": ""}, '
    '{"type": "edit", "edited_action": {"name": "...", "args": {...}}}. true or "approve", false or "reject": all.'
)
INBOX_DECISIONS = {"accept": "approve", "ignore": "reject", "response": "reject"}
"""What Agent Inbox calls decisions: it shows requests in this convention, but replies in an older one of its own."""

HOLD = "not_carried_out"
"""The key of a reply that is a message, which does not decide anything."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Request(TypedDict):
    """A request to a person to decide, in langchain's HITLRequest convention.

    A node that asks in this way must ask before any side effect: a request that nobody approves is reported as "not
    run". A request in any other shape has two empty lists, and is passed on unchanged under `value`.
    """

    action_requests: list[dict[str, Any]]
    review_configs: list[dict[str, Any]]
    summary: NotRequired[str]
    """What is said of all actions; the first one's description begins with it, for who is shown one at a time."""
    value: NotRequired[Any]


class Action(_Strict):
    """A call with the arguments that the person chose."""

    name: str
    args: dict[str, Any]


class Approve(_Strict):
    """Do it."""

    type: Literal["approve"]


class Edit(_Strict):
    """Do this instead."""

    type: Literal["edit"]
    edited_action: Action


class Reject(_Strict):
    """Do not do it."""

    type: Literal["reject"]
    message: str = ""


class Reply(_Strict):
    """The person's decisions on every action of a request, in its order."""

    decisions: Annotated[list[Annotated[Approve | Edit | Reject, Field(discriminator="type")]], Field(min_length=1)]

    def to_json(self) -> dict[str, Any]:
        """Return the value with which the waiting node is resumed."""
        return self.model_dump(include={"decisions"}, exclude_defaults=True)


def read_request(interrupt: Interrupt) -> Request:
    """Return the request of an interrupt."""
    value = interrupt.value
    actions = value.get("action_requests") if isinstance(value, Mapping) else None
    if isinstance(actions, list) and actions and all(isinstance(action, Mapping) for action in actions):
        request = Request(action_requests=actions, review_configs=value.get("review_configs") or [])
        if isinstance(value.get("summary"), str):
            request["summary"] = value["summary"]
        return request
    return Request(action_requests=[], review_configs=[], value=value)


def find_allowed_decisions(request: Request) -> Mapping[object, list[str] | None]:
    """Return the decisions that each tool of a request allows; None if the request does not say."""
    return {config.get("action_name"): config.get("allowed_decisions") for config in request["review_configs"]}


def decide_all(request: Request, decision: Literal["approve", "reject"]) -> dict[str, Any]:
    """Return the reply that approves or rejects everything; a request without actions takes one decision."""
    return {"decisions": [{"type": decision}] * max(len(request["action_requests"]), 1)}


def read_message(text: str, request: Request, pending: OpenRequest | None) -> dict[str, Any] | None:
    """Return a message as a reply to a waiting request: a decision, or a hold, after which the request is shown again.

    Args:
        pending: The same request in the form that the turn keeps; None if a tool of the person's own asks, which only
            takes decisions.

    Returns:
        None if the message ends the request: it is the second message without a decision, or it says no and adds
        another wish.
    """
    if short := read_short_reply(text):
        return decide_all(request, short)
    return hold(text) if pending and not pending.get("held") and not begins_with_no(text) else None


def hold(text: str) -> dict[str, Any]:
    """Return the reply that makes a request be shown again, because a message did not decide it."""
    return {HOLD: text}


def read_hold(reply: Any) -> str | None:
    """Return the message in a reply made by `hold`; None for any other reply."""
    return str(reply[HOLD]) if isinstance(reply, Mapping) and {*reply} == {HOLD} else None


def read_reply(reply: Any, request: Request) -> Any:
    """Return a full reply, which has an allowed decision for every action.

    Args:
        reply: True or "approve", False or "reject", a yes or a no, one decision, the list of them, or the whole reply.
        request: The request; one without actions takes any reply, because only the node that asked knows its form.

    Raises:
        WrongReply: The reply is incomplete or not allowed; the turn still waits.
    """
    check_text(reply, WrongReply)
    actions = request["action_requests"]
    if not actions:
        return reply
    reply = _complete(reply, request)
    decisions = reply.get("decisions") if isinstance(reply, Mapping) else None
    if not isinstance(decisions, list) or not all(isinstance(each, Mapping) for each in decisions):
        raise WrongReply("That is no decision.", FORM)
    if len(decisions) != len(actions):
        undecided = (
            str(each.get("description") or each.get("name")).partition("\n")[0] for each in actions[len(decisions) :]
        )
        named = " ".join(f"{line.rstrip('.')}." for line in undecided)
        missing = f"Missing: {named} " if named else ""
        raise WrongReply(f"Decisions needed: {len(actions)}; given: {len(decisions)}.", f"{missing}{FORM}")
    allowed_decisions = find_allowed_decisions(request)
    for action, decision in zip(actions, decisions, strict=True):
        name, kind = action.get("name"), decision.get("type")
        allowed = allowed_decisions.get(name)
        if allowed is not None and kind not in allowed:
            raise WrongReply(f"{name} cannot be decided with {kind!r}.", f"Possible: {', '.join(allowed)}.")
    return reply


def _complete(reply: Any, request: Request) -> Any:
    """Return the full form of a short reply; anything else unchanged."""
    if isinstance(reply, bool):
        return decide_all(request, "approve" if reply else "reject")
    if isinstance(reply, str) and (short := read_short_reply(reply)):
        return decide_all(request, short)
    if isinstance(reply, Mapping) and "type" in reply:
        alone = reply["type"] == "edit"  # what is written into one action is not meant for all
        return {"decisions": [reply] * (1 if alone else len(request["action_requests"]))}
    return {"decisions": [_translate(each) for each in reply]} if isinstance(reply, list) else reply


def _translate(decision: Any) -> Any:
    """Return a decision of Agent Inbox, {"type": "accept", "args": ...}, in this convention; any other unchanged."""
    kind, said = (decision.get("type"), decision.get("args")) if isinstance(decision, Mapping) else (None, None)
    if kind == "edit" and isinstance(said, Mapping) and {*said} == {"action", "args"}:
        return {"type": kind, "edited_action": {"name": said["action"], "args": said["args"]}}
    if (kind := INBOX_DECISIONS.get(str(kind))) is None:
        return decision
    return {"type": kind} | ({"message": said} if kind == "reject" and isinstance(said, str) else {})
