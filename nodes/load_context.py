"""load_context: begin the turn with Global Context and the clock."""

from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import RemoveMessage
from langgraph.runtime import Runtime

from ana.handles import Handles
from ana.time.dates import weekday
from graph.context import Context, context_of
from graph.state import Loaded, State
from nodes.attachments import keep_text
from nodes.history import messages_to_drop
from nodes.summary import summarise
from nodes.turns import begin_turn, last_question

CALENDAR_DAYS = 14


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: read Global Context and the clock; drop the oldest turns of a long history, and summarise them."""
    context = context_of(runtime)
    handles, options = context.handles, context.model_options()
    question, turn = last_question(state["messages"]), begin_turn(state, runtime)
    dropped = messages_to_drop(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarise(handles, state.get("summary", ""), dropped, turn, options)
    return {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": read_prompt_inputs(handles),
        "messages": [
            *(RemoveMessage(id=str(message.id)) for message in dropped),
            *keep_text(question),
        ],
        "summary": summary,
        "replies": {},
    }


def read_prompt_inputs(handles: Handles) -> Loaded:
    """Read what the prompt is built from, as it is now."""
    return Loaded(now=calendar(handles.clock.now(), handles.clock.zone_name), lines=handles.memory.lines())


def calendar(moment: datetime, zone_name: str) -> str:
    """Return date, time and zone, and the dates of the coming days with their weekdays."""
    # Models count weekdays wrong; a list of them is cheaper than a tool call for every "next Friday".
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}, {zone_name}\nComing days: {coming}"
