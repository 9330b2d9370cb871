"""Deciding who makes a request, by its token alone, before it is routed."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from ana.errors import NotFound
from ana.json_lines import name_work
from ana.keys import OWNER
from ana.people import People
from ana.people.sessions import SESSION_SECONDS, find_session
from ana.reminders.buttons import PATH
from app.reaching import PATH as HELLO
from app.server.arriving import read_length
from app.server.guard import BY_SCRIPT, PAGE, is_page
from app.server.request_threads import MOST, own

OPEN = frozenset({("POST", "/sign-in"), *((method, path) for method in ("GET", "HEAD") for path in ("/ok", "/ready"))})
"""The requests that need no token, by method and path. The guard answers preflights before they come here."""

PAGE_SIGN_IN = f"{PAGE}/sign-in"
"""Where somebody without a session is sent."""

_KEPT = (f"{PAGE}/offline", f"{PAGE}/sw.js", f"{PAGE}/manifest.webmanifest", f"{PAGE}/static/")
OPEN_PAGES = (PAGE_SIGN_IN, *_KEPT, HELLO)
"""The page's paths, or beginnings of paths, that need no session; nothing of anybody is in them."""

COOKIE = "ana-session"

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
    """

    def __init__(self, app: ASGIApp, people: People) -> None:
        self._app = app
        self._people = people
        self._lookups = CapacityLimiter(MOST)
        self._threads: defaultdict[str | None, CapacityLimiter] = defaultdict(lambda: CapacityLimiter(MOST))
        """In which each person's requests work."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on.

        Raises:
            HTTPException: Nobody may make it.
            AnaError: Who makes it cannot be looked up.
        """
        if scope["type"] == "websocket":  # no route has one
            await WebSocketClose(1008)(scope, receive, send)
            return
        if scope["type"] == "http":
            state = scope.setdefault("state", {})
            state.update(person=None, is_alone=False, button=None)
            admitted, session = await self._admit(scope)
            state.update(admitted)
            if state["person"] is None and read_length(scope) > LARGEST:
                raise HTTPException(413, f"The body is larger than {LARGEST:,} bytes.")
            own.set(self._threads[state["person"]])
            name_work(person=state["person"])
            send = _set_session(send, scope, session) if session else send
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> tuple[dict[str, Any], str]:
        """Return the person who makes a request, or nobody if the path is open to everybody, and a session in place of
        an old one.

        A wrong calendar key gets 401 and not 404, because it gives access like a token. A replaced key, a removed
        person's key and an invented one get the same answer.
        """
        connection, path, route = HTTPConnection(scope), scope["path"], (scope["method"], scope["path"])
        if route in OPEN or _is_open_page(path):
            return {}, ""
        if path.startswith(PATH):
            button = await run_in_threadpool(self._people.find_by_button, path.removeprefix(PATH))
            if button is None:
                raise NotFound(*NO_BUTTON)
            return {"person": button.person, "button": button}, ""
        if route in CALENDAR and "key" in connection.query_params:
            key = "".join(connection.query_params.getlist("key"))
            return {"person": _require(await run_in_threadpool(self._people.find_by_calendar_key, key), WRONG_KEY)}, ""
        if not await self._look_up(self._people.needs_token, (scope.get("server") or ("",))[0]):
            return {"person": OWNER, "is_alone": True}, ""
        token = read_token(connection)
        if token or not is_page(path):
            return {"person": _require(await self._look_up(self._people.find, token))}, ""
        return await self._admit_browser(connection)

    async def _admit_browser(self, connection: HTTPConnection) -> tuple[dict[str, Any], str]:
        if session := await self._look_up(find_session, self._people, connection.cookies.get(COOKIE, "")):
            return {"person": session[0]}, session[1]
        if BY_SCRIPT in connection.headers:
            raise HTTPException(401, "You are signed out; load this page again to sign in.")
        raise HTTPException(303, "Sign in.", {"location": PAGE_SIGN_IN})

    async def _look_up(self, look: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Look something up in the list of people, without blocking other connections."""
        if not self._people.waits:  # it takes less than to hand it to a thread, and threads may be busy
            return look(*args, **kwargs)
        return await to_thread.run_sync(partial(look, *args, **kwargs), limiter=self._lookups)


def exchange(people: People, code: str) -> tuple[str, str]:
    """Return the person to whom a code belongs, and a new token. Raises HTTPException if the code is wrong."""
    return _require(people.exchange(code), WRONG_CODE)


def _require(value: T | None, wrong: str = WRONG) -> T:
    """Return the result of a key. Raises HTTPException if the key is wrong."""
    if value is None:
        raise HTTPException(401, wrong, {"www-authenticate": "Bearer"})
    return value


def _is_open_page(path: str) -> bool:
    return any(path == each or (each.endswith("/") and path.startswith(each)) for each in OPEN_PAGES)


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
