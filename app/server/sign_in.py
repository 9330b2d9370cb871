"""Deciding who makes a request, by its token alone, before it is routed."""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from pydantic_core import from_json
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ana.errors import AnaError, NotFound
from ana.json_lines import name_work
from ana.keys import OWNER
from ana.people import People
from ana.people.sessions import SESSION_SECONDS, find_session
from ana.reminders.buttons import PATH
from app.reaching import PATH as HELLO
from app.server.arriving import drop_body, read_body, read_length, tell_error
from app.server.attempts import Attempts
from app.server.guard import BY_SCRIPT, PAGE, is_page
from app.server.refusals import find_status
from app.server.request_threads import MOST, own

OPEN = frozenset((method, path) for method in ("GET", "HEAD") for path in ("/ok", "/ready"))
"""The requests that need no token, by method and path. The guard answers preflights before they come here."""

PAGE_SIGN_IN = f"{PAGE}/sign-in"
"""Where somebody without a session is sent."""

_KEPT = (f"{PAGE}/offline", f"{PAGE}/sw.js", f"{PAGE}/manifest.webmanifest", f"{PAGE}/static/")
OPEN_PAGES = (PAGE_SIGN_IN, *_KEPT, HELLO)
"""The page's paths, or beginnings of paths, that need no session; nothing of anybody is in them."""

COOKIE = "ana-session"

SIGN_IN = ("POST", "/sign-in")
"""{code} → {person, token}: what a device that was shown a code signs in with. Answered here, as a wrong token is."""

CALENDAR = (("GET", "/calendar.ics"), ("HEAD", "/calendar.ics"))
"""The requests that a calendar's key opens, as ?key=; it opens nothing else, and no token is read from an address."""

LARGEST = 10_000
"""The largest body of somebody who has not signed in yet, in bytes."""

P = ParamSpec("P")
T = TypeVar("T")

WRONG = "Send a token, as `Authorization: Bearer TOKEN` or `X-Api-Key: TOKEN`; `ana users token NAME` makes one."
WRONG_KEY = "No calendar is here: the key was changed, or never was one; `ana calendar` shows the address that counts."
WRONG_CODE = "This code was used, has ended, or never was one; `ana users link NAME` shows a new one."

NO_BUTTON = "This is no button of a reminder.", "Open the whole address, as the reminder has it."


