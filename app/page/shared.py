"""Series that other people share with a person, and the people with whom this person shares."""

from collections.abc import Sequence
from dataclasses import dataclass

from ana.handles import Handles
from ana.memory.few_words import show_value
from ana.people import People
from ana.people.grants import grant, list_grants, revoke
from app.meanwhile import PASSING
from app.page.marking import get_item
from app.page.visits import Page, Visit, go_on
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import Workspaces


@dataclass(frozen=True)
class SharedItem:
    """The parts of another person's item that are shown: its owner, its text, its date."""

    person: str
    content: str
    when: str


async def show(visit: Visit) -> Page:
    """GET /app/shared: what others let this person see."""
    people: People = visit.request.app.state.people
    items = list[SharedItem]()
    for owner, id in await run_in_threadpool(people.list_granted, visit.request.state.person):
        items += await _find(visit, owner, id)
    return Page("shared.html", items=items)


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


async def _find(visit: Visit, owner: str, id: str) -> Sequence[SharedItem]:
    """Return the shown parts of an item, if it exists; damaged data of one person does not hide the items of others."""
    workspaces: Workspaces = visit.request.app.state.workspaces
    try:
        opened = await workspaces.open(owner)
        with opened.hold():
            item = await run_in_threadpool(opened.handles.memory.record, "item", id)
    except PASSING:
        return ()
    return [SharedItem(owner, item.content, show_value(item.date))] if item else ()
