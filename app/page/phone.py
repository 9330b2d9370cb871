"""Checking whether a phone reaches this server: a code for it to open, and the page that the phone gets."""

import segno
from markupsafe import Markup
from starlette.exceptions import HTTPException

from ana.errors import UserError
from ana.keys import OWNER
from ana.translation import _, mark_text
from ana.urls import find_site
from ana.workspace import load_workspace
from app.page.visits import Page, Visit
from app.reaching import REACHED, await_visit, has_come, note_visit

YES = mark_text("The phone has reached this server: reminders by ntfy and mail have buttons.")
NOT_YET = mark_text("Nothing has opened the address yet. Is the phone in the same network, and ANA_PUBLIC_URL right?")


def test(visit: Visit) -> Page:
    """POST /app/phone: show an address of ours for a phone to open, or {address} whether it was opened."""
    if visit.request.state.person != OWNER:
        raise HTTPException(404, "There is no such page.")
    owner = load_workspace()
    site = find_site(owner.settings.ana_public_url, owner.settings.ana_hosts)
    if site is None:
        raise UserError("ANA_PUBLIC_URL is not set.", "Set it in .env to an address that the phone reaches.")
    told = ""
    if address := visit.read("address"):
        told = _(YES if has_come(owner) else NOT_YET)
    else:
        address = await_visit(owner, site)
    code = Markup(segno.make(address, micro=False).svg_inline(scale=4, light="white"))
    return Page("phone.html", address=address, code=code, told=told)


def greet(visit: Visit) -> Page:
    """GET /app/hello/{secret}: shown to a phone that has reached the server, without signing in."""
    if not note_visit(load_workspace(), visit.find("secret")):
        raise HTTPException(404, "There is no such page.")
    return Page("hello.html", told=_(REACHED))
