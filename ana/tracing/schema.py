"""The record of a turn, and the check of a record from elsewhere, because a file may contain anything."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ana.translation import Language

INVALID = "⛔️validation_error"
"""A call that did not fit its tool's schema, as a step."""

CHECK = "check"
"""The name under which a model sends a draft back, as policies do under theirs."""
CHECKED = "☑️check"
"""A check by a model that sent nothing back, as a step; its observation tells what is untrue, or why nobody knows."""


def _check_moment(text: str) -> str:
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError as exc:
        raise ValueError("the moment is outside of the calendar") from exc
    return text


def _check_step(step: "Step") -> "Step":
    """Check that a call that did not fit its tool is recorded with tool and arguments, or as its original text."""
    args = step["args"]
    is_read = isinstance(args.get("tool"), str) and isinstance(args.get("args"), dict)
    if step["tool"] == INVALID and not is_read and "raw" not in args:
        raise ValueError("the call is missing")
    return step


def _check_change(change: "Change") -> "Change":
    if change["before"] is None and change["after"] is None:
        raise ValueError("there is nothing before and nothing after")
    return change


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, lt=2**63)]
Moment = Annotated[str, AfterValidator(_check_moment)]
"""ISO 8601."""


class Step(TypedDict):
    """A step of a turn: a tool call, a violation under a name that starts with ⛔️, or CHECKED.

    For a query, `why` has the reasons for each found item; the model does not see it.
    """

    tool: str
    args: dict[str, Any]
    observation: Any
    why: NotRequired[list[dict[str, Any]]]


class Snapshot(TypedDict):
    """The parts of an item or a line that a receipt shows."""

    content: str
    properties: NotRequired[dict[str, Any]]
    updated_at: NotRequired[Moment | Literal[""]]
    zone: NotRequired[str]


class Change(TypedDict):
    """The receipt of a write."""

    op: Literal["create", "update", "delete"]
    kind: Literal["item", "line"]
    id: str
    before: Snapshot | None
    after: Snapshot | None


class RefusedCall(TypedDict):
    """A call that the person refused, with what it would have changed."""

    name: str
    args: dict[str, Any]
    changes: list[Change]
    day: Moment
    """The day of the person's message."""


class Unwritten(TypedDict):
    """A call that wrote nothing, as `ana/memory/receipt_lines.py` tells it."""

    why: Literal["existing", "failed", "refused"]
    text: NotRequired[str]
    """The text of the existing item, or the error."""
    call: NotRequired[RefusedCall]


class Call(TypedDict):
    """A call in a model's decision."""

    name: str
    args: dict[str, Any]


class BrokenCall(TypedDict):
    """A call that could not be read."""

    name: str | None
    args: str | None
    error: NotRequired[str | None]


class RecordedDecision(TypedDict):
    """A decision of a model."""

    text: str
    tool_calls: list[Call]
    invalid_tool_calls: list[BrokenCall]
    reasoning: NotRequired[str]
    """What the model thought, which nobody was shown."""


class Tokens(TypedDict):
    """The tokens of a turn."""

    input_tokens: Count
    output_tokens: Count
    cached_tokens: NotRequired[Count]
    """Of the input tokens, those that the provider had in its cache; left out if there are none."""
    estimated: NotRequired[bool]
    """Whether the provider told none, so that they were counted at four characters each."""


class Untrue(TypedDict):
    """A passage of a draft that a model calls untrue."""

    quote: Annotated[str, Field(description="The words of the draft, exactly.")]
    fact: Annotated[str, Field(description="What shows it, in one sentence.")]


class DraftCheck(TypedDict):
    """A model's reply about a draft."""

    model: str
    untrue: list[Untrue]
    error: str
    """Why the draft was not checked; empty if it was."""
    usage: Tokens


