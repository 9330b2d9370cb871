"""Routines: the list with the next and the last time of each, the suggested ones, and running one now."""

import asyncio

from ana.translation import _
from app.page.marking import delete
from app.page.visits import Page, Visit
from app.routines.offers import start_offer
from app.routines.running import Routines, find_routine, list_routines
from app.routines.showing import describe_routine, list_offers
from app.server.request_threads import run_in_threadpool


def show(visit: Visit, answer: str = "") -> Page:
    """GET /app/routines."""
    items = list_routines(visit.handles)
    routines = [describe_routine(visit.handles, item) for item in items]
    return Page("routines.html", routines=routines, offers=list_offers(items), answer=answer)


async def change(visit: Visit) -> Page | str:
    """POST /app/routines: {start: NAME, at} to start a suggested one, {run: ID} to run one now, or {end: ID}."""
    handles = visit.handles
    if name := visit.read("start"):
        await run_in_threadpool(start_offer, handles, name, visit.read("at"), visit.by)
        return visit.go_on("/routines")
    item = await run_in_threadpool(find_routine, handles, visit.read("run") or visit.read("end"))
    if visit.read("end"):
        await run_in_threadpool(handles.memory.change_all, [item.id], delete, visit.by)
        return visit.go_on("/routines")
    async with visit.opened.slots.take(visit.opened.workspace.person):
        answer = await asyncio.to_thread(Routines(handles, (), ()).run_now, item)
    return await run_in_threadpool(show, visit, answer or _("Nothing to tell."))
