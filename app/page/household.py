"""The other people of a deployment, for its owner: added, given a new token, removed."""

from starlette.exceptions import HTTPException

from ana.keys import OWNER
from ana.people import People
from ana.people.sessions import sign_in
from app.page.visits import Page, Visit, go_on
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import write_session
from app.server.workspaces import Workspaces


def list_household(visit: Visit) -> list[str] | None:
    """Return the other people of a deployment; None if the person is not its owner."""
    if visit.request.state.person != OWNER:
        return None
    return [name for name in _require_owner(visit).names() if name != OWNER]


def add(visit: Visit) -> Page:
    """POST /app/people: {name}, in any letters, or {renew: name}; the person's token is shown once.

    An owner who was alone until now needs a token too: this creates one, and signs this browser in with it.
    """
    people, request = _require_owner(visit), visit.request
    was_alone = not people.has_token()
    known = visit.read("renew")
    name = known or visit.read("name").lower()
    token = people.renew(known) if known else people.add(name)
    own = people.renew(OWNER) if was_alone else ""
    link = f"{request.base_url}{PAGE.lstrip('/')}/sign-in#code={people.make_code(name)}"
    found = sign_in(people, own) if own else None
    headers = {"set-cookie": write_session(request.scope, found[1])} if found else {}
    return Page("token.html", headers=headers, name=name, token=token, own=own, link=link)


async def remove(visit: Visit) -> Page | str:
    """POST /app/people/{name}/remove: {sure}; all their data is set aside, with a backup."""
    people, name = _require_owner(visit), visit.find("name")
    if not visit.read("sure"):
        return Page("remove.html", name=name)
    workspaces: Workspaces = visit.request.app.state.workspaces
    await workspaces.close(name)
    await run_in_threadpool(people.remove, name)
    return go_on("/settings")


def _require_owner(visit: Visit) -> People:
    """Return the people of the deployment. Anybody but its owner gets an HTTPException, as if there were no page."""
    if visit.request.state.person != OWNER:
        raise HTTPException(404, "There is no such page.")
    people: People = visit.request.app.state.people
    return people