class Inputs(TypedDict):
    """The inputs for running a turn again, beside its message, the model's decisions and the results of its calls."""

    version: NotRequired[str]
    """Of ana."""
    tools: NotRequired[dict[str, str]]
    """Digests of the tools' schemas: `ana` for ours together, and each of the person's own by name."""
    prompts: NotRequired[str]
    """Digest of the prompts."""
    nodes: list[str]
    """The nodes that ran, in order."""
    left_out: list[str]
    """Kinds of content that were taken out of the message."""
    turns: Count
    """How many earlier turns the conversation held."""
    summary: str
    """What stood for turns that the conversation no longer held."""
    lines: NotRequired[dict[str, str]]
    """Digests of the lines of Global Context that the model was shown last, by number: their texts are in the store
    alone.
    """
    language: NotRequired[Language]
    """Of receipts and requests, if it is not English."""
    given: NotRequired[list[Any]]
    """The person's replies to the turn's requests."""
    artifacts: NotRequired[dict[str, Count | dict[str, str | RefusedCall]]]
    """By a call's number, from 0: how many of the changes are its, or the mark that its answer carried."""


class Record(TypedDict):
    """One turn."""

    id: str
    ts: Moment
    question: str
    message: NotRequired[str]
    """Id of the user message."""
    previous: NotRequired[str | None]
    """The turn before it in the thread's state."""
    steps: list[Annotated[Step, AfterValidator(_check_step)]]
    answer: str
    receipt: NotRequired[str]
    """What stood under the answer."""
    changes: NotRequired[list[Annotated[Change, AfterValidator(_check_change)]]]
    """The receipts of what the turn wrote."""
    unwritten: NotRequired[list[Unwritten]]
    """What wrote nothing, and why; an earlier version has it in `receipt` alone."""
    usage: Tokens
    cost_usd: Amount | None
    """None where the model's price is not known."""
    thread_id: str
    model: str
    provider: str
    durations: dict[str, Amount]
    decisions: list[RecordedDecision]
    format: int
    error: str | None
    checks: NotRequired[list[DraftCheck]]
    """What a model said of its drafts, in order; `usage` and `cost_usd` contain what that took."""
    replay: NotRequired[Inputs]
    """Absent in records of earlier versions, and of turns that ended before they began."""
    forgotten: NotRequired[str]
    """The day on which the person had it forgotten; nothing of what was said is here then."""
    inputs: NotRequired[dict[str, Any]]
    """In records of an earlier version, which put the store of the past together; its `parts` name the nodes."""


CORE = frozenset(("id", "ts", "question", "steps", "answer"))
"""What a record must have to be one."""
FOLLOWED = frozenset(("thread_id", "message", "previous", "receipt"))
"""What else readers of a whole conversation use."""
DISPLAY_FIELDS = (
    CORE | FOLLOWED | {"changes", "unwritten", "usage", "cost_usd", "durations", "error", "model", "provider"}
)
"""What is shown of a single turn."""
CONTINUED = CORE | {"decisions"}
"""What a turn needs that another one follows when it is run again."""
RUN_AGAIN = CONTINUED | {"thread_id", "message", "error", "replay"}
"""What a turn needs to be run again itself."""


def list_nodes(record: Record) -> list[str]:
    """Return the nodes that ran in a turn, in order; none if the record does not have them."""
    if replay := record.get("replay"):
        return replay["nodes"]
    return [part["node"] for part in record.get("inputs", {}).get("parts", [])]


def is_call(step: Step) -> bool:
    """Return whether a step is a call that could be read, and no check of a call or of a draft."""
    return not step["tool"].startswith(("⛔️", CHECKED))


def find_fault(record: Mapping[str, Any], needed: Collection[str], checked: Collection[str]) -> str:
    """Return the name of the first invalid field of a record; empty if it is valid.

    The needed fields must exist; the checked ones must be valid if they exist.
    """
    if missing := sorted({*needed} - record.keys()):
        return missing[0]
    for name in sorted(record.keys() & {*checked}):
        try:
            _read_field(name).validate_python(record[name], strict=True)
        except ValidationError as exc:
            return ".".join(map(str, (name, *exc.errors()[0]["loc"])))
    return ""


@cache
def _read_field(name: str) -> TypeAdapter[Any]:
    hint = get_type_hints(Record, include_extras=True)[name]
    return TypeAdapter(get_args(hint)[0] if get_origin(hint) is NotRequired else hint)
