"""A conversation as the page shows it: from the traces of its turns, and from what waits or works there."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.types import StateSnapshot

from ana.handles import Handles
from ana.memory.receipts import list_changes, tells_no_changes
from ana.memory.undo import find_all_undone
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import Record, Step, is_call
from app.outcome import Waiting, read_waiting
from app.repl.editing import write_values
from app.server.request_threads import run_in_threadpool
from app.server.thread_row import Row
from app.server.workspaces import OpenWorkspace
from app.show.calls import describe_call
from app.show.replayed import describe_observation
from app.show.requests import QUESTION, word_actions
from app.show.text import shorten, show_moment
from graph.context import TOLD
from nodes.history import is_answered, this_turn
from nodes.turns import find_unanswered

TURNS = 30
"""Turns on one page."""

CONVERSATIONS = 50
"""Conversations in the list."""

TITLE = 80
"""Characters of a conversation's name, or of its first words in place of one."""


@dataclass(frozen=True)
class ShownTurn:
    """A turn as it is read in its conversation."""

    id: str
    ts: str
    when: str
    question: str
    answer: str
    calls: Sequence[tuple[str, str, str]]
    corrections: Sequence[tuple[str, str]]
    receipts: Sequence[str]
    is_unchanged: bool
    is_undone: bool
    can_undo: bool


@dataclass(frozen=True)
class ShownAction:
    """An action of a request, with what may be decided on it."""

    number: int
    title: str
    lines: Sequence[str]
    allowed: Sequence[tuple[str, str]]
    editable: str

    @property
    def rows(self) -> int:
        """How many lines its field has."""
        return min(self.editable.count("\n") + 1, 12)


@dataclass(frozen=True)
class ShownRequest:
    """What waits for a decision."""

    request_id: str
    question: str
    title: str
    summary: Sequence[str]
    actions: Sequence[ShownAction]
    calls: Sequence[tuple[str, str, str]]
    corrections: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Listed:
    """A conversation in the list."""

    id: str
    title: str
    waits: str


@dataclass
class Conversation:
    """What a page of a conversation shows.

    Args:
        thread: Its id.
        name: What it is called; empty before its first turn.
        is_kept: Whether it has begun.
        turns: Its turns, the oldest first.
        earlier: The turn before which there are more; empty if these are all.
    """

    thread: str
    name: str
    is_kept: bool
    turns: Sequence[ShownTurn]
    earlier: str


def read_conversation(opened: OpenWorkspace, thread: str, before: str | None) -> Conversation:
    """Return a conversation. Raises UserError if it has no turn `before`."""
    handles = opened.handles
    records = handles.traces.page(thread, TURNS + 1, before)
    undone = find_all_undone(handles.memory)
    turns = [show_turn(record, handles, undone) for record in records[-TURNS:]]
    earlier = records[-TURNS]["id"] if len(records) > TURNS else ""
    threads = handles.workspace.open_threads()
    name = threads.store.names().get(thread) or shorten(records[0]["question"] if records else "", TITLE)
    return Conversation(thread, name, threads.exists(thread), turns, earlier)


async def list_conversations(opened: OpenWorkspace) -> list[Listed]:
    """Return the conversations used last, the newest first."""
    threads = opened.workspace.open_threads()
    ids, waits = await run_in_threadpool(lambda: (threads.store.ids()[:CONVERSATIONS], threads.waiting()))
    return [_list_row(row, waits) for row in await opened.rows.read(ids, values=False)]


def _list_row(row: Row, waits: Mapping[str, str]) -> Listed:
    id, told = row["thread_id"], row["metadata"]
    title = next((told[name] for name in TOLD[:2] if told.get(name)), "Begun")
    return Listed(id, shorten(title, TITLE), waits.get(id, ""))


