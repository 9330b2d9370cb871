"""The guard of the HTTP door: a web page elsewhere must not be able to use this server.

The dev server answers every origin, and a text/plain POST needs no preflight, so any page a person visits could run a
turn and read the answer. This ASGI middleware stands before every route, the built-in ones too.
"""

from collections.abc import Callable, Mapping, Sequence
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

STUDIO = ("https://smith.langchain.com", "https://eu.smith.langchain.com")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
LARGEST = 4_000_000
"""The largest request body, in bytes."""


class Guard:
    """Refuses foreign origins, foreign hosts, bodies that are not JSON or too large, before anything runs.

    Args:
        app: The application it protects.
        origins: Returns the origins allowed beside our own and Studio's; called once, at the first request.
    """

    def __init__(self, app: ASGIApp, origins: Callable[[], Sequence[str]] = tuple) -> None:
        self._app = app
        self._ask_origins = origins
        self._origins: frozenset[str] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope.get("root_path") == "/noauth":
            # lifespan, or the SDK in this very process; nobody outside can set root_path
            await self._app(scope, receive, send)
            return
        if self._origins is None:
            self._origins = frozenset((*STUDIO, *await run_in_threadpool(self._ask_origins)))
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        refusal = find_refusal(scope.get("method", "GET"), headers, self._origins)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await JSONResponse({"error": refusal[1]}, status_code=refusal[0])(scope, receive, send)


def find_refusal(method: str, headers: Mapping[str, str], origins: frozenset[str]) -> tuple[int, str] | None:
    """Return the status and the sentence with which a request is refused; None if it may pass.

    Args:
        method: The HTTP method.
        headers: By lower-case name.
        origins: The foreign origins that are allowed.
    """
    host = headers.get("host", "")
    if not _is_loopback(f"http://{host}"):
        return 421, f"This server does not answer for the host {host!r}."
    origin = headers.get("origin")
    if origin is not None and origin not in origins and not _is_same_server(origin, host):
        return 403, f"The origin {origin!r} may not use this server; ANA_CORS_ORIGINS can allow it."
    return None if method in ("GET", "HEAD", "OPTIONS") else _find_body_refusal(headers)


def _find_body_refusal(headers: Mapping[str, str]) -> tuple[int, str] | None:
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        return 411, "Send the length of the body; chunked bodies are not accepted."
    if not length.isdigit() or int(length) > LARGEST:
        return 413, f"The body is larger than {LARGEST:,} bytes."
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if int(length) and kind != "application/json":
        return 415, "Send the body as application/json."
    return None


def _is_loopback(url: str) -> bool:
    try:
        return urlsplit(url).hostname in LOOPBACK
    except ValueError:
        return False


def _is_same_server(origin: str, host: str) -> bool:
    """Return whether an origin is this server, under any of its loopback names."""
    try:
        return _is_loopback(origin) and urlsplit(origin).port == urlsplit(f"http://{host}").port
    except ValueError:
        return False
