"""A conversation as the page shows it: from the traces of its turns, and from what waits or works there."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from langgraph.types import StateSnapshot

from ana.handles import Handles
from ana.memory.receipts import list_changes, tells_no_changes
from ana.memory.undo import find_all_undone
from ana.time.clock import Clock
from ana.time.dates import show_day
from ana.tracing.port import Traces
from ana.tracing.record import INTERRUPTED
from ana.tracing.schema import Record, Step, is_call
from ana.translation import _
from app.demo import RECORDED
from app.outcome import Waiting, read_waiting
from app.page.fields import Field, list_fields
from app.server.request_threads import run_in_threadpool
from app.server.thread_row import Row
from app.server.workspaces import OpenWorkspace
from app.show.calls import WRITES, describe_call, word_call
from app.show.replayed import describe_observation
from app.show.requests import QUESTION, word_actions
from app.show.text import shorten, show_moment
from graph.context import THREAD_FIELDS
from nodes.history import is_answered, this_turn
from nodes.requests import Request, find_allowed_decisions
from nodes.turns import find_unanswered

TURNS = 30
"""Turns on one page."""

CONVERSATIONS, BESIDE = 200, 30
"""Conversations in their list, and beside every other part of the page."""

WHICH = {"id", "line"}
"""Arguments that say which record is meant. If there are no others, there is nothing to edit."""

LOOKED = 160
"""Characters of what was looked up in a turn."""

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
    looked: str
    calls: Sequence[tuple[str, str, str]]
    corrections: Sequence[tuple[str, str]]
    receipts: Sequence[str]
    is_unchanged: bool
    is_undone: bool
    can_undo: bool
    is_recorded: bool


@dataclass(frozen=True)
class ShownAction:
    """An action of a request.

    Args:
        number: Its place among them, from 0.
        title: What it does, in words.
        lines: What else it does, and why it is asked.
        can_be_done: Whether it may be approved.
        fields: What it would do, if that may be changed.
    """

    number: int
    title: str
    lines: Sequence[str]
    can_be_done: bool
    fields: Sequence[Field]


@dataclass(frozen=True)
class ShownRequest:
    """What waits for a decision."""

    request_id: str
    question: str
    title: str
    summary: Sequence[str]
    actions: Sequence[ShownAction]
    looked: str
    corrections: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Listed:
    """A conversation in the list."""

    id: str
    title: str
    waits: str
    last: datetime


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


async def list_conversations(opened: OpenWorkspace, most: int = 1, text: str = "") -> list[Listed]:
    """Return the conversations used last, the newest first; with a text those in which its words were said."""
    threads = opened.workspace.open_threads()
    ids, waits = await run_in_threadpool(lambda: (threads.store.ids()[:most], threads.waiting()))
    listed = [_list_row(row, waits) for row in await opened.rows.read(ids, values=False)]
    return await run_in_threadpool(_find_said, listed, opened.handles.traces, text) if text else listed


def group_by_day(listed: Iterable[Listed], clock: Clock) -> list[tuple[str, list[Listed]]]:
    """Return conversations by the day on which each was used last, in their order."""
    today = clock.now().date()
    names = {today: _("Today"), today - timedelta(days=1): _("Yesterday")}
    days: dict[date, list[Listed]] = {}
    for each in listed:
        days.setdefault(each.last.astimezone(clock.zone).date(), []).append(each)
    return [(names.get(day) or show_day(day, today.year), each) for day, each in days.items()]


def _find_said(listed: Iterable[Listed], traces: Traces, text: str) -> list[Listed]:
    words = text.casefold().split()

    def has_all(each: Listed) -> bool:
        said = (f"{record['question']} {record['answer']}" for record in traces.read(each.id))
        whole = " ".join((each.title, *said)).casefold()
        return all(word in whole for word in words)

    return [each for each in listed if has_all(each)]


def _list_row(row: Row, waits: Mapping[str, str]) -> Listed:
    id, told = row["thread_id"], row["metadata"]
    title = next((told[name] for name in THREAD_FIELDS[:2] if told.get(name)), _("Begun"))
    return Listed(id, shorten(title, TITLE), waits.get(id, ""), row["updated_at"] or row["created_at"])


def list_deleted(opened: OpenWorkspace) -> list[tuple[str, str, str]]:
    """Return the conversations in the trash, the one deleted last first: id, name, and when that was."""
    clock = opened.handles.clock
    deleted = opened.workspace.open_threads().store.list_trash()
    return [
        (each.thread, each.name or shorten(each.question, TITLE) or _("Without a name"), show_moment(each.ts, clock))
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


def word_looks(steps: Iterable[Step], year: int) -> str:
    """Return a turn's look-ups in one line; its writes have receipts. Days of this year are shown without it."""
    calls = (step for step in steps if is_call(step) and step["tool"] not in WRITES)
    told = ", ".join(dict.fromkeys(word_call(step["tool"], step["args"], year) for step in calls))
    return shorten(told[:1].upper() + told[1:], LOOKED)


def show_corrections(steps: Iterable[Step]) -> list[tuple[str, str]]:
    """Return the drafts that were sent back among the steps of a turn, each after the reason."""
    sent_back = (step for step in steps if step["tool"].startswith("⛔️") and "draft" in step["args"])
    return [(str(step["observation"]), str(step["args"]["draft"])) for step in sent_back]


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
        word_looks(record["steps"], handles.clock.now().year),
        show_calls(record["steps"], handles.clock.now().year),
        show_corrections(record["steps"]),
        list_changes(changes, record.get("receipt")),
        tells_no_changes(record.get("receipt")),
        is_undone,
        bool(changes) and not is_undone,
        record.get("model") == RECORDED,
    )


def _show_request(waiting: Waiting, year: int) -> ShownRequest:
    finished = [step for step in waiting.steps if step["observation"] not in (None, INTERRUPTED)]
    return ShownRequest(
        request_id=waiting.request_id,
        question=waiting.question,
        title=_(QUESTION),
        summary=_show_summary(waiting.request),
        actions=list(_show_actions(waiting.request)),
        looked=word_looks(finished, year),
        corrections=show_corrections(finished),
    )


def _show_summary(request: Request) -> list[str]:
    if summary := request.get("summary"):
        return summary.splitlines()
    value = request.get("value")  # of a tool of the person's own, which asks in another shape
    return [str(value)] if value else []


def _show_actions(request: Request) -> Iterator[ShownAction]:
    allowed_decisions = find_allowed_decisions(request)
    words = word_actions(request)
    for number, (action, (title, lines)) in enumerate(zip(request["action_requests"], words, strict=True)):
        allowed = allowed_decisions.get(action.get("name")) or ["approve", "edit", "reject"]
        fields = _list_editable_fields(action.get("args")) if "edit" in allowed else []
        # a form whose fields may be edited also approves: they are sent as they are
        can_be_done = "approve" in allowed or bool(fields)
        yield ShownAction(number, title, lines, can_be_done, fields)


def _list_editable_fields(args: object) -> list[Field]:
    """Return a field for each argument; none if all they say is which record is meant."""
    if not isinstance(args, Mapping) or args.keys() <= WHICH:
        return []
    return list_fields(args)
