"""load_context: begin the turn with what is always present."""

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
from nodes.history import trimmed
from nodes.summary import summarised

CALENDAR_DAYS = 14


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: Global Context and clock are read, the history is trimmed on turn boundaries and summarised."""
    handles = context_of(runtime).handles
    question = last_question(state["messages"])
    info = runtime.execution_info
    turn = new_turn(
        f"{thread_of(runtime)}/{info.checkpoint_id if info else ''}/{question.id}", question.text, handles.clock
    )
    dropped = trimmed(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarised(handles, state.get("summary", ""), dropped, turn["usage"])
    return {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": load(handles),
        "messages": [RemoveMessage(id=str(message.id)) for message in dropped],
        "summary": summary,
        "replies": {},
    }


def last_question(messages: list[AnyMessage]) -> HumanMessage:
    """The user message that this turn answers.

    Raises:
        UserError: The last message is not a user's.
    """
    last = messages[-1] if messages else None
    if not isinstance(last, HumanMessage) or not last.text.strip():
        raise UserError("There is nothing to answer: the last message is not a user's.", "Send a user message.")
    return last


def new_turn(seed: str, question: str, clock: Clock) -> Turn:
    """A turn's beginning. Its id follows from the seed, so that a turn begun again after a crash is the same turn."""
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


def load(handles: Handles) -> Loaded:
    """What the prompt is built from, as it is now."""
    return Loaded(now=calendar(handles.clock.now(), handles.clock.zone_name), lines=handles.memory.lines())


def calendar(moment: datetime, zone_name: str) -> str:
    """Date, time and zone, and the dates of the coming days with their weekdays."""
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}, {zone_name}\nComing days: {coming}"
