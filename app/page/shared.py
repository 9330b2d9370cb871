"""Series that other people share with a person, and the people with whom this person shares."""

from ana.handles import Handles
from ana.memory.item import Item
from ana.people import People
from ana.people.grants import grant, list_grants, revoke
from app.meanwhile import PASSING
from app.page.marking import get_item
from app.page.visits import Page, Visit, go_on
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import Workspaces


async def show(visit: Visit) -> Page:
    """GET /app/shared: what others let this person see."""
    people: People = visit.request.app.state.people
    granted = await run_in_threadpool(people.list_granted, visit.request.state.person)
    return Page("shared.html", items=[(owner, await _find(visit, owner, id)) for owner, id in granted])


def change(visit: Visit) -> str:
    """POST /app/items/{id}/share: {name} of a person who may see the item, or {end} of one who may no longer."""
    handles = visit.handles
    item = get_item(handles, visit.find("id"))
    if name := visit.read("end"):
        revoke(handles.workspace, item.id, name)
    else:
        grant(handles.workspace, item, visit.read("name").lower(), handles.clock.now())
    return go_on(f"/items/{item.id}")


def list_viewers(handles: Handles, id: str) -> list[str]:
    """Return the people who may see an item."""
    return [each.viewer for each in list_grants(handles.workspace) if each.item == id]


async def _find(visit: Visit, owner: str, id: str) -> Item | None:
    """Return another person's item; None if it cannot be read, so that other items are still shown."""
    workspaces: Workspaces = visit.request.app.state.workspaces
    try:
        async with workspaces.hold(owner) as opened:
            return await run_in_threadpool(opened.handles.memory.record, "item", id)
    except PASSING:
        return None
