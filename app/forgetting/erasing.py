"""Carrying out a plan: each store deletes its part, the journal last, because it says what else to look for.

A note keeps the ids meanwhile, so that the next program that opens the conversations can finish an interrupted run.
Each step can be repeated.
"""

import json
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from ana.errors import AnaError
from ana.memory.backend import to_key
from ana.output import tell
from ana.people.grants import forget_items
from ana.tracing.schema import Record
from app.forgetting.plan import Plan, complete, list_messages, make_plan, name_record, shows
from app.mentions import Mentions, remove_lines, remove_typed
from app.serving import refuse_while_serving
from app.show.confirm import can_ask, confirm, require_consent
from app.show.text import say
from app.turn import Assistant
from nodes.history import split_turns

_FIELDS = {"id", "ts", "message", "previous", "thread_id", "model", "provider", "usage", "cost_usd", "format"}
"""What the record of a forgotten turn keeps."""

_EMPTY: dict[str, Any] = {"answer": "", "decisions": [], "error": None}
_OF_RECORD = _EMPTY | {"steps": [], "durations": {}}
_OF_STATE = _EMPTY | {"receipt": "", "corrections": [], "checks": [], "asked": None, "approved": {}, "given": []}
"""What stands in place of what was said and done, in a record and in the turn of a state."""


def ask_and_forget(assistant: Assistant, name: str, *, with_items: bool = False, yes: bool = False) -> None:
    """Say what is removed and what stays, ask, and forget.

    Args:
        yes: Whether the person has said yes beforehand.

    Raises:
        UserError: The name does not exist, the person does not agree, or nobody can be asked.
        StoreBusy: Another program works in one of the conversations; a server has its own page for this.
    """
    refuse_while_serving(assistant.handles.workspace, "forget")
    plan = make_plan(assistant.handles, name, with_items=with_items)
    for title, lines in plan.list_parts():
        say(title)
        for line in lines:
            say(f"- {line}")
    if plan.stored and not yes and can_ask() and confirm("Forget what was stored, too?"):
        plan = make_plan(assistant.handles, name, with_items=True)
    require_consent("This cannot be undone. Forget it?", yes=yes, done="forgotten")
    carry_out(assistant, plan)
    say("Forgotten.")


def carry_out(assistant: Assistant, plan: Plan) -> None:
    """Forget everything in a plan. Raises StoreBusy if another program works in one of the conversations."""
    handles, workspace = assistant.handles, assistant.handles.workspace
    note = workspace.note("forgetting")
    note.write(json.dumps({"turns": [*plan.named], "records": [*map(name_record, plan.records)]}))
    mentions = Mentions({*plan.texts, *(id for _, id in plan.records)})
    remove_typed(workspace.typed_file, mentions, {record["question"].strip() for record in plan.turns})
    remove_lines(workspace, mentions)
    for thread in plan.threads:
        blank = partial(_blank, plan)
        assistant.rewrite(thread, partial(_leave_out, plan, thread), partial(handles.traces.change, thread, blank))
    workspace.open_threads().purge(plan.trashed)
    workspace.storage.forget_runs(plan.threads)
    if plan.records:
        with handles.memory.backend.alone():  # nobody restores a record before it is erased
            for kind, id in plan.records:
                if handles.memory.record(kind, id):
                    handles.memory.delete(id) if kind == "item" else handles.memory.delete_line(int(id))
            handles.memory.backend.erase(plan.records)
        workspace.open_ledger().forget(plan.items)
        forget_items(workspace, plan.items)
    note.remove()


def finish(assistant: Assistant) -> bool:
    """Finish the forgetting that an ended process had begun; return whether there was any."""
    if not (text := assistant.handles.workspace.note("forgetting").read()):
        return False
    begun = json.loads(text)
    carry_out(assistant, complete(assistant.handles, {*begun["turns"]}, {*map(to_key, begun["records"])}))
    return True


def finish_at_start(assistant: Assistant) -> None:
    """Do as `finish` does. A failure is reported, and tried again at the next start."""
    try:
        finish(assistant)
    except AnaError as exc:
        tell(f"What was to be forgotten is not all forgotten yet: {exc.sentence()}")


def _blank(plan: Plan, record: Record) -> Record:
    """Return the rest of a record: for a forgotten turn its time and cost, for others everything but the summary."""
    known = cast(dict[str, Any], record)
    if plan.means(record):
        day = record.get("forgotten", plan.day)
        fields = {name: value for name, value in known.items() if name in _FIELDS}
        return cast(Record, fields | _OF_RECORD | {"question": f"(forgotten on {day})", "forgotten": day})
    if replay := known.get("replay"):
        return cast(Record, known | {"replay": replay | {"summary": ""}})
    return record


def _leave_out(plan: Plan, thread: str, state: Any) -> dict[str, Any]:
    """Return the update of a conversation's state: a mark for each forgotten turn, and no summary that may contain
    one.
    """
    own = list_messages([turn for turn in plan.turns if turn["thread_id"] == thread])
    ids = plan.items | plan.messages
    unnamed = {turn["question"] for turn in plan.turns if not turn.get("message")}  # as an earlier version recorded it
    turns = split_turns(state["messages"])

    def concerns(messages: Sequence[AnyMessage]) -> bool:
        return shows(messages, ids) or messages[0].text in unnamed

    remaining = [each for turn in turns for each in (_mark(plan, turn) if concerns(turn) else turn)]
    new = {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *remaining], "draft": "", "replies": {}}
    if not own or not own <= {turn[0].id for turn in turns}:  # else the summary is of turns before these
        new["summary"] = ""
    if turn := state.get("turn"):
        replay = turn.get("replay")
        blank = _OF_STATE | {"question": plan.question} if shows(turn, ids) else {}
        new["turn"] = turn | blank | ({"replay": replay | {"summary": ""}} if replay else {})
    return new


def _mark(plan: Plan, turn: Sequence[AnyMessage]) -> list[BaseMessage]:
    """Return the messages in place of a turn: the first, because clients know it, and an answer, because models refuse
    an empty one.
    """
    return [HumanMessage(plan.question, id=turn[0].id), AIMessage("(forgotten)", id=turn[-1].id)]
