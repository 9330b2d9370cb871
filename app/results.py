"""How a turn ended, read from what the graph left in its thread."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage
from langgraph.types import Interrupt, StateSnapshot

from ana.handles import Handles
from ana.models.base import COMPOSED
from ana.models.prices import cost
from ana.models.providers import model_name
from ana.time.clock import Clock
from ana.tracing.record import list_steps
from app.outcome import Done, Waiting
from graph.state import Turn
from nodes.autonomy.request import may_be_approved_unseen
from nodes.history import calculation_failed, receipts, refused_copies, this_turn, understood
from nodes.requests import read_request
from nodes.turns import find_turn


def read_done(handles: Handles, thread_id: str, turn: Turn, messages: Sequence[AnyMessage]) -> Done:
    """Return a turn with its answer.

    Args:
        handles: For the traces and the price of the model.
        thread_id: The conversation.
        turn: The turn, as it has ended.
        messages: Its messages, from the user's on.
    """
    return Done(
        answer=turn["answer"] or "",
        thread_id=thread_id,
        trace_id=turn["id"],
        trace_path=handles.traces.place(thread_id),
        steps=list_steps(messages, turn["corrections"]),
        usage=dict(turn["usage"]),
        cost_usd=cost(turn["usage"], model_name(handles.settings), handles.settings),
        changes=receipts(messages),
        receipt=turn.get("receipt", ""),
        error=turn["error"],
        fruitless=not understood(turn) or calculation_failed(messages),
        refused_copy=bool(refused_copies(messages)),
        question=turn["question"],
        composed=any(decision.get(COMPOSED) for decision in turn["decisions"][-1:]),
    )


def read_waiting(state: StateSnapshot, asked: Interrupt, clock: Clock) -> Waiting:
    """Return a turn that waits for the reply to a request."""
    turn, messages = find_turn(state, clock), this_turn(state.values["messages"])
    return Waiting(
        thread_id=thread_of_state(state),
        turn_id=turn["id"],
        request_id=asked.id,
        request=read_request(asked),
        steps=list_steps(messages, turn["corrections"]),
        changes=receipts(messages),
        may_be_approved_unseen=may_be_approved_unseen(turn.get("asked")),
        question=turn["question"],
    )


def thread_of_state(state: StateSnapshot) -> str:
    """Return the id of the conversation that a state is of."""
    return str(state.config["configurable"]["thread_id"])
