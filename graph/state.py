"""The state of a thread: everything that changes while it runs.

No write fails here, whatever its value: langgraph saves a write before it applies it, and after a failing one the
thread could neither be shown nor go on. `graph/updates.py` tells clients of mistakes before that.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired, cast

from langchain_core.messages import (
    AIMessage,
    AnyMessage,
    BaseMessage,
    RemoveMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.messages.ai import UsageMetadata
from langgraph.channels import LastValue, UntrackedValue
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from ana.tracing.schema import Change, DraftCheck, Inputs, Moment, RecordedDecision, Tokens
from ana.translation import Language

UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, NotImplementedError)
"""What `convert_to_messages` raises at what is no message."""


class Newest(LastValue[Any]):
    """Keeps the last value, even if several are written at once, for example by a client and by a node."""

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        return super().update(values[-1:])


def merge_messages(known: list[AnyMessage], new: Any) -> list[AnyMessage]:
    """Add messages to the known ones, in any form that langgraph takes, and leave out other values.

    Removing a message that is not there has no effect.
    """
    base, added = find_messages(known), list[BaseMessage]()
    for each in new if isinstance(new, list) else [new]:
        message = _read_message(each)
        if isinstance(message, RemoveMessage):
            if message.id == REMOVE_ALL_MESSAGES:
                base, added = [], []
            elif message.id not in {other.id for other in (*base, *added)}:
                continue
        if message and message.id != REMOVE_ALL_MESSAGES:
            added.append(message)
    return _sort_results(cast("list[AnyMessage]", add_messages(cast(Any, base), cast(Any, added))))


def _sort_results(messages: list[AnyMessage]) -> list[AnyMessage]:
    """Put the results at the end into the order of their calls, because refusals are written before other calls run."""
    first = len(messages)
    while first and isinstance(messages[first - 1], ToolMessage):
        first -= 1
    caller, results = messages[first - 1] if first else None, cast("list[ToolMessage]", messages[first:])
    if len(results) < 2 or not isinstance(caller, AIMessage):
        return messages
    places = {call["id"]: n for n, call in enumerate((*caller.tool_calls, *caller.invalid_tool_calls))}
    return [*messages[:first], *sorted(results, key=lambda each: places.get(each.tool_call_id, len(places)))]


def find_messages(value: object) -> list[AnyMessage]:
    """Return the messages in a state's value of `messages`, without anything else."""
    messages = (each for each in value if isinstance(each, BaseMessage)) if isinstance(value, list) else ()
    return [cast(AnyMessage, each) for each in messages if not isinstance(each, RemoveMessage)]


def _read_message(value: Any) -> BaseMessage | None:
    try:
        return convert_to_messages([value])[0]
    except UNREADABLE:
        return None


def keep_replies(known: dict[str, Any], new: Any) -> dict[str, Any]:
    """Add replies to the known ones; an empty update forgets them all."""
    return {**known, **new} if isinstance(known, dict) and isinstance(new, dict) and new else {}


def _check_request(request: dict[str, Any]) -> dict[str, Any]:
    actions = request.get("action_requests")
    kinds = {"name": str, "args": dict}
    if not isinstance(actions, list) or not all(
        isinstance(each, dict) and all(isinstance(each.get(name), kind) for name, kind in kinds.items())
        for each in actions
    ):
        raise ValueError("its action_requests are not a list of objects with name and args")
    return request


def _check_calls(asked: "OpenRequest | None") -> "OpenRequest | None":
    if asked and len(asked["calls"]) != len(asked["request"]["action_requests"]):
        raise ValueError("asked has not as many calls as action_requests")
    return asked


class Correction(TypedDict):
    """A draft that was sent back."""

    after: str
    """Id of the message it came after."""
    tool: str
    """Its name as a step: ⛔️policy_violation or ⛔️no_action."""
    policy: str
    draft: str
    reason: str


class Reason(TypedDict):
    """The reason for which a call asks first; `nodes/autonomy/reasons.py` has the words."""

    kind: Literal["stored", "dial"]
    """Whether stored text may have ordered the call, or only the dial wants a yes."""
    why: NotRequired[str]
    """The name of its sentence. What follows stands in it: an effect, a number, a tool, and a text with its source."""
    effect: NotRequired[str]
    count: NotRequired[int]
    name: NotRequired[str]
    source: NotRequired[str]
    text: NotRequired[str]
    words: NotRequired[str]
    """The sentence itself, of an earlier version."""


