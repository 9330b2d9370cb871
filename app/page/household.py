"""The other people of a deployment, for its owner: added, given a new token, removed."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ana.keys import OWNER
from ana.people import People
from ana.people.sessions import sign_in
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.shell import render
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import write_session
from app.server.workspaces import Workspaces


def list_household(request: Request) -> list[str] | None:
    """Return the others of a deployment; None if the person is not its owner."""
    if request.state.person != OWNER:
        return None
    people: People = request.app.state.people
    return [name for name in people.names() if name != OWNER]


async def add(request: Request, form: FormData) -> Response:
    """POST /app/people: {name}, in whichever letters, or {renew: name}; their token is shown, this once.

    Who was alone until now needs a token too: they get one, and this browser is signed in with it.
    """
    people = _require_owner(request)
    was_alone = not await run_in_threadpool(people.has_token)
    if name := read_text(form, "renew"):
        token = await run_in_threadpool(people.renew, name)
    else:
        token = await run_in_threadpool(people.add, name := read_text(form, "name").lower())
    own = await run_in_threadpool(people.renew, OWNER) if was_alone else ""
    code = await run_in_threadpool(people.make_code, name)
    link = f"{request.base_url}{PAGE.lstrip('/')}/sign-in#code={code}"
    response = await render(request, "token.html", name=name, token=token, own=own, link=link)
    if found := await run_in_threadpool(sign_in, people, own) if own else None:
        response.headers.append("set-cookie", write_session(request.scope, found[1]))
    return response


async def remove(request: Request, form: FormData) -> Response:
    """POST /app/people/{name}/remove: {sure}; everything of theirs is put aside, with a backup."""
    people, name = _require_owner(request), request.path_params["name"]
    if not read_text(form, "sure"):
        return await render(request, "remove.html", name=name)
    workspaces: Workspaces = request.app.state.workspaces
    await workspaces.close(name)
    await run_in_threadpool(people.remove, name)
    return RedirectResponse(go_on("/settings"), 303)


def _require_owner(request: Request) -> People:
    """Return the people of the deployment. Raises HTTPException if another than its owner asks, as if it were not."""
    if request.state.person != OWNER:
        raise HTTPException(404, "There is no such page.")
    people: People = request.app.state.people
    return people
