"""Conversations on the page: messages, the progress of a turn, and requests that wait for a yes."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from ana.errors import AnaError, UserError, WrongReply
from ana.runs.port import StartedRun
from ana.threads.ids import canonical_id
from ana.translation import _, get_language
from ana.values import Properties
from ana.workspace.personal import list_fixed
from app.outcome import Waiting, config_of, read_waiting
from app.page.conversations import (
    CONVERSATIONS,
    TITLE,
    find_cut_short,
    group_by_day,
    list_actions,
    list_conversations,
    read_conversation,
)
from app.page.examples import read_initial_text, reads_english
from app.page.fields import read_fields
from app.page.marking import read_dates
from app.page.progress import Progress, follow
from app.page.shell import draw
from app.page.visits import Page, Visit, go_on
from app.privacy import describe_answering
from app.server.answers import path_id
from app.server.beginning import begin_run
from app.server.bodies import NewRun
from app.server.request_threads import run_in_threadpool
from app.server.runs import BEAT_SECONDS, read_position
from app.server.stopping import stop_runs
from app.server.workspaces import OpenWorkspace
from app.show.waiting import describe_wait
from nodes.requests import Request, decide_all, read_reply, read_request
from nodes.turns import find_unanswered
from nodes.typed import mark_pasted

ASSISTANT = "ana"
STREAMED = ["custom"]
"""What the page is told of a run: drafts, withdrawn ones, and calls; all else is in the record of the turn."""


async def home(visit: Visit) -> str:
    """GET /app and /app/chat: the conversation used last, or a new one."""
    known = await list_conversations(visit.opened)
    return go_on(f"/chat/{known[0].id}" if known else "/chat/new")


def begin(visit: Visit) -> str:
    """GET /app/chat/new: a new conversation; its first message may be filled in already."""
    return go_on(f"/chat/{uuid.uuid4()}", **visit.request.query_params)


async def list_all(visit: Visit) -> Page:
    """GET /app/chat/all?q=WORDS: the conversations by day, or only those that contain these words."""
    found = await list_conversations(visit.opened, CONVERSATIONS, visit.ask("q"))
    return Page("conversations.html", found=group_by_day(found, visit.handles.clock), text=visit.ask("q"))


async def show(visit: Visit) -> Page:
    """GET /app/chat/{thread_id}?before=TURN: the last turns of a conversation, or those before a turn."""
    opened, thread = visit.opened, path_id(visit.request)
    settings, before = opened.workspace.settings, visit.ask("before") or None
    # first whether something works: its record is there when it has ended
    newest = None if before else next(iter(await opened.runs.list(thread)), None)
    working = newest if newest and newest.is_active else None
    told = await run_in_threadpool(read_conversation, opened, thread, before)
    waiting, cut = (None, "") if before or working else await _find_open(visit, thread)
    begun, pasted = read_initial_text(visit.request.query_params, reads_english(settings))
    return Page(
        "chat.html",
        **told,
        message_id=uuid.uuid4(),
        begun=begun,
        pasted=pasted,
        zone="" if "ana_timezone" in list_fixed(opened.workspace) else visit.handles.clock.zone_name,
        working=working,
        **(_show_working(working, opened) if working else {}),
        waiting=waiting,
        actions=list_actions(waiting.request) if waiting else (),
        cut=cut,
        setup=describe_answering(settings),
        failed=newest.error if newest and newest.status == "error" else None,
    )


async def _find_open(visit: Visit, thread: str) -> tuple[Waiting | None, str]:
    """Return the request that waits in a conversation, else the message whose turn was cut short, if there is one."""
    state = await visit.opened.worker.graph.aget_state(config_of(thread))
    if unanswered := find_unanswered(state):
        return read_waiting(state, unanswered[0], visit.handles.clock), ""
    return None, find_cut_short(state)


async def say(visit: Visit) -> str:
    """POST /app/chat/{thread_id}: a message."""
    thread, message = path_id(visit.request), visit.read("message")
    if not message:
        raise UserError("There is no message.", "Write one.")
    id = canonical_id(visit.read("message_id")) or str(uuid.uuid4())
    if await visit.opened.runs.find(id) is None:  # else it was sent twice, as by a double click
        said = {"role": "user", "content": message, "id": id, "additional_kwargs": _read_pasted(visit)}
        await _begin(visit, thread, input={"messages": [said]})
    return go_on(f"/chat/{thread}")


async def decide(visit: Visit) -> str:
    """POST /app/chat/{thread_id}/decide: decide on the waiting request."""
    thread, id = path_id(visit.request), visit.read("request")
    unanswered = find_unanswered(await visit.opened.worker.graph.aget_state(config_of(thread)))
    if unanswered and unanswered[0].id == id:
        asked = read_request(unanswered[0])
        reply = _read_reply(visit, asked)
        await _begin(visit, thread, command={"resume": {id: read_reply(reply, asked)}})
    return go_on(f"/chat/{thread}")  # which shows what is asked now, if it is something else


def rename(visit: Visit) -> str:
    """POST /app/chat/{thread_id}/rename."""
    thread = path_id(visit.request)
    visit.opened.workspace.open_threads().rename(thread, visit.read("name"))
    return go_on(f"/chat/{thread}")


async def delete(visit: Visit) -> str:
    """POST /app/chat/{thread_id}/delete: move it into the trash; its runs are stopped, and stored items stay."""
    thread = path_id(visit.request)
    await stop_runs(visit.opened, thread)
    await run_in_threadpool(visit.opened.workspace.open_threads().move_to_trash, thread)
    return go_on("/chat/trash")


def show_trash(visit: Visit) -> Page:
    """GET /app/chat/trash: the conversations that were deleted, the last first."""
    return Page("trash.html", deleted=visit.opened.workspace.open_threads().store.list_trash(), most=TITLE)


def restore(visit: Visit) -> str:
    """POST /app/chat/trash: bring a conversation back."""
    return go_on(f"/chat/{visit.opened.workspace.open_threads().restore(visit.read('thread')).id}")


async def stop(visit: Visit) -> str:
    """POST /app/chat/{thread_id}/stop: end its runs; the items that they stored stay."""
    thread = path_id(visit.request)
    await stop_runs(visit.opened, thread)
    return go_on(f"/chat/{thread}")


async def stream(visit: Visit) -> Response:
    """GET /app/chat/{thread_id}/runs/{run_id}: the progress of a turn, as HTML; each event has the whole of it.

    If the turn has ended, for example by a restart, an event says so, and the page then loads the result.
    """
    opened, thread = visit.opened, path_id(visit.request)
    run = await opened.runs.find(visit.find("run_id"))
    after = read_position(visit.request.headers.get("last-event-id", ""))
    is_known = run is not None and run.thread == thread

    async def tell() -> AsyncIterator[ServerSentEvent]:
        with suppress(AnaError):  # the page that is loaded then says it
            if run and is_known:
                progress = _begin_progress(run, opened)
                async for position in follow(opened.runs, run.id, progress):
                    if position >= after:
                        drawn = await run_in_threadpool(draw, "working.html", progress=progress)
                        yield ServerSentEvent(drawn, id=str(position))
                await opened.runs.join(run.id)  # the page that is loaded now has the record of the turn
        yield ServerSentEvent("ended", event="ended")

    return EventSourceResponse(tell(), ping=BEAT_SECONDS)


async def _begin(visit: Visit, thread: str, **asked: Any) -> StartedRun:
    context = {"language": get_language()}
    body = {"assistant_id": ASSISTANT, "stream_mode": STREAMED, "if_not_exists": "create", "context": context, **asked}
    return await begin_run(visit.opened, NewRun.model_validate(body), thread)


def _read_pasted(visit: Visit) -> dict[str, Any]:
    """Return the marks of a message: the text that the page's script saw being pasted; none without the script."""
    try:
        pasted = json.loads(visit.read("pasted"))
    except ValueError:
        return {}
    return mark_pasted([str(part).strip() for part in pasted]) if isinstance(pasted, list) else {}