class OpenRequest(TypedDict):
    """A request for approval that waits; `nodes/autonomy/wording.py` has the words."""

    request: Annotated[dict[str, Any], AfterValidator(_check_request)]
    """In langchain's HITLRequest convention, without descriptions; an earlier version has them."""
    changes: NotRequired[dict[str, list[Change]]]
    """What each call would change, by its id, as receipts; the id of a new record is empty."""
    day: NotRequired[Moment]
    """The day of the person's message."""
    language: NotRequired[Language]
    """In which it was asked; every other reader is told of it in their own."""
    reasons: NotRequired[dict[str, list[Reason]]]
    """Why each call asks, by its id; an earlier version has them in the descriptions."""
    note: str
    """Why it is asked again, in English, and in a second line what to do; may be empty."""
    said: NotRequired[str]
    """The message that the note quotes, shortened."""
    held: NotRequired[bool]
    """Whether a message came instead of a decision, and was not carried out; the next one ends the request."""
    summary: NotRequired[str]
    """What all of it does, in one sentence, of an earlier version."""
    calls: list[str]
    """Ids of the calls, in the order of the request."""
    digests: dict[str, str]
    """What an approval of each binds to: the call and the records it touches, as they were shown."""
    records: list[str]
    """Digests of those records alone."""


class Turn(TypedDict):
    """One user message and everything that follows it; checkpointed, so that a turn goes on after a crash.

    A field that a later version adds must be optional: otherwise an open turn of an earlier version would be unusable.
    """

    id: str
    ts: Moment
    question: str
    message: NotRequired[str]
    """Id of the user message."""
    previous: NotRequired[str | None]
    """The turn before it in this thread's state; None for the first."""
    fork: NotRequired[str | None]
    """The checkpoint that it was forked from; None if it began with its message."""
    shown: dict[Annotated[str, Field(pattern=r"^\d+$")], str]
    """Digests of the Global Context lines that the model saw last, by number."""
    asked: NotRequired[Annotated[OpenRequest | None, AfterValidator(_check_calls)]]
    """What the person is being asked."""
    approved: NotRequired[dict[str, str]]
    """What was approved, by the call's id; empty for an edit that is weighed again."""
    given: NotRequired[list[Any]]
    """The person's replies to its requests, in order."""
    replay: NotRequired[Inputs]
    """What the turn can be run again from."""
    corrections: list[Correction]
    checks: NotRequired[list[DraftCheck]]
    """What a model said of its drafts; their tokens are not in `usage`."""
    decisions: list[RecordedDecision]
    usage: Tokens
    told: NotRequired[UsageMetadata | None]
    """What the provider told of its last reply alone, which the answer's message keeps; None if nothing."""
    durations: dict[str, float]
    error: str | None
    answer: str | None
    receipt: NotRequired[str]
    """What stands under the answer: what the turn wrote, or that it wrote nothing."""


def call_id(turn: Turn, number: int) -> str:
    """Return the id of a turn's model call, counted from 1; its streamed pieces and its message have this id."""
    return f"{turn['id']}-{number}"


class Loaded(TypedDict):
    """The parts of the prompt that are read when a turn begins; never checkpointed."""

    now: str
    """Date and time when the person wrote, their zone, the coming days, and what is overdue."""
    vocabulary: str
    """The names in use; empty where no model reads them."""
    lines: dict[int, str]
    overdue: NotRequired[dict[str, str]]
    """What `now` names of what is overdue, by id: stored text in view."""


class Input(TypedDict):
    """The input of a run."""

    messages: Annotated[list[AnyMessage], merge_messages]


class Output(TypedDict):
    """The output of a run."""

    messages: Annotated[list[AnyMessage], merge_messages]


class State(TypedDict):
    """The channels of the graph."""

    messages: Annotated[list[AnyMessage], merge_messages]
    turn: Annotated[Turn, Newest]
    draft: Annotated[str, Newest]
    summary: Annotated[str, Newest]
    """A summary of the turns that are no longer in `messages`."""
    summary_source: Annotated[str, Newest]
    """Who told what it sums up: the least trusted; the person where it is missing."""
    replies: Annotated[dict[str, Any], keep_replies]
    """The person's replies to requests of this turn, by the request's id; checkpointed before the turn goes on."""
    loaded: Annotated[Loaded | None, UntrackedValue(Loaded, guard=False)]
