"""The state of a thread: everything that changes while it runs."""

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from ana.tracing.traces import Inputs


def keep_replies(known: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Add replies to the known ones; an empty update forgets them all."""
    return known | new if new else {}


class Correction(TypedDict):
    """A draft that was sent back."""

    after: str
    """Id of the message it came after."""
    tool: str
    """Its name as a step: ⛔️policy_violation or ⛔️no_action."""
    policy: str
    draft: str
    reason: str


class Usage(TypedDict):
    """Tokens of a turn."""

    input_tokens: int
    output_tokens: int
    cached_tokens: NotRequired[int]
    """Of the input tokens, those that the provider had in its cache; left out if there are none."""
    estimated: bool
    """Whether the provider told none, so that they were counted at four characters each."""


class Reason(TypedDict):
    """Why a call asks first."""

    kind: Literal["stored", "dial"]
    """Whether stored text may have ordered the call, or only the dial wants a yes."""
    words: str
    """A sentence for the person."""


class Asked(TypedDict):
    """A request for approval that waits."""

    request: dict[str, Any]
    """In langchain's HITLRequest convention; each description says what the call does, and not why it asks."""
    reasons: NotRequired[dict[str, list[Reason]]]
    """Why each call asks, by its id; an earlier version has them in the descriptions."""
    note: str
    """Why it is asked again; may be empty."""
    calls: list[str]
    """Ids of the calls, in the order of the request."""
    digests: dict[str, str]
    """What an approval of each binds to: the call and the records it touches, as they were shown."""
    records: list[str]
    """Digests of those records alone."""


class Turn(TypedDict):
    """One user message and everything that follows it; checkpointed, so that a turn goes on after a crash."""

    id: str
    ts: str
    question: str
    message: NotRequired[str]
    """Id of the user message."""
    previous: NotRequired[str | None]
    """The turn before it in this thread's state; None for the first."""
    fork: NotRequired[str | None]
    """The checkpoint that it was forked from; None if it began with its message."""
    shown: dict[str, str]
    """Digests of the Global Context lines that the model saw last, by number."""
    asked: NotRequired[Asked | None]
    """What the person is being asked."""
    approved: NotRequired[dict[str, str]]
    """What was approved, by the call's id; empty for an edit that is weighed again."""
    given: NotRequired[list[Any]]
    """The person's replies to its requests, in order."""
    inputs: NotRequired[Inputs]
    """What the turn can be run again from."""
    corrections: list[Correction]
    decisions: list[dict[str, Any]]
    usage: Usage
    durations: dict[str, float]
    error: str | None
    answer: str | None
    receipt: NotRequired[str]
    """What stands under the answer: what the turn wrote, or that it wrote nothing."""


def call_id(turn: Turn, number: int) -> str:
    """Return the id of a turn's model call, from 1: of what is streamed of it, and of the message it becomes."""
    return f"{turn['id']}-{number}"


class Loaded(TypedDict):
    """The parts of the prompt that are read when a turn begins; never checkpointed."""

    now: str
    """Date and time when the person wrote, their zone, and the coming days."""
    vocabulary: str
    """The names in use; empty where no model reads them."""
    lines: dict[int, str]


class Input(TypedDict):
    """The input of a run."""

    messages: Annotated[list[AnyMessage], add_messages]


class Output(TypedDict):
    """The output of a run."""

    messages: Annotated[list[AnyMessage], add_messages]


class State(TypedDict):
    """The channels of the graph."""

    messages: Annotated[list[AnyMessage], add_messages]
    turn: Turn
    draft: str
    summary: str
    """A summary of the turns that are no longer in `messages`."""
    replies: Annotated[dict[str, Any], keep_replies]
    """The person's replies to requests of this turn, by the request's id; checkpointed before the turn goes on."""
    loaded: Annotated[Loaded | None, UntrackedValue]
