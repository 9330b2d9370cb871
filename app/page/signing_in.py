"""Signing in to the page with a token or with the code of a link, signing out, and the end of a demo."""

import asyncio

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from ana.people.sessions import sign_in
from ana.translation import mark_text
from app.page.forms import end_forms
from app.page.visits import NoSuchPage, Page, Visit
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import PAGE_SIGN_IN, exchange, write_session

SECONDS = 1.0
"""How long the page that tells of a demo's end has for what it loads."""

WRONG = mark_text("This is no token, or one that has ended; `ana users token NAME` makes a new one.")


def ask(_: Visit) -> Page:
    """GET /app/sign-in."""
    return Page("sign_in.html", wrong="")


async def enter(visit: Visit) -> Page | Response:
    """POST /app/sign-in: {token} or {code}."""
    token, code = visit.read("token"), visit.read("code")
    try:
        _, token = await run_in_threadpool(exchange, visit.people, code) if code else ("", token)
    except HTTPException as exc:
        return Page("sign_in.html", status=exc.status_code, wrong=exc.detail)
    found = await run_in_threadpool(sign_in, visit.people, token)
    if found is None:
        return Page("sign_in.html", status=401, wrong=WRONG)
    return _go(visit, PAGE, found[1])


def leave(visit: Visit) -> Response:
    """POST /app/sign-out: end this browser's session."""
    return _go(visit, PAGE_SIGN_IN, "")


def end_demo(visit: Visit) -> Page:
    """POST /app/demo/end: the server ends, and its folder is deleted; the browser deletes its data of this address."""
    state = visit.request.app.state
    if state.end_demo is None:
        raise NoSuchPage

    async def finish() -> None:
        await asyncio.sleep(SECONDS)
        state.end_demo()

    dropped = {"clear-site-data": '"cache", "storage"'}
    return Page("demo_ended.html", headers=dropped, background=BackgroundTask(finish))


def _go(visit: Visit, path: str, session: str) -> Response:
    return end_forms(RedirectResponse(path, 303, {"set-cookie": write_session(visit.request.scope, session)}))
