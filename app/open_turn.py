"""Find, resume and close a turn that has not ended."""

from contextlib import suppress
from typing import Any

from langchain_core.messages import AnyMessage
from langgraph.types import Command, Interrupt, StateSnapshot

from ana.errors import UserError
from ana.time.clock import Clock
from app.outcome import Request
from graph.state import Turn
from nodes.calls import answer_refused
from nodes.history import this_turn, unanswered_calls
from nodes.turns import NOT_APPROVED, last_question, new_turn

NOT_ANSWERED = "Not finished: nobody replied to what was asked, and a new message came."
DROPPED = "Not done: nobody approved it, and the request was dropped."


def find_unanswered(state: StateSnapshot) -> list[Interrupt]:
    """Return the requests that no reply is known for.

    A reply is checkpointed before the turn goes on, so a turn that a crash ends after it needs no second one.
    """
    return [asked for asked in state.interrupts if asked.id not in state.values.get("replies", {})]


def find_begun(state: StateSnapshot) -> Turn | None:
    """Return the turn that has begun and not ended; None if the next node begins one."""
    turn: Turn | None = state.values.get("turn")
    return turn if turn and turn["answer"] is None and "load_context" not in state.next else None


def find_turn(state: StateSnapshot, clock: Clock) -> Turn:
    """Return the open turn; build one if it has not begun."""
    seed = f"{state.config}/{this_turn(state.values['messages'])[0].id}"
    return find_begun(state) or new_turn(seed, state.values, clock)


def can_go_on(state: StateSnapshot) -> bool:
    """Return whether a turn has begun, or a question waits with which one can begin; not if a client has forked it."""
    with suppress(UserError):
        return len(state.next) == 1 and bool(find_begun(state) or last_question(state.values["messages"]))
    return False


def build_input(state: StateSnapshot, reply: dict[str, Any] | None = None) -> "Command[Any] | None":
    """Return the input that lets a turn go on: with a new reply, and with those that a crash kept from being used."""
    known = {
        asked.id: state.values["replies"][asked.id] for asked in state.interrupts if asked not in find_unanswered(state)
    }
    replies = known | (reply or {})
    return Command(resume=replies, update={"replies": replies}) if replies else None


def close(request: Request, messages: list[AnyMessage], *, approval: bool) -> tuple[str, list[AnyMessage]]:
    """Return the sentence that ends a turn nobody replied to, and answers to the calls that are known not to have run.

    Those are the calls that were asked about. Whether another call of the same batch ran, or one of a node that asks in
    another way, is not known; nodes/history.py says so to the model.

    Args:
        request: What was asked.
        messages: The thread's.
        approval: Whether it was asked before any call of the batch ran.
    """
    if not request["action_requests"]:
        return NOT_ANSWERED, []
    asked = [(action.get("name"), action.get("args")) for action in request["action_requests"]]
    calls = [call for call in unanswered_calls(messages) if approval or (call["name"], call["args"]) in asked]
    return NOT_APPROVED, [answer_refused(call) for call in calls]
