"""A conversation for the page, made from the traces of its turns, and from waiting and running turns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from langgraph.types import StateSnapshot

from ana.memory.undo import find_all_undone
from ana.time.clock import Clock
from ana.time.dates import show_day
from ana.tracing.port import Traces
from ana.translation import _
from app.page.fields import Field, list_fields
from app.server.request_threads import run_in_threadpool
from app.server.rows import Row
from app.server.workspaces import OpenWorkspace
from app.show.requests import word_actions
from app.show.text import shorten
from graph.context import THREAD_FIELDS
from nodes.history import is_answered, this_turn
from nodes.requests import Request, find_allowed_decisions

TURNS = 30
"""Turns on one page."""

CONVERSATIONS, BESIDE = 200, 30
"""Conversations in their list, and beside every other part of the page."""

WHICH = {"id", "line"}
"""Arguments that say which record is meant: where there are no others nothing is to be edited."""

TITLE = 80
"""Characters of a conversation's name, or of its first words in place of one."""


@dataclass(frozen=True)
class ShownAction:
    """An action of a request.

    Args:
        number: Its place in the request, from 0.
        title: The action in words.
        lines: Further effects, and the reasons for asking.
        can_be_done: Whether it may be approved.
        fields: The arguments, if the person may change them.
    """

    number: int
    title: str
    lines: Sequence[str]
    can_be_done: bool
    fields: Sequence[Field]


@dataclass(frozen=True)
class Listed:
    """A conversation in the list."""

    id: str
    title: str
    waits: str
    last: datetime


def read_conversation(opened: OpenWorkspace, thread: str, before: str | None) -> dict[str, Any]:
    """Return the parts of a conversation that a page shows.

    These are its name, empty before its first turn; whether it has begun; its turns, the oldest first; and the turn
    before which there are more, empty if there are no more. Raises UserError if it has no turn `before`.
    """
    records = opened.handles.traces.page(thread, TURNS + 1, before)
    threads = opened.workspace.open_threads()
    return {
        "thread": thread,
        "name": threads.store.names().get(thread) or shorten(records[0]["question"] if records else "", TITLE),
        "is_kept": threads.exists(thread),
        "turns": records[-TURNS:],
        "undone": find_all_undone(opened.handles.memory),
        "earlier": records[-TURNS]["id"] if len(records) > TURNS else "",
    }


async def list_conversations(opened: OpenWorkspace, most: int = 1, text: str = "") -> list[Listed]:
    """Return the conversations used last, the newest first; with a text, only those that contain its words."""
    threads = opened.workspace.open_threads()
    ids, waits = await run_in_threadpool(lambda: (threads.store.ids()[:most], threads.waiting()))
    listed = [_list_row(row, waits) for row in await opened.rows.read(ids, values=False)]
    return await run_in_threadpool(_find_said, listed, opened.handles.traces, text) if text else listed


def group_by_day(listed: Iterable[Listed], clock: Clock) -> list[tuple[str, list[Listed]]]:
    """Return conversations grouped by the day on which each was used last, in their order."""
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


def list_actions(request: Request) -> list[ShownAction]:
    """Return the actions of a request."""
    may, actions = find_allowed_decisions(request), []
    for number, (action, worded) in enumerate(zip(request["action_requests"], word_actions(request), strict=True)):
        allowed = may.get(action.get("name")) or ["approve", "edit", "reject"]
        args = action.get("args")
        can_edit = "edit" in allowed and isinstance(args, Mapping) and bool(args.keys() - WHICH)
        fields = list_fields(args) if can_edit and isinstance(args, Mapping) else []
        actions.append(ShownAction(number, *worded, "approve" in allowed or bool(fields), fields))
    return actions


def find_cut_short(state: StateSnapshot) -> str:
    """Return the question of a turn that was stopped, or ended by a crash, before its answer; empty if none was."""
    messages = this_turn(state.values.get("messages", []))
    return messages[0].text if state.tasks and messages and not is_answered(messages) else ""