def list_deleted(opened: OpenWorkspace) -> list[tuple[str, str, str]]:
    """Return the conversations in the trash, the one deleted last first: id, name, and when that was."""
    clock = opened.handles.clock
    deleted = opened.workspace.open_threads().store.list_trash()
    return [
        (each.thread, each.name or shorten(each.question, TITLE) or "Without a name", show_moment(each.ts, clock))
        for each in deleted
    ]


def read_request(opened: OpenWorkspace, state: StateSnapshot) -> ShownRequest | None:
    """Return what a conversation waits for; None if it waits for nothing."""
    unanswered = find_unanswered(state)
    clock = opened.handles.clock
    return _show_request(read_waiting(state, unanswered[0], clock), clock.now().year) if unanswered else None


def find_cut_short(state: StateSnapshot) -> str:
    """Return the question of a turn that was stopped, or ended by a crash, before its answer; empty without one."""
    messages = this_turn(state.values.get("messages", []))
    return messages[0].text if state.tasks and messages and not is_answered(messages) else ""


def show_calls(steps: Iterable[Step], year: int) -> list[tuple[str, str, str]]:
    """Return the calls among the steps of a turn: a line, the arguments, what came of it; days without this year."""
    told = []
    for step in steps:
        if is_call(step):
            seen = step["observation"]
            ok = not (isinstance(seen, dict) and "error" in seen)
            line = describe_call({"tool": step["tool"], "args": step["args"], "ok": ok}, year)
            args = json.dumps(step["args"], ensure_ascii=False, indent=1)
            told.append((line, args, "" if seen is None else describe_observation(step)))
    return told


def show_corrections(steps: Iterable[Step]) -> list[tuple[str, str]]:
    """Return the drafts that were sent back among the steps of a turn, each after the reason."""
    sent_back = (step for step in steps if step["tool"].startswith("⛔️") and "draft" in step["args"])
    return [(str(step["observation"]), str(step["args"]["draft"])) for step in sent_back]


def write_args(action: Mapping[str, Any]) -> str:
    """Return what an action of a request would do, as lines that can be edited."""
    return write_values(["x"], [action.get("args", {})]).partition("\n")[2]


def show_turn(record: Record, handles: Handles, undone: Collection[str] | None = None) -> ShownTurn:
    """Return a turn as it is shown.

    Args:
        undone: The turns that were taken back; None if nobody has looked yet.
    """
    known = find_all_undone(handles.memory) if undone is None else undone
    is_undone, changes = record["id"] in known, record.get("changes", [])
    return ShownTurn(
        record["id"],
        record["ts"],
        show_moment(record["ts"], handles.clock),
        record["question"],
        record["answer"],
        show_calls(record["steps"], handles.clock.now().year),
        show_corrections(record["steps"]),
        list_changes(changes, record.get("receipt")),
        tells_no_changes(record.get("receipt")),
        is_undone,
        bool(changes) and not is_undone,
    )


def _show_request(waiting: Waiting, year: int) -> ShownRequest:
    request = waiting.request
    may = {config.get("action_name"): config.get("allowed_decisions") for config in request["review_configs"]}
    labels = (("approve", "Approve"), ("reject", "Reject"))
    actions = []
    for number, (action, worded) in enumerate(zip(request["action_requests"], word_actions(request), strict=True)):
        allowed = may.get(action.get("name")) or ["approve", "edit", "reject"]
        editable = write_args(action) if "edit" in allowed else ""
        kinds = [(kind, label) for kind, label in labels if kind in allowed or (kind == "approve" and editable)]
        actions.append(ShownAction(number, *worded, kinds, editable))
    summary = request.get("summary", "").splitlines() or ([str(request["value"])] if request.get("value") else [])
    steps = [step for step in waiting.steps if step["observation"] not in (None, INTERRUPTED)]
    return ShownRequest(
        waiting.request_id,
        waiting.question,
        QUESTION,
        summary,
        actions,
        show_calls(steps, year),
        show_corrections(steps),
    )
