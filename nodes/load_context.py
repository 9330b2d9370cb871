"""load_context: begin the turn with Global Context and the clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import AnyMessage, BaseMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from ana.handles import Handles
from ana.time.dates import weekday
from graph.context import Context, context_of
from graph.state import Loaded, State
from nodes.attachments import keep_text
from nodes.history import messages_to_drop
from nodes.summary import summarise
from nodes.turns import begin_turn, end_abandoned, last_question

CALENDAR_DAYS = 14


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: read Global Context and the clock; drop the oldest turns of a long history, and summarise them."""
    context = context_of(runtime)
    handles, options = context.handles, context.model_options()
    found = len(state["messages"])
    state = end_abandoned(state, runtime)
    question, turn = last_question(state["messages"]), begin_turn(state, runtime)
    dropped = messages_to_drop(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarise(handles, state.get("summary", ""), dropped, turn, options)
    return {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": read_prompt_inputs(handles),
        "messages": _replace(state["messages"], dropped, keep_text(question), whole=len(state["messages"]) > found),
        "summary": summary,
        "replies": {},
    }


def _replace(
    messages: Sequence[AnyMessage], dropped: Sequence[AnyMessage], kept: Sequence[AnyMessage], *, whole: bool
) -> list[BaseMessage]:
    """Return the update of the messages.

    Args:
        messages: As they are now.
        dropped: Those that go.
        kept: Those that come in the place of others.
        whole: Whether some were added before the last one, which only a whole list can do.
    """
    if not whole:
        return [*(RemoveMessage(id=str(message.id)) for message in dropped), *kept]
    new = {message.id: message for message in kept}
    left = [new.get(message.id, message) for message in messages if message not in dropped]
    return [RemoveMessage(id=REMOVE_ALL_MESSAGES), *left]


def read_prompt_inputs(handles: Handles) -> Loaded:
    """Read what the prompt is built from, as it is now."""
    return Loaded(now=calendar(handles.clock.now(), handles.clock.zone_name), lines=handles.memory.lines())


def calendar(moment: datetime, zone_name: str) -> str:
    """Return date, time and zone, and the dates of the coming days with their weekdays."""
    # Models count weekdays wrong; a list of them is cheaper than a tool call for every "next Friday".
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}, {zone_name}\nComing days: {coming}"
