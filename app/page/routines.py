"""Routines: what is asked at set times, each with the next time and the last; those that are offered; one at once."""

import asyncio
from typing import TYPE_CHECKING

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NoSuchItem, NotFound
from ana.handles import DataHandles
from ana.memory.changes import make_edit
from ana.translation import _
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.marking import delete, mark_all
from app.page.shell import render
from app.routines.offers import start_offer
from app.routines.running import Routines, find_routine, list_routines
from app.routines.showing import describe_routine, list_offers
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool

if TYPE_CHECKING:
    from ana.memory.item import Item


async def show(request: Request, answer: str = "") -> Response:
    """GET /app/routines."""
    handles = (await find_workspace(request)).handles
    items = await run_in_threadpool(list_routines, handles)
    return await render(
        request,
        "routines.html",
        part="today",
        routines=await run_in_threadpool(lambda: [describe_routine(handles, item) for item in items]),
        offers=list_offers(items),
        answer=answer,
    )


async def change(request: Request, form: FormData) -> Response | str:
    """POST /app/routines: {start: NAME, at} of one that is offered, {run: ID} to ask one at once, or {end: ID}."""
    opened = await find_workspace(request)
    if name := read_text(form, "start"):
        await run_in_threadpool(start_offer, opened.handles, name, read_text(form, "at"), by := make_edit())
        return go_on("/routines", by.turn)
    item = await run_in_threadpool(_find, opened.handles, read_text(form, "run") or read_text(form, "end"))
    if read_text(form, "end"):
        return go_on("/routines", await run_in_threadpool(mark_all, opened.handles, [item.id], delete))
    async with opened.slots.take(opened.workspace.person):
        answer = await asyncio.to_thread(Routines(opened.handles, (), ()).run_now, item)
    return await show(request, answer or _("Nothing to tell."))


def _find(handles: DataHandles, id: str) -> "Item":
    try:
        return find_routine(handles, id)
    except NoSuchItem as exc:
        raise NotFound("There is no such routine.", "It may have been ended meanwhile.") from exc
