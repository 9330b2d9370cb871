"""The life of a turn: it begins, goes on, waits for a person and ends. Nodes and doors change a turn only through the
functions in this module.

A turn is open while it has no answer. An open one works, waits for a reply to a request, or was cut short: by a crash,
by a person, by a failure. It goes on from its checkpoint, or is closed without an answer of a model. The code that ends
a turn also writes its record, before anybody is shown the end.
"""

import base64
import hashlib
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import START
from langgraph.runtime import Runtime
from langgraph.types import Command, Interrupt, StateSnapshot

from ana.errors import UserError
from ana.handles import Handles
from ana.json_lines import Quoted
from ana.time.clock import Clock
from ana.tracing.record import build_record
from ana.tracing.schema import Record
from ana.translation import _, mark_text
from graph.context import Context, context_of, thread_of
from graph.state import State, Turn, merge_messages
from nodes.attachments import list_unread
from nodes.calls import answer_declined
from nodes.evidence import list_calls
from nodes.forks import find_fork, seed_fork
from nodes.history import is_answered, list_unanswered_calls, receipts, this_turn
from nodes.receipt import list_unwritten, make_answer, name_recorded, name_unchanged, render_receipt
from nodes.requests import Request
from nodes.usage import no_usage
from tools.artifacts import list_declined

NOT_APPROVED = mark_text("Not done: nobody approved it, and a new message came.")
NOT_ANSWERED = mark_text("Not finished: nobody replied to what was asked, and a new message came.")
NOT_FINISHED = mark_text("Not finished: a new message came before the answer.")
DROPPED = mark_text("Not done: nobody approved it, and the request was dropped.")
STOPPED = mark_text("Stopped.")
"""How a turn is closed: what stands for its answer."""

_log = logging.getLogger(__name__)


def continue_turn(state: State, runtime: Runtime[Context]) -> State:
    """Return the state for a node: with the turn that is open, or with one that begins here.

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
        source: The checkpoint from which the run was forked; None if it was not forked.

    Raises:
        UserError: It has been answered, or there is none.
    """
    question, context, info = find_question(state["messages"]), context_of(runtime), runtime.execution_info
    attempt = seed_fork(source, runtime) if source else info.checkpoint_id if info else ""
    turn = make_turn(f"{thread_of(runtime)}/{attempt}/{question.id}", state, context.handles.clock)
    return turn | {"id": context.name_turn(turn["id"]), "fork": source}


def find_question(messages: Sequence[AnyMessage]) -> HumanMessage:
    """Return the last user message.

    Raises:
        UserError: It has been answered, or there is none.
    """
    turn = this_turn(messages)
    question = turn[0] if turn else None
    if isinstance(question, HumanMessage) and not question.text.strip() and list_unread(question):
        raise UserError("Images are not read, and the message has no text.", "Say it in words.")
    if not isinstance(question, HumanMessage) or not question.text.strip() or is_answered(turn):
        raise UserError("There is nothing to answer: the last message is not a user's.", "Send a user message.")
    return question


