"""Signing in to the page with a token or with the code of a link, and signing out."""

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ana.people import People
from ana.people.sessions import sign_in
from ana.translation import mark_text
from app.page.forms import end_forms
from app.page.visits import Page, Visit
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import PAGE_SIGN_IN, exchange, write_session

WRONG = mark_text("This is no token, or one that has ended; `ana users token NAME` makes a new one.")


def ask(_: Visit) -> Page:
    """GET /app/sign-in."""
    return Page("sign_in.html", wrong="")


async def enter(visit: Visit) -> Page | Response:
    """POST /app/sign-in: {token} or {code}."""
    people: People = visit.request.app.state.people
    token, code = visit.read("token"), visit.read("code")
    try:
        _, token = await run_in_threadpool(exchange, people, code) if code else ("", token)
    except HTTPException as exc:
        return Page("sign_in.html", status=exc.status_code, wrong=exc.detail)
    found = await run_in_threadpool(sign_in, people, token)
    if found is None:
        return Page("sign_in.html", status=401, wrong=WRONG)
    return _go(visit, PAGE, found[1])


def leave(visit: Visit) -> Response:
    """POST /app/sign-out: end this browser's session."""
    return _go(visit, PAGE_SIGN_IN, "")


def _go(visit: Visit, path: str, session: str) -> Response:
    return end_forms(RedirectResponse(path, 303, {"set-cookie": write_session(visit.request.scope, session)}))
