"""What a phone opens without signing in: the buttons under a reminder, and an address that shows that it gets here."""

import segno
from markupsafe import Markup

from ana.errors import NotFound, UserError
from ana.reminders.buttons import ACTS
from ana.translation import _, mark_text
from ana.urls import find_site
from ana.workspace import load_workspace
from app.answering import RungItem, answer, find_rung
from app.page.visits import NoSuchPage, Page, Visit
from app.reaching import REACHED, await_visit, has_come, note_visit

YES = mark_text("The phone has reached this server: reminders by ntfy and mail have buttons.")
NOT_YET = mark_text("Nothing has opened the address yet. Is the phone in the same network, and ANA_PUBLIC_URL right?")


def test(visit: Visit) -> Page:
    """POST /app/phone: show an address of ours for a phone to open, or {address} whether it was opened."""
    visit.require_owner()
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
    """GET /app/hello/{secret}: shown to a phone that has reached the server."""
    if not note_visit(load_workspace(), visit.find("secret")):
        raise NoSuchPage
    return Page("hello.html", told=_(REACHED))


def ask(visit: Visit) -> Page:
    """GET /app/reminder/{signed}: say what the button would do, but do nothing: mail programs follow links."""
    return _show(visit, _find(visit))


def press(visit: Visit) -> Page:
    """POST /app/reminder/{signed}: do it. The signature takes the place of the form's token."""
    rung = _find(visit)
    return _show(visit, rung, answer(visit.handles, rung, visit.request.state.button.act))


def _find(visit: Visit) -> RungItem:
    button = visit.request.state.button
    if button.until <= visit.handles.clock.now():
        raise NotFound("This button has ended.", "The next reminder brings another.")
    return find_rung(visit.handles, button.ring)


def _show(visit: Visit, rung: RungItem, told: str = "") -> Page:
    return Page("reminder.html", item=rung.item, word=ACTS[visit.request.state.button.act], told=told)
