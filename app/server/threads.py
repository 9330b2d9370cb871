"""The threads of the LangGraph API."""

import re
import uuid
from typing import Any

import anyio.to_thread
from langchain_core.runnables import RunnableConfig
from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NotFound, StoreBusy
from ana.threads.ports import PATIENCE
from app.server.answers import answer, find_workspace, own_thread, path_id, read_number
from app.server.bodies import MOST_ROWS, At, Edit, HistorySearch, NewThread, ThreadPatch, ThreadSearch, read_body
from app.server.rows import Row
from app.server.run_requests import read_place
from app.server.shapes import show_checkpoint, show_state
from app.server.stopping import stop_runs
from app.server.workspaces import OpenWorkspace
from graph.updates import read_edit

Json = dict[str, Any]

_STEP = re.compile(r"([^.\[\]]+)|\[(-?\d{1,9})\]")
"""A name or a place in a path of a row."""


async def create(request: Request) -> Response:
    """POST /threads."""
    body, opened = read_body(request, NewThread), await find_workspace(request)
    id = body.thread_id or str(uuid.uuid4())
    if known := await opened.rows.read([id]):
        if body.if_exists == "do_nothing":
            return answer(known[0])
        raise StoreBusy("There is a thread of this id.", 'Leave the id out, or send {"if_exists": "do_nothing"}.')
    await opened.rows.create(id, body.metadata or {})
    return answer(await opened.rows.find(id))


async def get(request: Request) -> Response:
    """GET /threads/{thread_id}."""
    opened = await find_workspace(request)
    return answer(await opened.rows.find(path_id(request)))


async def patch(request: Request) -> Response:
    """PATCH /threads/{thread_id}."""
    body, opened, id = read_body(request, ThreadPatch), await find_workspace(request), path_id(request)
    await opened.rows.find(id)
    await opened.rows.create(id, body.metadata or {})
    return answer(await opened.rows.find(id))


async def delete(request: Request) -> Response:
    """DELETE /threads/{thread_id}: delete it completely; a run at work in it is stopped."""
    opened, id = await find_workspace(request), path_id(request)
    await opened.rows.find(id)
    for run in await stop_runs(opened, id):
        await opened.runs.forget(run.id)
    async with own_thread(opened, id, ends=True):
        # in a thread that all share: those of the person may all wait for this lock
        await anyio.to_thread.run_sync(opened.workspace.open_threads().erase, id)
    return Response(status_code=204)


async def search(request: Request) -> Response:
    """POST /threads/search."""
    body, opened = read_body(request, ThreadSearch), await find_workspace(request)
    rows = await _search(opened, body)
    key, reverse = body.sort_by or "updated_at", body.sort_order != "asc"
    rows.sort(key=lambda row: row["thread_id"] if key == "thread_id" else str(row[key]), reverse=reverse)
    page = rows[body.offset : body.offset + body.limit]
    more = {"x-pagination-next": str(body.offset + body.limit)} if len(rows) > body.offset + body.limit else {}
    if not body.values and (body.extract or body.select is None or "values" in body.select):
        page = await opened.rows.read([row["thread_id"] for row in page])
    return answer([_show_match(row, body) for row in page], headers={"x-pagination-total": str(len(rows))} | more)


async def count(request: Request) -> Response:
    """POST /threads/count."""
    body, opened = read_body(request, ThreadSearch), await find_workspace(request)
    return answer(len(await _search(opened, body)))


async def copy(request: Request) -> Response:
    """POST /threads/{thread_id}/copy."""
    opened, id = await find_workspace(request), path_id(request)
    row, to = await opened.rows.find(id), str(uuid.uuid4())
    async with own_thread(opened, id):
        await opened.worker.saver.acopy_thread(id, to)
    await opened.rows.create(to, row["metadata"])
    return answer(await opened.rows.find(to))


async def get_state(request: Request) -> Response:
    """GET /threads/{thread_id}/state, and with /{checkpoint_id}."""
    return await _answer_state(request, {"checkpoint_id": request.path_params.get("checkpoint_id")})


async def get_state_at(request: Request) -> Response:
    """POST /threads/{thread_id}/state/checkpoint."""
    return await _answer_state(request, {"checkpoint": read_body(request, At).checkpoint})


async def write_state(request: Request) -> Response:
    """POST /threads/{thread_id}/state."""
    body, opened, id = read_body(request, Edit), await find_workspace(request), path_id(request)
    row = await opened.rows.find(id)
    place = _place(id, {"checkpoint": body.checkpoint, "checkpoint_id": body.checkpoint_id})
    async with own_thread(opened, id, patience=0 if row["status"] == "busy" else PATIENCE):
        before = await opened.worker.graph.aget_state(place)
        values = read_edit(body.values, to_jsonable_python(before.values, fallback=str))
        written = await opened.worker.graph.aupdate_state(place, values, as_node=body.as_node)
    here = show_checkpoint(written) or {}
    return answer({"checkpoint": here, "configurable": here, "checkpoint_id": here.get("checkpoint_id")})


async def history(request: Request) -> Response:
    """GET and POST /threads/{thread_id}/history."""
    opened, id = await find_workspace(request), path_id(request)
    if request.method == "POST":
        body = read_body(request, HistorySearch)
    else:
        limit = read_number(request, "limit", 1, 1, MOST_ROWS)
        body = HistorySearch(limit=limit, before=request.query_params.get("before"))
    await opened.rows.find(id)
    before = body.before.get("configurable", body.before) if isinstance(body.before, dict) else body.before
    before = before.get("checkpoint_id") if isinstance(before, dict) else before
    states = opened.worker.graph.aget_state_history(
        _place(id, {"checkpoint": body.checkpoint}),
        filter=body.metadata,
        before=_place(id, {"checkpoint_id": before}) if before else None,
        limit=body.limit,
    )
    return answer([show_state(state) async for state in states])


def _show_match(row: Row, body: ThreadSearch) -> Row:
    fields = {name: value for name, value in row.items() if not body.select or name in body.select}
    if body.extract:
        whole = to_jsonable_python(row, fallback=str)
        fields["extracted"] = {alias: _find_value(whole, path) for alias, path in body.extract.items()}
    return fields


def _find_value(row: Row, path: str) -> Any:
    """Return the JSON value at a path of a row, like values.messages[-1].content; None if there is none."""
    value: Any = row
    for name, place in _STEP.findall(path):
        if name and isinstance(value, dict):
            value = value.get(name)
        elif place and isinstance(value, list) and -len(value) <= int(place) < len(value):
            value = value[int(place)]
        else:
            return None
    return value


async def _search(opened: OpenWorkspace, body: ThreadSearch) -> list[Row]:
    wanted = {"metadata": body.metadata or {}, "values": body.values or {}}
    return [
        row
        for row in await opened.rows.read(body.ids or None, values=bool(body.values))
        if body.status in (None, row["status"])
        and all((row[part] or {}).get(key) == value for part, fields in wanted.items() for key, value in fields.items())
    ]


async def _answer_state(request: Request, named: Json) -> Response:
    opened, id = await find_workspace(request), path_id(request)
    await opened.rows.find(id)
    place = _place(id, named)
    state = await opened.worker.graph.aget_state(place)
    if "checkpoint_id" in place["configurable"] and state.created_at is None:
        raise NotFound("The thread has no such checkpoint.")
    return answer(show_state(state))


def _place(id: str, named: Json) -> RunnableConfig:
    """Return the config of a thread's checkpoint, in any form in which clients name it."""
    return {"configurable": {"thread_id": id, "checkpoint_ns": ""} | read_place(named)}
