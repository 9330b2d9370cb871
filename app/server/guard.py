"""The guard of the HTTP door: a foreign web page must not be able to use this server.

A text/plain POST needs no preflight, so any page a person visits could run a turn. This ASGI middleware stands before
every route.
"""

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from ana.urls import LOOPBACK, read_host
from app.server.arriving import SECONDS, Arriving

STUDIO = tuple(f"https://{region}smith.langchain.com" for region in ("", "eu.", "aws.", "apac."))
LARGEST = 4_000_000
"""The largest request body, in bytes."""
LARGEST_FILE = 100_000_000
"""The largest form with a file in it, which is kept on the disk while it is read."""
LARGEST_HEADERS = 32_000
"""Bytes of the headers together."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}
"""On every answer: a page elsewhere can neither frame it nor load it as a script or an image."""
PAGE = "/app"
"""Where the page is: it takes forms, each with a token of its own, and links to it may stand anywhere."""
FILES = f"{PAGE}/files"
"""Where it takes a file."""
BY_SCRIPT = "x-ana-script"
"""The header of what the page's own script asks: it puts a page in place, and shows any other text as a sentence."""
FORM, FILE_FORM = "application/x-www-form-urlencoded", "multipart/form-data"
READABLE = "content-location, location, x-pagination-next, x-pagination-total"
"""The headers of an answer by which a page knows its run, goes on after a lost connection, and turns pages."""

Refusal = tuple[int, str]
"""The status and the sentence with which a request is refused."""


class Guard:
    """Refuses foreign pages and hosts, and bodies whose headers say that they are not JSON or are too large.

    When it refuses a request, no other code has run.

    Args:
        origins: The origins allowed beside ana's own and Studio's.
        seconds: How long a body may take to arrive; see Arriving.
        hosts: The public names of a proxy, which are accepted beside those of loopback.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: Sequence[str] = (),
        seconds: float = SECONDS,
        hosts: Sequence[str] = (),
    ) -> None:
        self._app = app
        self._origins = frozenset((*STUDIO, *origins))
        self._seconds = seconds
        self._hosts = hosts
        # a browser asks for a private network for every page of the web, as Studio's
        self._preflights = CORSMiddleware(
            app, allow_origin_regex=".*", allow_methods=["*"], allow_headers=["*"], allow_private_network=True
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = find_refusal(scope["path"], headers, self._origins, (*self._hosts, *_list_addresses(scope)))
        allowed = headers.get("origin") if refusal is None else None
        app = self._choose(scope, headers, refusal)
        await app(scope, Arriving(receive, self._seconds), _protect(send, allowed))

    def _choose(self, scope: Scope, headers: Headers, refusal: Refusal | None) -> ASGIApp:
        if refusal is not None:
            # where a body has two lengths, a proxy may take its end for the next request
            ends = {"connection": "close"} if {"transfer-encoding", "content-length"} <= {*headers} else None
            return WebSocketClose(1008) if scope["type"] == "websocket" else tell_error(*refusal, ends)
        asks_first = "access-control-request-method" in headers and "origin" in headers
        if asks_first and scope.get("method") == "OPTIONS":
            return self._preflights.preflight_response(headers)
        return self._app


def tell_error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the answer to a request that failed, in ana's form and in that of the LangGraph API."""
    return JSONResponse({"error": sentence, "detail": sentence}, status, headers)


def is_page(path: str) -> bool:
    """Return whether a path is the page's."""
    return path == PAGE or path.startswith(f"{PAGE}/")


def find_refusal(
    path: str, headers: Mapping[str, str], origins: frozenset[str], hosts: Sequence[str] = ()
) -> Refusal | None:
    """Return the status and the sentence with which a request is refused; None if it may pass.

    Args:
        headers: By lower-case name.
        origins: The foreign origins that are allowed.
        hosts: The accepted names beside those of loopback.
    """
    if sum(len(name) + len(value) for name, value in headers.items()) > LARGEST_HEADERS:
        return 431, f"The headers are larger than {LARGEST_HEADERS:,} bytes."
    host = headers.get("host", "")
    name = read_host(f"http://{host}")
    if name not in (*LOOPBACK, *hosts):
        return 421, f"This server does not answer for the host {host!r}; ANA_HOSTS names those it stands behind."
    is_link = is_page(path) and headers.get("sec-fetch-dest") == "document" and "content-length" not in headers
    if not is_link and (refusal := _find_page_refusal(headers, origins, host)):
        return refusal
    kind = FILE_FORM if path == FILES else FORM if is_page(path) else "application/json"
    return _find_body_refusal(headers, kind)


def _find_page_refusal(headers: Mapping[str, str], origins: frozenset[str], host: str) -> Refusal | None:
    origin = headers.get("origin")
    if origin is None:
        # Links, images and scripts carry no origin, but browsers say that another page asked for them.
        foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        return (403, "Another web page may not open this; type the address instead.") if foreign else None
    if origin in origins or _is_same_server(origin, host):
        return None
    return 403, f"The origin {origin!r} may not use this server; ANA_CORS_ORIGINS can allow it."


def _find_body_refusal(headers: Mapping[str, str], wanted: str) -> Refusal | None:
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        return 411, "Send the length of the body; chunked bodies are not accepted."
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    largest = LARGEST_FILE if wanted == FILE_FORM else LARGEST
    if not length.isdecimal() or int(length) > largest:
        return 413, f"The body is larger than {largest:,} bytes."
    if int(length) and kind != wanted:
        return 415, f"Send the body as {wanted}."
    return None


def _list_addresses(scope: Scope) -> list[str]:
    """Return the address at which a request has arrived; unlike a name, a foreign page cannot take it over."""
    try:
        return [str(ip_address(scope["server"][0]))]
    except (KeyError, TypeError, ValueError):
        return []


def _is_same_server(origin: str, host: str) -> bool:
    """Return whether an origin is this server, under any of its loopback names or the name in the request."""
    try:
        one, other = urlsplit(origin), urlsplit(f"http://{host}")
        names = {one.hostname, other.hostname}
        return (len(names) == 1 or names < {*LOOPBACK}) and one.port == other.port
    except ValueError:
        return False


def _protect(send: Send, origin: str | None) -> Send:
    """Return `send` with ana's headers on every answer, and the headers that let an allowed page read the answer.

    Args:
        send: The `send` of the application.
        origin: The page's origin; None if it may not call.
    """

    async def send_protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if origin:
                headers.setdefault("access-control-allow-origin", origin)
                headers["access-control-expose-headers"] = READABLE
        await send(message)

    return send_protected
