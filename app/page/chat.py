"""Conversations on the page: what is said, what is done meanwhile, and what waits for a yes."""

import json
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ana.errors import AnaError, UserError, WrongReply
from ana.runs.port import StartedRun
from ana.threads.ids import canonical_id
from ana.translation import _, get_language
from ana.values import Properties
from ana.workspace.personal import list_fixed
from app.page.acts import go_on
from app.page.conversations import (
    CONVERSATIONS,
    find_cut_short,
    group_by_day,
    list_conversations,
    list_deleted,
    read_conversation,
    read_request,
)
from app.page.examples import read_initial_text, reads_english
from app.page.fields import read_fields
from app.page.forms import read_text
from app.page.marking import read_dates
from app.page.progress import Progress, follow
from app.page.shell import draw, render
from app.privacy import describe_answering
from app.server.answers import find_workspace, path_id
from app.server.bodies import NewRun
from app.server.request_threads import run_in_threadpool
from app.server.runs import BEAT_SECONDS, begin_run, read_position
from app.server.stopping import stop_runs
from app.server.workspaces import OpenWorkspace
from app.show.waiting import describe_wait
from nodes.requests import Request as Asked
from nodes.requests import check_reply, decide_all
from nodes.requests import read_request as read_asked
from nodes.turns import find_unanswered
from nodes.typed import mark_pasted

ASSISTANT = "ana"
STREAMED = ["custom"]
"""What the page is told of a run: drafts, withdrawn ones, and calls; all else is in the record of the turn."""


async def home(request: Request) -> Response:
    """GET /app and /app/chat: the conversation used last, or a new one."""
    opened = await find_workspace(request)
    known = await list_conversations(opened)
    return RedirectResponse(go_on(f"/chat/{known[0].id}" if known else "/chat/new"), 303)


async def begin(request: Request) -> Response:
    """GET /app/chat/new: a conversation that begins with its first message, which may be filled in already."""
    return RedirectResponse(go_on(f"/chat/{uuid.uuid4()}", **request.query_params), 303)


async def list_all(request: Request) -> Response:
    """GET /app/chat/all?q=WORDS: the conversations by day, or those in which these words were said."""
    opened, text = await find_workspace(request), request.query_params.get("q", "").strip()
    found = await list_conversations(opened, CONVERSATIONS, text)
    return await render(request, "conversations.html", found=group_by_day(found, opened.handles.clock), text=text)


async def show(request: Request) -> Response:
    """GET /app/chat/{thread_id}?before=TURN: a conversation, the last turns of it or those before one."""
    opened, thread = await find_workspace(request), path_id(request)
    before = request.query_params.get("before")
    # first whether something works: its record is there when it has ended
    newest = None if before else next(iter(await opened.runs.list(thread)), None)
    working = _show_working(newest, opened) if newest and newest.is_active else None
    told = await run_in_threadpool(read_conversation, opened, thread, before)
    waiting, cut = None, ""
    if not before and not working:
        state = await opened.worker.graph.aget_state(_place(thread))
        waiting = read_request(opened, state)
        cut = "" if waiting else find_cut_short(state)
    begun, pasted = read_initial_text(request.query_params, reads_english(opened.workspace.settings))
    failed = newest.error or "" if newest and newest.status == "error" else ""
    return await render(
        request,
        "chat.html",
        **vars(told),
        message_id=uuid.uuid4(),
        begun=begun,
        pasted=pasted,
        is_first=not told.is_kept and not await list_conversations(opened),
        zone="" if "ana_timezone" in list_fixed(opened.workspace) else opened.handles.clock.zone_name,
        working=working,
        waiting=waiting,
        cut=cut,
        setup=describe_answering(opened.workspace.settings),
        is_rules=opened.workspace.settings.provider == "offline",
        failed=failed if failed not in {turn.answer for turn in told.turns} else "",
    )


async def say(request: Request, form: FormData) -> str:
    """POST /app/chat/{thread_id}: a message."""
    opened, thread, message = await find_workspace(request), path_id(request), read_text(form, "message")
    if not message:
        raise UserError("There is no message.", "Write one.")
    id = canonical_id(read_text(form, "message_id")) or str(uuid.uuid4())
    if await opened.runs.find(id) is None:  # else it was sent twice, as by a double click
        said = {"role": "user", "content": message, "id": id, "additional_kwargs": _read_pasted(form)}
        await _begin(opened, thread, input={"messages": [said]})
    return go_on(f"/chat/{thread}")


async def decide(request: Request, form: FormData) -> str:
    """POST /app/chat/{thread_id}/decide: what is done of what waits."""
    opened, thread, id = await find_workspace(request), path_id(request), read_text(form, "request")
    unanswered = find_unanswered(await opened.worker.graph.aget_state(_place(thread)))
    if unanswered and unanswered[0].id == id:
        asked = read_asked(unanswered[0])
        reply = _read_reply(form, asked, opened.handles.clock.now().date())
        check_reply(reply, asked)
        await _begin(opened, thread, command={"resume": {id: reply}})
    return go_on(f"/chat/{thread}")  # which shows what is asked now, if it is something else


