"""Requests that a person decides, and the replies to them, in langchain's HITL convention.

A reply is {"decisions": [...]}, one for each action of the request.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from langgraph.types import Interrupt
from pydantic import BaseModel, ConfigDict, Field

from ana.errors import WrongReply

_STRICT = ConfigDict(extra="forbid", strict=True)


class Request(TypedDict):
    """What a person is asked to decide, in langchain's HITLRequest convention.

    A node that asks so must ask before any side effect: a request that nobody approves is told as "not run".
    A request in any other shape has two empty lists and is passed on as it is under `value`.
    """

    action_requests: list[dict[str, Any]]
    review_configs: list[dict[str, Any]]
    summary: NotRequired[str]
    """What is said of all actions; the first one's description begins with it, for who is shown one at a time."""
    value: NotRequired[Any]


class Action(BaseModel):
    """A call as the person wants it."""

    model_config = _STRICT
    name: str
    args: dict[str, Any]


class Approve(BaseModel):
    """Do it."""

    model_config = _STRICT
    type: Literal["approve"]


class Edit(BaseModel):
    """Do this instead."""

    model_config = _STRICT
    type: Literal["edit"]
    edited_action: Action


class Reject(BaseModel):
    """Do not do it."""

    model_config = _STRICT
    type: Literal["reject"]
    message: str = ""


class Reply(BaseModel):
    """The person's decisions on every action of a request, in its order."""

    model_config = _STRICT
    decisions: Annotated[list[Annotated[Approve | Edit | Reject, Field(discriminator="type")]], Field(min_length=1)]

    def to_json(self) -> dict[str, Any]:
        """Return the value that the waiting node is resumed with."""
        return self.model_dump(include={"decisions"}, exclude_defaults=True)


def read_request(interrupt: Interrupt) -> Request:
    """Return the request of an interrupt."""
    value = interrupt.value
    actions = value.get("action_requests") if isinstance(value, Mapping) else None
    if isinstance(actions, list) and actions and all(isinstance(action, Mapping) for action in actions):
        asked = Request(action_requests=actions, review_configs=value.get("review_configs") or [])
        if isinstance(value.get("summary"), str):
            asked["summary"] = value["summary"]
        return asked
    return Request(action_requests=[], review_configs=[], value=value)


def decide_all(request: Request, decision: Literal["approve", "reject"]) -> dict[str, Any]:
    """Return the reply that approves or rejects everything; a request without actions takes one decision."""
    return {"decisions": [{"type": decision}] * max(len(request["action_requests"]), 1)}


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