def _begin_progress(run: StartedRun, opened: OpenWorkspace) -> Progress:
    """Return the display of a run that has not reported anything yet."""
    settings = opened.workspace.settings

    def tell_wait() -> str:
        return describe_wait(settings, (datetime.now(UTC) - run.created_at).total_seconds(), _("Stop ends it."))

    return Progress(opened.handles.clock.now().year, tell_wait)


def _show_working(run: StartedRun, opened: OpenWorkspace) -> dict[str, Any]:
    """Return the message that a run answers, empty if it goes on after a decision, and the display of the run."""
    given = run.order.get("input")
    messages = given.get("messages") if isinstance(given, dict) else None
    question = messages[-1].get("content") if isinstance(messages, list) and messages else ""
    return {"question": question, "progress": _begin_progress(run, opened)}


def _read_reply(visit: Visit, asked: Request) -> dict[str, Any]:
    """Return the reply in a form: the same decision for all actions, or a yes to the ticked ones and a no to the
    others.

    Raises:
        WrongReply: The form has no decision, or a changed value cannot be read.
    """
    kind, actions = visit.read("all"), asked["action_requests"]
    if kind == "reject":
        return decide_all(asked, "reject")
    if kind == "approve" and not actions:
        return decide_all(asked, "approve")
    ticked = [kind == "approve" or (kind == "ticked" and f"tick-{n}" in visit.form) for n in range(len(actions))]
    if not any(ticked):
        raise WrongReply("Nothing is ticked.", "Tick what may be done, or decide on all of it; it still waits.")
    chosen = enumerate(zip(actions, ticked, strict=True))
    try:
        return {"decisions": [_read_decision(visit, n, *each) for n, each in chosen]}
    except UserError as exc:
        raise WrongReply(exc.message, f"{exc.hint} {_('Nothing was done; it still waits.')}".lstrip()) from exc


def _read_decision(visit: Visit, number: int, action: dict[str, Any], is_done: bool) -> dict[str, Any]:
    """Return the decision on an action; an approved action is done with the present values of its fields."""
    args = action.get("args")
    if not is_done or not isinstance(args, dict):
        return {"type": "approve" if is_done else "reject"}
    written = read_fields(args, visit.form, f"edited-{number}-")
    if written == args:
        return {"type": "approve"}
    if isinstance(changed := written.get("properties"), dict):
        days: Properties = {name: value for name, value in changed.items() if isinstance(value, str)}
        written["properties"] = changed | read_dates(days, visit.today)
    return {"type": "edit", "edited_action": {"name": action.get("name"), "args": written}}
