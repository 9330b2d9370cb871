"""Forms of the page: each has a token that only this page can know, and is answered with a redirect."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from hmac import compare_digest
from string import hexdigits

import numpy as np
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import UserError
from ana.text import check_text
from app.server.guard import FILES, PAGE
from app.server.request_threads import run_in_threadpool

COOKIE = "ana-form"
FIELD = "form_token"
"""The field of a form that has what the cookie has: a page elsewhere can send a form, and read neither."""
MOST_FIELDS = 2000
MOST_BESIDE, LONGEST_BESIDE = 8, 10_240
"""How many fields a form has beside a file, and how many bytes each: the file is kept on the disk, and they are not."""

_DIGITS = np.array([int(chr(code), 16) if chr(code) in hexdigits else -1 for code in range(256)], np.int16)
"""What each byte is as a hexadecimal digit."""


def read_form_token(request: Request) -> str:
    """Return the token of this browser's forms, a new one if it has none."""
    return request.cookies.get(COOKIE) or secrets.token_urlsafe(16)


def keep_form_token(request: Request, response: Response, token: str) -> None:
    """Make the browser keep the token of its forms until it is closed."""
    if request.cookies.get(COOKIE) != token:
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, token, path=PAGE, httponly=True, samesite="strict", secure=secure)


def end_forms(response: Response) -> Response:
    """Make all forms that are open in this browser invalid, because somebody else may sign in there."""
    response.delete_cookie(COOKIE, path=PAGE)
    return response


def act(do: Callable[[Request, FormData], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a form, which checks the form's token before anything is done."""

    async def answer(request: Request) -> Response:
        form = await _read_form(request)
        try:
            check_text([text for pair in form.multi_items() for text in pair], UserError)
            _check_token(request, form)
            return await do(request, form)
        finally:
            await form.close()

    return answer


async def _read_form(request: Request) -> FormData:
    """Return the form of a request. Raises HTTPException if it is not a form, arrives too late, or is too large."""
    if request.url.path != FILES:
        return await run_in_threadpool(parse_form, await request.body())
    try:
        return await request.form(max_files=1, max_fields=MOST_BESIDE, max_part_size=LONGEST_BESIDE)
    except UnicodeError as exc:
        raise HTTPException(400, "The form cannot be read: its texts are not in the charset that it names.") from exc
    except HTTPException as exc:
        with suppress(HTTPException, RuntimeError):  # the latter if all of it has arrived
            async for _ in request.stream():
                pass
        if exc.status_code != 400:
            raise
        raise HTTPException(400, f"The form cannot be read: {exc.detail}") from exc


def parse_form(body: bytes) -> FormData:
    """Return the fields of a form without a file. Raises HTTPException if it has too many.

    The library's parser would take 14 s and 750 MB for 4 MB of %.
    """
    if body.count(b"&") >= MOST_FIELDS:
        raise HTTPException(400, f"The form has more than {MOST_FIELDS:,} fields.")
    pairs = (field.partition(b"=") for field in body.split(b"&") if field)
    return FormData([(_unescape(name), _unescape(value)) for name, _, value in pairs])


def _unescape(text: bytes) -> str:
    """Return a text without its escapes; a % that begins no escape stays."""
    given = np.frombuffer(text.replace(b"+", b" ") + bytes(2), np.uint8).copy()
    at = np.flatnonzero(given[:-2] == ord("%"))
    high, low = _DIGITS[given[at + 1]], _DIGITS[given[at + 2]]
    is_escape = (high >= 0) & (low >= 0)
    at = at[is_escape]
    given[at] = 16 * high[is_escape] + low[is_escape]
    kept = np.ones(len(given), bool)
    kept[at + 1] = kept[at + 2] = kept[-2:] = False
    return given[kept].tobytes().decode(errors="replace")


def read_text(form: FormData, name: str) -> str:
    """Return a text field of a form, without spaces around it; empty if it is missing or a file."""
    given = form.get(name, "")
    return given.strip() if isinstance(given, str) else ""


def _check_token(request: Request, form: FormData) -> None:
    kept, given = request.cookies.get(COOKIE, ""), read_text(form, FIELD)
    if not kept or not compare_digest(kept.encode(), given.encode()):
        raise HTTPException(403, "This form is not of this page, or is too old; load the page again.")
