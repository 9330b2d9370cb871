"""What must be in a record before it is told or run again: a file may hold anything."""

from functools import cache
from typing import Any, NotRequired

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ana.tracing.traces import Inputs, Record, Step


class Called(TypedDict):
    """A call as a model decided it."""

    name: str
    args: Any


class Decided(TypedDict):
    """A decision of a model."""

    text: str
    tool_calls: list[Called]
    invalid_tool_calls: list[Called]


class Used(TypedDict):
    """Tokens of a turn."""

    input_tokens: int
    output_tokens: int


class Told(TypedDict):
    """What is told of a turn."""

    id: str
    ts: str
    question: str
    answer: str
    steps: list[Step]
    receipt: NotRequired[str]
    changes: NotRequired[list[dict[str, Any]]]
    durations: NotRequired[dict[str, float]]
    usage: NotRequired[Used]
    cost_usd: NotRequired[float | None]


class Tellable(Told):
    """A turn that can be told, whatever its decisions are."""

    decisions: NotRequired[list[Any]]


class Whole(Told):
    """A turn that can be run again."""

    thread_id: str
    provider: str
    message: str
    error: str | None
    decisions: list[Decided]
    inputs: Inputs


def find_fault(record: Record, *, whole: bool) -> str:
    """Return what is wrong with a record, as the name of a field; nothing if it can be told, or be run again.

    Args:
        record: As it was read.
        whole: Whether it is to be run again.
    """
    try:
        _read(Whole if whole else Tellable).validate_python(record)
    except ValidationError as exc:
        return ".".join(map(str, exc.errors()[0]["loc"]))
    return ""


@cache
def _read(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
