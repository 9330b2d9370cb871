"""Signing in to the page with a token, or with the code of a link; and out."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ana.people import People
from ana.people.sessions import sign_in
from ana.translation import _, mark_text
from app.page.forms import end_forms, read_text
from app.page.shell import render
from app.server.attempts import Attempts
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.sign_in import PAGE_SIGN_IN, WRONG_CODE, write_session

WRONG = mark_text("This is no token, or one that has ended; `ana users token NAME` makes a new one.")


async def ask(request: Request) -> Response:
    """GET /app/sign-in."""
    return await render(request, "sign_in.html", wrong="")


async def enter(request: Request, form: FormData) -> Response:
    """POST /app/sign-in: {token} or {code}."""
    people: People = request.app.state.people
    attempts: Attempts = request.app.state.attempts
    token, code = read_text(form, "token"), read_text(form, "code")
    address = request.client.host if request.client else ""
    try:
        if code:
            await attempts.wait(address)
    except HTTPException as exc:
        return await render(request, "sign_in.html", status=exc.status_code, wrong=_(exc.detail))
    exchanged = await run_in_threadpool(people.exchange, code) if code else None
    found = await run_in_threadpool(sign_in, people, exchanged[1] if exchanged else token)
    if found is None:
        if code:
            attempts.note_wrong(address)
        return await render(request, "sign_in.html", status=401, wrong=_(WRONG_CODE if code else WRONG))
    return end_forms(RedirectResponse(PAGE, 303, {"set-cookie": write_session(request.scope, found[1])}))


async def leave(request: Request, _form: FormData) -> Response:
    """POST /app/sign-out: end this browser's session."""
    return end_forms(RedirectResponse(PAGE_SIGN_IN, 303, {"set-cookie": write_session(request.scope, "")}))
