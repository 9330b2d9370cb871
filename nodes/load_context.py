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
from graph.state import Loaded, State, Turn
from nodes.attachments import keep_text
from nodes.history import messages_to_drop
from nodes.summary import summarise
from nodes.turns import begin_turn, close_passed_over, last_question

CALENDAR_DAYS = 14
WAITED = "That was when the person wrote. The turn has waited since; by now it is"


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: read Global Context and the clock; drop the oldest turns of a long history, and summarise them."""
    context = context_of(runtime)
    handles, options = context.handles, context.model_options()
    found = len(state["messages"])
    state = close_passed_over(state, runtime)
    question, turn = last_question(state["messages"]), begin_turn(state, runtime)
    dropped = messages_to_drop(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarise(handles, state.get("summary", ""), dropped, turn, options)
    changed = _replace(state["messages"], dropped, keep_text(question), whole=len(state["messages"]) > found)
    return {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": read_prompt_inputs(handles, turn),
        "summary": summary,
        "replies": {},
        **({"messages": changed} if changed else {}),
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


def loaded_of(state: State, handles: Handles) -> Loaded:
    """Return what was read when the turn began; it is read again where a turn goes on in another process."""
    return state.get("loaded") or read_prompt_inputs(handles, state["turn"])


def read_prompt_inputs(handles: Handles, turn: Turn) -> Loaded:
    """Read what the prompt of a turn is built from."""
    # the moment of the turn and not of this call: "tomorrow" still means the same after a night that the turn waited
    began, now = datetime.fromisoformat(turn["ts"]).astimezone(handles.clock.zone), handles.clock.now()
    waited = f"\n{WAITED} {_spell(now)}." if now.date() != began.date() else ""
    vocabulary, lines = _read_store(handles)
    return Loaded(now=calendar(began, handles.clock.zone_name) + waited, vocabulary=vocabulary, lines=lines)


def _read_store(handles: Handles) -> tuple[str, dict[int, str]]:
    """Return the names in use and Global Context, of one state."""
    if handles.settings.provider == "offline":  # it has no use for the names
        return "", handles.memory.lines()
    with handles.memory.backend.reading():
        return handles.memory.vocabulary.describe(), handles.memory.lines()


def calendar(moment: datetime, zone_name: str) -> str:
    """Return date, time and zone, and the dates of the coming days with their weekdays."""
    # Models count weekdays wrong; a list of them is cheaper than a tool call for every "next Friday".
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{_spell(moment)}, {zone_name}\nComing days: {coming}"


def _spell(moment: datetime) -> str:
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}"
