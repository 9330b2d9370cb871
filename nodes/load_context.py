"""load_context: begin the turn with Global Context and the clock."""

import json
from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from ana.handles import Handles
from ana.memory.item import Item
from ana.memory.search.result import QueryResult
from ana.output import shorten
from ana.time.dates import weekday
from ana.time.repeats import may_repeat
from graph.context import Context, context_of
from graph.state import Loaded, State, Turn
from nodes.attachments import keep_text
from nodes.history import choose_dropped
from nodes.summary import summarise
from nodes.turns import begin_turn, close_passed_over, find_question
from nodes.view import find_source_of_summary

CALENDAR_DAYS = 14
MOST_OVERDUE = 100
"""More overdue items than this are not counted."""
NAMED = 3
"""So many of them are named, the oldest first."""
TITLE = 40
"""Characters of such a name."""
WAITED = "That was when the person wrote. The turn has waited since; by now it is"


def load_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    """Start a turn: read Global Context and the clock; drop the oldest turns of a long history, and summarise them."""
    context = context_of(runtime)
    if not context.is_repeated:
        where = context.handles.workspace.whereabouts
        where.look(context.handles.memory, context.handles.clock, context.timezone or "")
    handles, options = context.handles, context.model_options()
    count = len(state["messages"])
    before = datetime.fromisoformat(state["turn"]["ts"]) if count > 1 and state.get("turn") else None
    state = close_passed_over(state, runtime)
    question, turn = find_question(state["messages"]), begin_turn(state, runtime)
    dropped = choose_dropped(state["messages"], handles.settings.ana_history_tokens)
    summary, usage = summarise(handles, state.get("summary", ""), dropped, turn, options)
    source = find_source_of_summary(state, dropped, handles.memory)
    gone, kept = {message.id for message in dropped}, keep_text(question)
    update: dict[str, Any] = {}
    if gone or kept is not question or len(state["messages"]) > count:
        remaining = (kept if each is question else each for each in state["messages"] if each.id not in gone)
        update = {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *remaining]}
    return update | {
        "turn": turn | {"usage": usage},
        "draft": "",
        "loaded": read_prompt_inputs(handles, turn, before),
        "summary": summary,
        "summary_source": source,
        "replies": {},
    }


def get_loaded(state: State, handles: Handles) -> Loaded:
    """Return the context that was read when the turn began; if a turn continues in another process, read it again."""
    return state.get("loaded") or read_prompt_inputs(handles, state["turn"])


def read_prompt_inputs(handles: Handles, turn: Turn, before: datetime | None = None) -> Loaded:
    """Read the data from which the prompt of a turn is built.

    Args:
        before: When the turn before began, in which the conversation was told of overdue items; None if there was no
            turn.
    """
    # the moment of the turn and not of this call: "tomorrow" still means the same after a night that the turn waited
    began, now = datetime.fromisoformat(turn["ts"]).astimezone(handles.clock.zone), handles.clock.now()
    waited = f"\n{WAITED} {_spell(now)}." if now.date() != began.date() else ""
    travel = handles.workspace.whereabouts.tell_model(before)
    moment = calendar(began, handles.clock.zone_name) + waited + (travel and f"\n{travel}")
    memory = handles.memory
    if handles.settings.provider == "offline":  # it has no use for the rest
        return Loaded(now=moment, vocabulary="", lines=memory.lines())
    before = before and before.astimezone(handles.clock.zone)
    with memory.backend.reading():
        late = memory.find_overdue(MOST_OVERDUE, now=began)  # a turn may have waited
        new = memory.find_overdue(NAMED, now=began, since=before) if before and late.items else late
        vocabulary, lines = memory.vocabulary.describe(), memory.lines()
    named = {item.id: shorten(item.content, TITLE) for item in new.items[:NAMED]}
    return Loaded(now=moment + _tell_overdue(late, new, before), vocabulary=vocabulary, lines=lines, overdue=named)


def _tell_overdue(late: QueryResult, new: QueryResult, before: datetime | None) -> str:
    """Return a line with the number of overdue items and those not told before; empty if nothing is overdue."""
    if not late.items:
        return ""
    count = f"\nOverdue: {len(late.items)}{'+' if late.truncated else ''}"
    if not new.items:
        return f"{count}, as told before"
    named = "; ".join(map(_tell_late, new.items[:NAMED])) + ("; ..." if len(new.items) > NAMED or new.truncated else "")
    return f"{count}, new since your last talk on {before.date()}: {named}" if before else f"{count} ({named})"


def _tell_late(item: Item) -> str:
    """Return an overdue item in a few words, with its id; for a repeated one, the first date that is not marked."""
    since = "not marked since" if may_repeat(item.properties) else "due"
    return f"{item.id} {json.dumps(shorten(item.content, TITLE), ensure_ascii=False)}, {since} {item.date}"


def calendar(moment: datetime, zone_name: str) -> str:
    """Return date, time and zone, and the dates of the coming days with their weekdays."""
    # Models count weekdays wrong; a list of them is cheaper than a tool call for every "next Friday".
    days = (moment.date() + timedelta(days=n) for n in range(1, CALENDAR_DAYS + 1))
    coming = ", ".join(f"{weekday(day)[:3]} {day.isoformat()}" for day in days)
    return f"{_spell(moment)}, {zone_name}\nComing days: {coming}"


def _spell(moment: datetime) -> str:
    return f"{weekday(moment.date())} {moment:%Y-%m-%d %H:%M}"
