"""load_context: begin the turn with Global Context and the clock."""

import base64
import hashlib
from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from ana.errors import UserError
from ana.handles import Handles
from ana.time.clock import Clock
from ana.time.dates import weekday
from graph.context import Context, context_of, thread_of
from graph.state import Loaded, State, Turn
from nodes.history import messages_to_drop
from nodes.summary import summarise

CALENDAR_DAYS = 14


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: read Global Context and the clock; drop the oldest turns of a long history, and summarise them."""
    context = context_of(runtime)
    handles, options = context.handles, context.model_options()
    question = last_question(state["messages"])
    info = runtime.execution_info
    turn = new_turn(
        f"{thread_of(runtime)}/{info.checkpoint_id if info else ''}/{question.id}", question.text, handles.clock
    )
    dropped = messages_to_drop(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarise(handles, state.get("summary", ""), dropped, turn, options)
    return {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": read_prompt_inputs(handles),
        "messages": [RemoveMessage(id=str(message.id)) for message in dropped],
        "summary": summary,
        "replies": {},
    }


def last_question(messages: list[AnyMessage]) -> HumanMessage:
    """Return the user message that this turn answers.

    Raises:
        UserError: The last message is not a user's.
    """
    last = messages[-1] if messages else None
    if not isinstance(last, HumanMessage) or not last.text.strip():
        raise UserError("There is nothing to answer: the last message is not a user's.", "Send a user message.")
    return last


def new_turn(seed: str, question: str, clock: Clock) -> Turn:
    """Return a turn in which nothing has happened yet.

    Args:
        seed: Decides the turn's id.
        question: The user message.
        clock: For the time it begins.
    """
    # A turn that is begun again after a crash must be the same turn, or the journal and the trace would show two.
    entropy = hashlib.sha256(seed.encode("utf-8", "surrogatepass")).digest()[:10]
    return Turn(
        id=base64.b32encode(entropy).decode().lower(),
        ts=clock.now().isoformat(timespec="seconds"),
        question=question,
        shown={},
        corrections=[],
        decisions=[],
        usage={"input_tokens": 0, "output_tokens": 0, "estimated": False},
        durations={},
        error=None,
        answer=None,
    )


def read_prompt_inputs(handles: Handles) -> Loaded:
    """Read what the prompt is built from, as it is now."""
    return Loaded(now=calendar(handles.clock.now(), handles.clock.zone_name), lines=handles.memory.lines())


def calendar(moment: datetime, zone_name: str) -> str:
    """Return date, time and zone, and the dates of the coming days with their weekdays."""
    # Models count weekdays wrong; a list of them is cheaper than a tool call for every "next Friday".
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}, {zone_name}\nComing days: {coming}"
