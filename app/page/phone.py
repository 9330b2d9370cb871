"""Whether a phone reaches this server: a code for it to open, and what the phone is then told."""

import segno
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import UserError
from ana.keys import OWNER
from ana.translation import _, mark_text
from ana.urls import find_site
from ana.workspace import load_workspace
from app.page.forms import read_text
from app.page.shell import render
from app.reaching import REACHED, await_visit, has_come, note_visit
from app.server.request_threads import run_in_threadpool

YES = mark_text("The phone has reached this server: reminders by ntfy and mail have buttons.")
NOT_YET = mark_text("Nothing has opened the address yet. Is the phone in the same network, and ANA_PUBLIC_URL right?")


async def test(request: Request, form: FormData) -> Response:
    """POST /app/phone: show an address of ours for a phone to open, or {address} whether it was opened."""
    if request.state.person != OWNER:
        raise HTTPException(404, "There is no such page.")
    owner = await run_in_threadpool(load_workspace)
    site = find_site(owner.settings.ana_public_url, owner.settings.ana_hosts)
    if site is None:
        raise UserError("ANA_PUBLIC_URL is not set.", "Set it in .env to an address that the phone reaches.")
    told = ""
    if address := read_text(form, "address"):
        told = _(YES if await run_in_threadpool(has_come, owner) else NOT_YET)
    else:
        address = await run_in_threadpool(await_visit, owner, site)
    code = Markup(segno.make(address, micro=False).svg_inline(scale=4, light="white"))
    return await render(request, "phone.html", part="settings", address=address, code=code, told=told)


async def greet(request: Request) -> Response:
    """GET /app/hello/{secret}: what a phone sees that has reached the server; open to whoever has the address."""
    owner = await run_in_threadpool(load_workspace)
    if not await run_in_threadpool(note_visit, owner, request.path_params["secret"]):
        raise HTTPException(404, "There is no such page.")
    return await render(request, "hello.html", told=_(REACHED))
