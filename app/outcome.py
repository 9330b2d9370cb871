"""How a turn ends: done, waiting for a person's decision, or cut short by a crash."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Interrupt, StateSnapshot

from ana.errors import NotWaiting, UserError
from ana.handles import Handles
from ana.memory.receipts import Receipt
from ana.models.base import COMPOSED
from ana.models.providers import model_name
from ana.time.clock import Clock
from ana.tracing.record import add_up, list_steps
from ana.tracing.schema import Step, Unwritten
from graph.state import Turn
from graph.updates import keep_usable
from nodes.autonomy.request import may_be_approved_unseen
from nodes.autonomy.wording import word_request
from nodes.evidence import list_calls
from nodes.history import calculation_failed, list_refused_copies, receipts, this_turn, understood
from nodes.receipt import list_unwritten
from nodes.requests import Request, read_request
from nodes.turns import can_go_on, find_turn, find_unanswered, find_unread
from tools.artifacts import list_declined


@dataclass(frozen=True)
class Done:
    """A turn with its answer.

    Args:
        answer: The text for the person.
        trace_id: The id of the turn's record.
        trace_path: The file that holds it; empty if it could not be written.
        steps: The calls and violations, in order.
        usage: Tokens: input_tokens, output_tokens, estimated; also the cached_tokens among the input, if there are any.
        cost_usd: The cost of the model calls; None if the model's price is unknown.
        changes: Receipts of every write, in order.
        error: Why the turn failed; None if it did not fail.
        fruitless: Nothing was understood, or the last calculation failed.
        receipt: The changes in words, or a note that there are none if one might be expected.
        refused_copy: A copy of an item was not stored; repeating the same words in this conversation stores it.
        unwritten: What wrote nothing, and why.
        composed: The answer was put together from the results of the calls, not by a model that may add to them.
    """

    answer: str
    thread_id: str
    trace_id: str
    trace_path: str
    steps: list[Step]
    usage: dict[str, Any]
    cost_usd: float | None
    changes: list[Receipt]
    error: str | None
    fruitless: bool = False
    refused_copy: bool = False
    receipt: str = ""
    question: str = ""
    composed: bool = False
    unwritten: Sequence[Unwritten] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object for `ask --json` and POST /ask."""
        hidden = ("error", "fruitless", "refused_copy", "question", "composed", "unwritten")
        return {key: value for key, value in asdict(self).items() if key not in hidden}


@dataclass(frozen=True)
class Waiting:
    """A turn that goes on when a person has decided; its record is written when it ends.

    Args:
        turn_id: The id that its record will have.
        request_id: Identifies the request, so that a reply applies only to the request that was shown.
        request: The request to the person; the first one if there are several at once.
        steps: The calls and violations so far; waiting calls have no result yet.
        changes: Receipts of every write so far.
        may_be_approved_unseen: Whether a yes to all requests of the turn covers it.
    """

    thread_id: str
    turn_id: str
    request_id: str
    request: Request
    steps: list[Step]
    changes: list[Receipt]
    may_be_approved_unseen: bool = False
    # as in Done: a caller may read answer and error before it asks which of the two it got
    answer: str = ""
    error: str | None = None
    question: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object for `ask --json` and POST /ask."""
        pending = {"request_id": self.request_id, **self.request}
        return {"answer": self.answer, "thread_id": self.thread_id, "pending": pending, "steps": self.steps}


class NotShown(NotWaiting):
    """A decision does not belong to the waiting request: nobody may decide on a request that was not shown. Nothing was
    done.

    Args:
        named: The request that the decision names; None if it names none.
    """

    def __init__(self, waiting: Waiting, named: str | None) -> None:
        why = "this was decided or replaced meanwhile" if named else "the decision names no request that was shown"
        super().__init__(f"Nothing was done: {why}.", "Look at what is asked now, and decide on that.")
        self.waiting = waiting


@dataclass(frozen=True)
class CutShort:
    """A turn that a crash ended; it can go on."""

    thread_id: str
    question: str


Outcome = Done | Waiting | CutShort


def expect_done(outcome: Done | Waiting) -> Done:
    """Return the answer of a turn whose model has no tool that asks the person.

    Raises:
        UserError: The turn waits.
    """
    if isinstance(outcome, Waiting):
        raise UserError("The turn waits for a decision.", "Decide with `ana ask --decide`.")
    return outcome


def read_done(handles: Handles, thread_id: str, turn: Turn, messages: Sequence[AnyMessage]) -> Done:
    """Return a turn with its answer.

    Args:
        handles: For the traces and the price of the model.
        turn: The ended turn.
        messages: Its messages, from the user's on.
    """
    usage, usd = add_up(turn, model_name(handles.settings), handles.settings)
    return Done(
        answer=turn["answer"] or "",
        thread_id=thread_id,
        trace_id=turn["id"],
        trace_path=handles.traces.place(thread_id, turn["id"]),
        steps=list_steps(messages, turn),
        usage=usage,
        cost_usd=usd,
        changes=receipts(messages),
        receipt=turn.get("receipt", ""),
        error=turn["error"],
        fruitless=not understood(turn) or calculation_failed(messages),
        refused_copy=bool(list_refused_copies(messages)),
        question=turn["question"],
        unwritten=list_unwritten([*list_calls(messages)], list_declined(messages)),
        composed=any(decision.get(COMPOSED) for decision in turn["decisions"][-1:]),
    )


def read_waiting(state: StateSnapshot, interrupt: Interrupt, clock: Clock) -> Waiting:
    """Return a turn that waits for a decision; what is asked is in the present language, whichever it was asked in."""
    turn, messages = find_turn(state, clock), this_turn(state.values["messages"])
    usable = keep_usable(state.values).get("turn")
    asked = usable.get("asked") if usable else None
    return Waiting(
        thread_id=thread_of_state(state),
        turn_id=turn["id"],
        request_id=interrupt.id,
        request=cast(Request, word_request(asked)) if asked else read_request(interrupt),
        steps=list_steps(messages, turn),
        changes=receipts(messages),
        may_be_approved_unseen=may_be_approved_unseen(turn.get("asked")),
        question=turn["question"],
    )


def read_open(saver: Any, state: StateSnapshot, clock: Clock) -> Waiting | CutShort | None:
    """Return the open turn of a state; None if there is none."""
    if unread := find_unread(saver, state):
        return CutShort(thread_of_state(state), unread)
    if not state.tasks or not state.values.get("messages"):
        return None
    if unanswered := find_unanswered(state):
        return read_waiting(state, unanswered[0], clock)
    if not can_go_on(state):  # a client has edited it
        return None
    return CutShort(thread_of_state(state), this_turn(state.values["messages"])[0].text)


def require_waiting(state: StateSnapshot) -> list[Interrupt]:
    """Return the waiting requests of a state. Raises NotWaiting if there is none."""
    if unanswered := find_unanswered(state):
        return unanswered
    raise NotWaiting("Nothing in this conversation waits for a decision.", "Send a message instead.")


def thread_of_state(state: StateSnapshot) -> str:
    """Return the id of the conversation to which a state belongs."""
    return str(state.config["configurable"]["thread_id"])


def describe_unforeseen(fault: Exception) -> str:
    """Return the sentence about a bug in ana."""
    return f"Something went wrong that was not foreseen: {type(fault).__name__}: {fault}."


def config_of(thread: str) -> RunnableConfig:
    """Return langgraph's config for a conversation."""
    return {"configurable": {"thread_id": thread}}