def make_turn(seed: str, state: Mapping[str, Any], clock: Clock) -> Turn:
    """Return a turn in which nothing has happened yet.

    Args:
        seed: Decides the turn's id.
        state: The state before the turn, which answers the last user message.
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
        usage=no_usage(),
        durations={},
        error=None,
        answer=None,
    )
    if before or ("turn" not in state and question is state["messages"][0]):  # else nobody knows which was before it
        # the last turn that was answered; None if there was none
        turn["previous"] = before and (before["id"] if before["answer"] is not None else before.get("previous"))
    return turn


def find_turn(state: StateSnapshot, clock: Clock) -> Turn:
    """Return the open turn of a thread; make one if its next node begins it."""
    seed = f"{state.config}/{this_turn(state.values['messages'])[0].id}"
    return _find_begun(state) or make_turn(seed, state.values, clock)


def find_unanswered(state: StateSnapshot) -> list[Interrupt]:
    """Return the requests without a known reply.

    A reply is checkpointed before the turn goes on, so a turn that a crash ends after it needs no second one.
    """
    return [request for request in state.interrupts if request.id not in state.values.get("replies", {})]


def find_unread(saver: Any, state: StateSnapshot) -> str | None:
    """Return the message of a run that ended before it put the message into the thread; None if there is none."""
    if state.next != (START,):
        return None
    update = saver.get_tuple(state.config).checkpoint["channel_values"][START]
    return "".join(message.text for message in merge_messages([], update.get("messages", []))[-1:])


def can_go_on(state: StateSnapshot) -> bool:
    """Return whether a turn has begun, or can begin with a waiting question; False if a client has forked the thread.

    If the last node's writes are saved without a checkpoint, the state names no next node, and the rest is unknown.
    """
    with suppress(UserError):
        begun = not state.next or _find_begun(state) or find_question(state.values["messages"])
        return bool(state.tasks) and len(state.next) < 2 and bool(begun)
    return False


def build_input(state: StateSnapshot, reply: Mapping[str, Any] | None = None) -> "Command[Any] | None":
    """Return the input that lets a turn go on: with a new reply, and with earlier ones that a crash left unused."""
    saved = state.values.get("replies", {})
    replies = {request.id: saved[request.id] for request in state.interrupts if request.id in saved} | dict(reply or {})
    return Command(resume=replies, update={"replies": replies}) if replies else None


def end_turn(
    turn: Turn, answer: str, receipt: str, recorded: str, id: str = "", source: str = ""
) -> tuple[AIMessage, Turn]:
    """Return the message that ends a turn, and the ended turn.

    Args:
        turn: The turn, with its error if it failed. The other arguments are those of `make_answer`.
        id: The message's id, if it is a draft of the model that clients have seen under this id; else empty.
    """
    failed = {"ana_error": turn["error"]} if turn["error"] else {}
    usage, name = turn.get("told") if id else None, id or f"{turn['id']}-answer"
    more = {"response_metadata": failed, "usage_metadata": usage}
    message = make_answer(answer, receipt, recorded, name, turn["ts"][:10], source, **more)
    return message, turn | {"answer": answer, "receipt": receipt}


def close_turn(
    handles: Handles,
    turn: Turn,
    messages: Sequence[AnyMessage],
    why: str,
    thread: str,
    answers: Sequence[ToolMessage] = (),
    model: str | None = None,
) -> tuple[list[AnyMessage], Turn]:
    """End an abandoned turn: write its record, and return the messages that end it, and how it ended.

    Args:
        messages: Its messages, from the user's on.
        why: Why it ends, as a sentence.
        answers: The answers to calls that are known not to have run.
        model: Another model's name, if the run chose one.
    """
    written = receipts(messages)
    # whether a call that is not answered wrote is not known
    is_known = {call["id"] for call in list_unanswered_calls(messages)} <= {each.tool_call_id for each in answers}
    receipt = render_receipt([*list_calls(messages)]) or (name_unchanged() if is_known else "")
    message, ended = end_turn(
        turn | {"error": why}, _(why), receipt, name_recorded(written) if written or is_known else ""
    )
    handles.traces.write(make_record(handles, ended, [*messages, *answers], thread, model))
    return [*answers, message], ended


def refuse_calls(messages: Sequence[AnyMessage], request: Request | None = None) -> tuple[str, list[ToolMessage]]:
    """Return the sentence that closes a turn nobody replied to, and answers to the calls that have certainly not run.

    It is unknown whether another call of the same batch ran, or a call of a node that asks in another way;
    nodes/history.py says so to the model.

    Args:
        request: The request of a tool of the person's own; None if it came before any call of the batch ran.
    """
    calls = list_unanswered_calls(messages)
    if request is None:
        return NOT_APPROVED, [answer_declined(call) for call in calls]
    actions = [(action.get("name"), action.get("args")) for action in request["action_requests"]]
    refused = [answer_declined(call) for call in calls if (call["name"], call["args"]) in actions]
    return NOT_APPROVED if actions else NOT_ANSWERED, refused


def close_passed_over(state: State, runtime: Runtime[Context]) -> State:
    """Return the state with the end of a turn that was open when this message came, and write its record.

    Doors that run the graph themselves end such a turn first. A client of the server just sends its message.
    """
    turn, before, question = state.get("turn"), state["messages"][:-1], state["messages"][-1:]
    messages = this_turn(before)
    if not turn or turn["answer"] is not None or not messages or not isinstance(question[0], HumanMessage):
        return state
    if is_answered(messages) or turn.get("message", messages[0].id) != messages[0].id:  # a client has edited it
        return state
    why, answers = refuse_calls(before) if turn.get("asked") else (NOT_FINISHED, [])
    context, thread = context_of(runtime), thread_of(runtime)
    model = context.model_options().get("model")
    added, turn = close_turn(context.handles, turn, messages, why, thread, answers, model)
    return state | {"messages": [*before, *added, *question], "turn": turn}


def make_record(
    handles: Handles, turn: Turn, messages: Sequence[AnyMessage], thread: str, model: str | None = None
) -> Record:
    """Return the record of a turn that has ended, which is logged and counted.

    Args:
        messages: Its messages, from the user's on.
        model: Another model's name, if the run chose one.
    """
    record = build_record(turn, messages, thread, handles.settings, model, receipts(messages))
    if unwritten := list_unwritten([*list_calls(messages)], list_declined(messages)):
        record["unwritten"] = unwritten
    spent = sum(turn["durations"].values())
    error = record["error"] and Quoted(record["error"])
    _log.info("turn %s: %d steps, %.2f s, error %s", record["id"], len(record["steps"]), spent, error)
    handles.meter.count_turn(record)
    return record


def _find_begun(state: StateSnapshot) -> Turn | None:
    """Return the turn that has begun and not ended; None if the next node begins one."""
    turn: Turn | None = state.values.get("turn")
    return turn if turn and turn["answer"] is None and "load_context" not in state.next else None


def _keep_edited(state: State) -> str:
    """Return the draft if a person wrote it; a draft of an earlier attempt is not the answer of this one."""
    turn, draft = state.get("turn"), state.get("draft", "")
    if turn is None or turn["error"]:
        return ""
    own = [decision["text"].strip() for decision in turn["decisions"][-1:]]
    return "" if draft in own else draft
