"""What changes in the course of a thread."""

from typing import Annotated, Any

from langchain_core.messages import AnyMessage
from langgraph.channels import UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict


class Correction(TypedDict):
    """A draft that was sent back."""

    after: str
    """Id of the message it came behind."""
    tool: str
    """Its name as a step: ⛔️policy_violation or ⛔️no_action."""
    policy: str
    draft: str
    reason: str


class Usage(TypedDict):
    """Tokens of a turn."""

    input_tokens: int
    output_tokens: int
    estimated: bool
    """Whether a provider told none, so that they were counted at four characters each."""


class Turn(TypedDict):
    """One user message and all that follows it; checkpointed, so that a turn goes on after a crash."""

    id: str
    ts: str
    question: str
    shown: dict[str, str]
    """Digests of the Global Context lines that the model saw last, by number."""
    corrections: list[Correction]
    decisions: list[dict[str, Any]]
    usage: Usage
    durations: dict[str, float]
    error: str | None
    answer: str | None


class Loaded(TypedDict):
    """What the prompt is built from; never checkpointed."""

    now: str
    lines: dict[int, str]


class Input(TypedDict):
    """What a run takes."""

    messages: Annotated[list[AnyMessage], add_messages]


class Output(TypedDict):
    """What a run gives."""

    messages: Annotated[list[AnyMessage], add_messages]


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    turn: Turn
    draft: str
    summary: str
    """What was said in turns that are no longer in `messages`."""
    loaded: Annotated[Loaded | None, UntrackedValue]
