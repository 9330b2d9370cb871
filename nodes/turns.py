"""Turns: one begins where a user message has no answer, however the state came to be."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime

from ana.errors import UserError
from ana.time.clock import Clock
from ana.tracing.record import build_record
from graph.context import Context, context_of, thread_of
from graph.state import State, Turn
from nodes.attachments import left_out
from nodes.calls import answer_refused
from nodes.forks import find_fork, seed_fork
from nodes.history import is_answered, this_turn, unanswered_calls

NOT_APPROVED = "Not done: nobody approved it, and a new message came."
"""The answer of a turn that waited when the next message came."""


def continue_turn(state: State, runtime: Runtime[Context]) -> State:
    """Return the state as a node finds it: with the turn that is open, or with one that begins here.

    A client may have put a message into the state, or may go back to an earlier state and have the turn answered again.
    """
    turn = state.get("turn")
    source = find_fork(turn, runtime) if turn else None
    if turn and turn["answer"] is None and source is None:
        return state
    return state | {"turn": begin_turn(state, runtime, source), "draft": _keep_edited(state)}


def begin_turn(state: State, runtime: Runtime[Context], source: str | None = None) -> Turn:
    """Return the turn that answers the last user message.

    Args:
        state: The state that a node finds.
        runtime: The run.
        source: The checkpoint that the run was forked from; None if it was not.

    Raises:
        UserError: It has been answered, or there is none.
    """
    question, info = last_question(state["messages"]), runtime.execution_info
    context, attempt = context_of(runtime), seed_fork(source, runtime) if source else info.checkpoint_id if info else ""
    seed = f"{thread_of(runtime)}/{attempt}/{question.id}"
    turn = new_turn(seed, state, context.handles.clock)
    return turn | {"id": context.name_turn(turn["id"]), "fork": source}


def last_question(messages: Sequence[AnyMessage]) -> HumanMessage:
    """Return the last user message.

    Raises:
        UserError: It has been answered, or there is none.
    """
    turn = this_turn(messages)
    question = turn[0] if turn else None
    if isinstance(question, HumanMessage) and not question.text.strip() and left_out(question):
        raise UserError("Images are not read, and the message has no text.", "Say it in words.")
    if not isinstance(question, HumanMessage) or not question.text.strip() or is_answered(turn):
        raise UserError("There is nothing to answer: the last message is not a user's.", "Send a user message.")
    return question


def new_turn(seed: str, state: Mapping[str, Any], clock: Clock) -> Turn:
    """Return a turn in which nothing has happened yet.

    Args:
        seed: Decides the turn's id.
        state: As it is before; the turn answers the last user message.
        clock: For the time it begins.
    """
    question, before = this_turn(state["messages"])[0], state.get("turn")
    # A turn that is begun again after a crash must be the same turn, or the journal and the trace would show two.
    entropy = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:10]
    turn = Turn(
        id=base64.b32encode(entropy).decode().lower(),
        ts=clock.now().isoformat(timespec="seconds"),
        question=question.text,
        message=str(question.id),
        shown={},
        corrections=[],
        decisions=[],
        usage={"input_tokens": 0, "output_tokens": 0, "estimated": False},
        durations={},
        error=None,
        answer=None,
    )
    if before or ("turn" not in state and question is state["messages"][0]):  # else nobody knows which was before it
        turn["previous"] = _find_previous(before)
    return turn


def end_abandoned(state: State, runtime: Runtime[Context]) -> State:
    """Return the state with the end of a turn that waited for a person when this message came, and write its record.

    Doors that run the graph themselves end it first. A client of the server just sends its message.
    """
    turn, messages = state.get("turn"), state["messages"]
    if not turn or turn["answer"] is not None or not turn.get("asked") or not isinstance(messages[-1], HumanMessage):
        return state
    *before, question = messages
    answers = [answer_refused(call) for call in unanswered_calls(before)]
    ended = [*before, *answers, AIMessage(NOT_APPROVED, id=f"{turn['id']}-answer")]
    context = context_of(runtime)
    turn = turn | {"answer": NOT_APPROVED, "error": NOT_APPROVED}
    context.handles.traces.write(
        build_record(turn, this_turn(ended), thread_of(runtime), context.handles.settings, context.model)
    )
    return state | {"messages": [*ended, question], "turn": turn}


def _keep_edited(state: State) -> str:
    """Return the draft if a person wrote it; one of an earlier attempt is not the answer of this one."""
    turn, draft = state.get("turn"), state.get("draft", "")
    if turn is None or turn["error"]:
        return ""
    own = [decision["text"].strip() for decision in turn["decisions"][-1:]]
    return "" if draft in own else draft


def _find_previous(before: Turn | None) -> str | None:
    """Return the last turn that was answered; None if there was none."""
    if before is None:
        return None
    return before["id"] if before["answer"] is not None else before.get("previous")
