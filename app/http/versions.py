"""The version of our own routes, told in a header."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-ana-version"
"""What a client may send, and every answer of our routes has."""

VERSION = "1"
"""It is raised when an answer changes so that a client must change, too."""


class Versioned:
    """Refuses a client that asks for another version than there is; one that asks for none gets this one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_versioned(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = VERSION
            await send(message)

        asked = Headers(scope=scope).get(HEADER, VERSION)
        sentence = f"These routes have version {VERSION}, not {asked[:20]!r}; leave out {HEADER}, or send {VERSION}."
        app = self._app if asked == VERSION else JSONResponse({"error": sentence}, 400)
        await app(scope, receive, send_versioned)
