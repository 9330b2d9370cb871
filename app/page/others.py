"""Others who use a deployment: its other people, what they share with each other, and other assistants."""

from ana.handles import Handles
from ana.keys import OWNER
from ana.memory.item import Item
from ana.people.grants import grant, list_grants, revoke
from ana.people.sessions import sign_in
from ana.translation import _
from app.assistants import RIGHTS, list_rights, list_written, save_right, undo_day
from app.meanwhile import PASSING
from app.page.visits import Page, Visit, go_on
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import write_session
from app.server.workspaces import Workspaces


def list_household(visit: Visit) -> list[str] | None:
    """Return the other people of a deployment; None if the person is not its owner."""
    return [name for name in visit.people.names() if name != OWNER] if visit.is_owner else None


def add_person(visit: Visit) -> Page:
    """POST /app/people: {name}, in any letters, or {renew: name}; the person's token is shown once.

    An owner who was alone until now needs a token too: this creates one, and signs this browser in with it.
    """
    visit.require_owner()
    people, request = visit.people, visit.request
    was_alone = not people.has_token()
    known = visit.read("renew")
    name = known or visit.read("name").lower()
    token = people.renew(known) if known else people.add(name)
    own = people.renew(OWNER) if was_alone else ""
    link = f"{request.base_url}{PAGE.lstrip('/')}/sign-in#code={people.make_code(name)}"
    found = sign_in(people, own) if own else None
    headers = {"set-cookie": write_session(request.scope, found[1])} if found else {}
    return Page("token.html", headers=headers, name=name, token=token, own=own, link=link)


async def remove_person(visit: Visit) -> Page | str:
    """POST /app/people/{name}/remove: {sure}; all their data is set aside, with a backup."""
    visit.require_owner()
    name = visit.find("name")
    if not visit.read("sure"):
        return Page("remove.html", name=name)
    workspaces: Workspaces = visit.request.app.state.workspaces
    await workspaces.close(name)
    await run_in_threadpool(visit.people.remove, name)
    return go_on("/settings")


async def show_shared(visit: Visit) -> Page:
    """GET /app/shared: what others let this person see."""
    granted = await run_in_threadpool(visit.people.list_granted, visit.request.state.person)
    return Page("shared.html", items=[(owner, await _find(visit, owner, id)) for owner, id in granted])


def share(visit: Visit) -> str:
    """POST /app/items/{id}/share: {name} of a person who may see the item, or {end} of one who may no longer."""
    handles = visit.handles
    item = handles.memory.get(visit.find("id"))
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


def show_assistants(visit: Visit, told: str = "") -> Page:
    """GET /app/assistants: the writes of each by day, the undo of a day, and the right of each."""
    days = list_written(visit.handles.memory, visit.handles.clock)
    rights = list_rights(visit.opened.workspace, {each.name for each in days})
    return Page("assistants.html", days=days, rights=rights, meanings=RIGHTS, told=told)


def change_assistant(visit: Visit) -> Page:
    """POST /app/assistants: {name, right}, or {name, day} to undo the acts of that day."""
    name, right = visit.read("name"), visit.read("right")
    if day := visit.read("day"):
        return show_assistants(visit, undo_day(visit.handles.memory, visit.handles.clock, name, day))
    save_right(visit.opened.workspace, name, right)
    return show_assistants(visit, _("{name} {right} from now on.").format(name=name, right=_(RIGHTS[right])))
