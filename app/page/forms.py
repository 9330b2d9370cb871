"""Forms of the page: each has a token that only this page can know, and is answered with where to go on."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from functools import wraps
from hmac import compare_digest

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ana.errors import UserError
from ana.text import check_text
from app.http.guard import PAGE

COOKIE = "ana-form"
FIELD = "form_token"
"""The field of a form that has what the cookie has: a page elsewhere can send a form, and read neither."""
MOST_FIELDS = 2000
FORM_SECONDS = 20.0
"""How long a form without a file may take to arrive."""

Act = Callable[[Request, FormData], Awaitable[Response | str]]
"""What a form does. It returns the answer, or where to go on."""


def read_form_token(request: Request) -> str:
    """Return the token of this browser's forms, a new one if it has none."""
    return request.cookies.get(COOKIE) or secrets.token_urlsafe(16)


def keep_form_token(request: Request, response: Response, token: str) -> None:
    """Have the browser keep the token of its forms, as long as it is open."""
    if request.cookies.get(COOKIE) != token:
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, path=PAGE, httponly=True, samesite="strict", secure=secure)


def end_forms(response: Response) -> Response:
    """Return an answer with which no form counts that is open in this browser: somebody else may sign in there."""
    response.delete_cookie(COOKIE, path=PAGE)
    return response


def act(do: Act) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a form: its token is looked at before anything is done."""

    @wraps(do)
    async def answer(request: Request) -> Response:
        has_file = request.headers.get("content-type", "").startswith("multipart/")
        try:
            async with asyncio.timeout(None if has_file else FORM_SECONDS):
                form = await request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=4_000_000)
        except TimeoutError:
            raise HTTPException(408, f"The form did not arrive within {FORM_SECONDS:g} seconds.") from None
        try:
            _check_token(request, form)
            check_text([text for pair in form.multi_items() for text in pair], UserError)
            told = await do(request, form)
        finally:
            await form.close()
        return RedirectResponse(told, 303) if isinstance(told, str) else told

    return answer


def read_text(form: FormData, name: str) -> str:
    """Return a field of a form, without spaces around it; empty without one. A file is none."""
    given = form.get(name, "")
    return given.strip() if isinstance(given, str) else ""


def _check_token(request: Request, form: FormData) -> None:
    kept, given = request.cookies.get(COOKIE, ""), read_text(form, FIELD)
    if not kept or not compare_digest(kept.encode(), given.encode()):
        raise HTTPException(403, "This form is not of this page, or is too old; load the page again.")
