"""Series that others let a person see, and whom a person lets see theirs."""

from dataclasses import dataclass

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.handles import DataHandles
from ana.memory.few_words import show_value
from ana.people import People
from ana.people.grants import grant, list_grants, revoke
from app.meanwhile import PASSING
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.marking import get_item
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import Workspaces


@dataclass(frozen=True)
class SharedItem:
    """All that is shown of another person's item: whose it is, what it says, and its date."""

    person: str
    content: str
    when: str


async def show(request: Request) -> Response:
    """GET /app/shared: what others let this person see."""
    people: People = request.app.state.people
    items = list[SharedItem]()
    for owner, id in await run_in_threadpool(people.list_granted, request.state.person):
        items += await _find(request, owner, id)
    return await render(request, "shared.html", part="settings", items=items)


async def change(request: Request, form: FormData) -> str:
    """POST /app/items/{id}/share: {name} of who may see it, or {end}, of who may no more."""
    handles = (await find_workspace(request)).handles
    item = await run_in_threadpool(get_item, handles, request.path_params["id"])
    if name := read_text(form, "end"):
        await run_in_threadpool(revoke, handles.workspace, item.id, name)
    else:
        name = read_text(form, "name").lower()
        await run_in_threadpool(grant, handles.workspace, item, name, handles.clock.now())
    return go_on(f"/items/{item.id}")


def list_viewers(handles: DataHandles, id: str) -> list[str]:
    """Return who may see an item."""
    return [each.viewer for each in list_grants(handles.workspace) if each.item == id]


async def _find(request: Request, owner: str, id: str) -> list[SharedItem]:
    """Return what is shown of an item, if it is there; one person's damage does not keep others' from being shown."""
    workspaces: Workspaces = request.app.state.workspaces
    try:
        opened = await workspaces.open(owner)
        with opened.hold():
            item = await run_in_threadpool(opened.handles.memory.record, "item", id)
    except PASSING:
        return []
    return [SharedItem(owner, item.content, show_value(item.date))] if item else []