async def rename(request: Request, form: FormData) -> str:
    """POST /app/chat/{thread_id}/rename."""
    opened, thread = await find_workspace(request), path_id(request)
    await run_in_threadpool(opened.workspace.open_threads().rename, thread, read_text(form, "name"))
    return go_on(f"/chat/{thread}")


async def delete(request: Request, _: FormData) -> str:
    """POST /app/chat/{thread_id}/delete: into the trash; what works there is stopped, and what was stored stays."""
    opened, thread = await find_workspace(request), path_id(request)
    await stop_runs(opened, thread)
    await run_in_threadpool(opened.workspace.open_threads().move_to_trash, thread)
    return go_on("/chat/trash")


async def show_trash(request: Request) -> Response:
    """GET /app/chat/trash: the conversations that were deleted."""
    opened = await find_workspace(request)
    deleted = await run_in_threadpool(list_deleted, opened)
    return await render(request, "trash.html", deleted=deleted)


async def restore(request: Request, form: FormData) -> str:
    """POST /app/chat/trash: bring a conversation back."""
    opened = await find_workspace(request)
    thread = await run_in_threadpool(opened.workspace.open_threads().restore, read_text(form, "thread"))
    return go_on(f"/chat/{thread.id}")


async def stop(request: Request, _: FormData) -> str:
    """POST /app/chat/{thread_id}/stop: end what works there; what was stored stays."""
    opened, thread = await find_workspace(request), path_id(request)
    await stop_runs(opened, thread)
    return go_on(f"/chat/{thread}")


async def stream(request: Request) -> Response:
    """GET /app/chat/{thread_id}/runs/{run_id}: how a turn grows, as HTML; each event has all of it.

    Of a run that nobody knows, as after a restart, it tells that it has ended: the page then looks at what came of it.
    """
    opened, thread = await find_workspace(request), path_id(request)
    run = await opened.runs.find(request.path_params["run_id"])
    is_known = run is not None and run.thread == thread
    after = read_position(request.headers.get("last-event-id", ""))

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


async def _begin(opened: OpenWorkspace, thread: str, **asked: Any) -> StartedRun:
    context = {"language": get_language()}
    body = {"assistant_id": ASSISTANT, "stream_mode": STREAMED, "if_not_exists": "create", "context": context, **asked}
    return await begin_run(opened, NewRun.model_validate(body), thread)


def _read_pasted(form: FormData) -> dict[str, Any]:
    """Return the marks of a message: what the page's script saw being pasted; without the script nobody can tell."""
    try:
        pasted = json.loads(read_text(form, "pasted"))
    except ValueError:
        return {}
    return mark_pasted([str(part).strip() for part in pasted]) if isinstance(pasted, list) else {}


def _begin_progress(run: StartedRun, opened: OpenWorkspace) -> Progress:
    """Return how a run is shown of which nothing was told yet."""
    settings = opened.workspace.settings

    def tell_wait() -> str:
        return describe_wait(settings, (datetime.now(UTC) - run.created_at).total_seconds(), _("Stop ends it."))

    return Progress(opened.handles.clock.now().year, tell_wait)


def _show_working(run: StartedRun, opened: OpenWorkspace) -> dict[str, Any]:
    given = run.order.get("input")
    messages = given.get("messages") if isinstance(given, dict) else None
    question = messages[-1].get("content") if isinstance(messages, list) and messages else ""
    return {"run": run.id, "question": question, "progress": _begin_progress(run, opened)}


def _read_reply(form: FormData, asked: Asked, today: date) -> dict[str, Any]:
    """Return the reply that a form is: the same for all actions, or to do those that are ticked and no other.

    Raises:
        WrongReply: It says nothing, or what it changes cannot be read.
    """
    kind, actions = read_text(form, "all"), asked["action_requests"]
    if kind == "reject":
        return decide_all(asked, "reject")
    if kind == "approve" and not actions:
        return decide_all(asked, "approve")
    ticked = [kind == "approve" or (kind == "ticked" and f"tick-{n}" in form) for n in range(len(actions))]
    if not any(ticked):
        raise WrongReply("Nothing is ticked.", "Tick what may be done, or decide on all of it; it still waits.")
    chosen = enumerate(zip(actions, ticked, strict=True))
    try:
        return {"decisions": [_read_decision(form, n, *each, today) for n, each in chosen]}
    except UserError as exc:
        raise WrongReply(exc.message, f"{exc.hint} {_('Nothing was done; it still waits.')}".lstrip()) from exc


def _read_decision(form: FormData, number: int, action: dict[str, Any], is_done: bool, today: date) -> dict[str, Any]:
    """Return the decision on an action: what is approved is done as it now stands in its fields."""
    args = action.get("args")
    if not is_done or not isinstance(args, dict):
        return {"type": "approve" if is_done else "reject"}
    written = read_fields(args, form, f"edited-{number}-")
    if written == args:
        return {"type": "approve"}
    if isinstance(changed := written.get("properties"), dict):
        days: Properties = {name: value for name, value in changed.items() if isinstance(value, str)}
        written["properties"] = changed | read_dates(days, today)
    return {"type": "edit", "edited_action": {"name": action.get("name"), "args": written}}


def _place(thread: str) -> Any:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