class SignIn:
    """Sets `scope["state"]["person"]` (Starlette's `request.state.person`), or refuses the request.

    It also sets `is_alone`: whether nobody but the owner, on this machine, can have sent the request; and `button`, the
    pressed button under a reminder: anybody who has its address may do that one act, and sees nothing else of the
    person's data.

    Args:
        show: Returns the page for a refused request, its status and the reason; without it the answer is JSON.
    """

    def __init__(
        self,
        app: ASGIApp,
        people: People,
        attempts: Attempts | None = None,
        show: Callable[[Request, int, str], Awaitable[Response]] | None = None,
    ) -> None:
        self._app = app
        self._show = show
        self._people = people
        self._attempts = attempts or Attempts()
        self._lookups = CapacityLimiter(MOST)
        self._threads: defaultdict[str | None, CapacityLimiter] = defaultdict(lambda: CapacityLimiter(MOST))
        """In which each person's requests work."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        route = (scope.get("method", ""), scope["path"])
        renewed = ""
        try:
            if route == SIGN_IN:
                body = await self._exchange(scope, receive)
                answer: ASGIApp = JSONResponse(body, headers={"cache-control": "no-store"})
            else:
                if is_page(scope["path"]):
                    admitted, renewed = await self._admit_to_page(scope)
                else:
                    admitted = await self._admit(route, scope)
                state = {**scope.get("state", {}), "is_alone": False, "button": None, **admitted}
                own.set(self._threads[state["person"]])
                name_work(person=state["person"])
                answer, scope = self._app, {**scope, "state": state}
        except HTTPException as exc:
            await _drop_body(scope, receive)
            answer = tell_error(exc.status_code, exc.detail, exc.headers)
        except AnaError as exc:
            answer = await self._tell(scope, find_status(exc, 503), exc.sentence())
        except OSError as exc:
            answer = await self._tell(scope, 503, f"The list of people cannot be written: {exc.strerror or exc}.")
        if scope["type"] == "websocket" and answer is not self._app:
            await send({"type": "websocket.close", "code": 1008})
        else:
            await answer(scope, receive, _set_session(send, scope, renewed) if renewed else send)

    async def _tell(self, scope: Scope, status: int, sentence: str) -> ASGIApp:
        if self._show and scope["type"] == "http" and is_page(scope["path"]):
            return await self._show(Request({**scope, "state": {"person": None, "button": None}}), status, sentence)
        return tell_error(status, sentence)

    async def _admit_to_page(self, scope: Scope) -> tuple[dict[str, Any], str]:
        """Return the visitor, or None if the path is open to everybody, and a session in place of an old one."""
        connection, path = HTTPConnection(scope), scope["path"]
        if any(path == each or (each.endswith("/") and path.startswith(each)) for each in OPEN_PAGES):
            _require_small(scope)
            return {"person": None}, ""
        if path.startswith(PATH):
            button = await run_in_threadpool(self._people.find_by_button, path.removeprefix(PATH))
            if button is None:
                raise NotFound(*NO_BUTTON)
            return {"person": button.person, "button": button}, ""
        if not await self._look_up(self._people.needs_token, (scope.get("server") or ("",))[0]):
            return {"person": OWNER, "is_alone": True}, ""
        if token := read_token(connection):
            return {"person": _require(await self._look_up(self._people.find, token))}, ""
        if session := await self._look_up(find_session, self._people, connection.cookies.get(COOKIE, "")):
            return {"person": session[0]}, session[1]
        if BY_SCRIPT in connection.headers:
            raise HTTPException(401, "You are signed out; load this page again to sign in.")
        raise HTTPException(303, "Sign in.", {"location": PAGE_SIGN_IN})

    async def _admit(self, route: tuple[str, str], scope: Scope) -> dict[str, Any]:
        """Return the person who makes a request, or None if the path is open to everybody.

        A wrong calendar key gets 401 and not 404, because it gives access like a token. A replaced key, a removed
        person's key and an invented one get the same answer.
        """
        if route in OPEN:
            return {"person": None}
        connection = HTTPConnection(scope)
        if route in CALENDAR and "key" in connection.query_params:
            find = self._people.find_by_calendar_key
            key = "".join(connection.query_params.getlist("key"))
            return {"person": _require(await run_in_threadpool(find, key), WRONG_KEY)}
        if not await self._look_up(self._people.needs_token, (scope.get("server") or ("",))[0]):
            return {"person": OWNER, "is_alone": True}
        return {"person": _require(await self._look_up(self._people.find, read_token(connection)))}

    async def _exchange(self, scope: Scope, receive: Receive) -> dict[str, str]:
        _require_small(scope)
        body: Any = (await read_body(receive))[0]
        with suppress(ValueError):
            body = from_json(body)
        code = body.get("code") if isinstance(body, dict) else None
        if not isinstance(code, str):
            raise HTTPException(422, 'Send the code as {"code": "..."}.')
        address = (scope.get("client") or ("",))[0]
        await self._attempts.wait(address)
        exchanged = await run_in_threadpool(self._people.exchange, code)
        if exchanged is None:
            self._attempts.note_wrong(address)
        person, token = _require(exchanged, WRONG_CODE)
        return {"person": person, "token": token}

    async def _look_up(self, look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Look something up in the list of people, without blocking other connections."""
        if not self._people.waits:  # it takes less than to hand it to a thread, and threads may be busy
            return look(*args, **kwargs)
        return await to_thread.run_sync(partial(look, *args, **kwargs), limiter=self._lookups)


def _require(value: T | None, wrong: str = WRONG) -> T:
    """Return the result of a key. Raises HTTPException if the key is wrong."""
    if value is None:
        raise HTTPException(401, wrong, {"www-authenticate": "Bearer"})
    return value


def write_session(scope: Scope, session: str) -> str:
    """Return the header that makes a browser keep a session, only for the page; an empty session ends it."""
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    seconds = SESSION_SECONDS if session else 0
    return f"{COOKIE}={session}; Path={PAGE}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"


def _set_session(send: Send, scope: Scope, session: str) -> Send:
    async def send_with_session(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append("set-cookie", write_session(scope, session))
        await send(message)

    return send_with_session


def read_token(connection: HTTPConnection) -> str:
    """Return the token of a request, empty if it has none. A bearer token takes precedence over a key, because the SDKs
    send a LangSmith key from the environment as a key. A header that is sent twice does not count.
    """
    kinds = ("authorization", "x-api-key")
    bearer, key = ([value.strip() for value in connection.headers.getlist(kind)] for kind in kinds)
    bearers = [value[7:].strip() for value in bearer if value[:7].lower() == "bearer "]
    tokens = bearers or key
    return tokens[0] if len(tokens) == 1 and len(bearer) < 2 else ""


def _require_small(scope: Scope) -> None:
    if read_length(scope) > LARGEST:
        raise HTTPException(413, f"The body is larger than {LARGEST:,} bytes.")


async def _drop_body(scope: Scope, receive: Receive) -> None:
    """Read and drop the rest of a client's body; a code was read already."""
    is_code = (scope.get("method", ""), scope["path"]) == SIGN_IN
    if read_length(scope) and not is_code and "expect" not in HTTPConnection(scope).headers:
        await drop_body(receive)
