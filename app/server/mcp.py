"""/mcp: other assistants over HTTP, each on the workspace of the person whose token it has."""

import logging
from contextlib import AbstractAsyncContextManager

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from app.mcp.server import Context, McpServer
from app.mcp.sessions import Sessions
from app.server.answers import find_workspace

SESSION_SECONDS = 86_400.0
"""How long a client of an older protocol, which has sessions, may be silent."""


class McpDoor:
    """Answers every request of MCP, on one route. The guard checks hosts and origins.

    The protocol 2026-07-28 has no session. A session of an older protocol belongs to the person who opened it; for
    others it does not exist.
    """

    def __init__(self) -> None:
        server = McpServer(_find_sessions).build()
        self._manager = StreamableHTTPSessionManager(server, session_idle_timeout=SESSION_SECONDS)
        # it tells in the log a session that is another's from one that does not exist
        logging.getLogger("mcp.server.streamable_http_manager").setLevel(logging.ERROR)

    def run(self) -> AbstractAsyncContextManager[None]:
        """Return the context in which it answers requests; it can be entered once."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if scope["method"] == "POST":  # the others are about a session alone, and may stay open for days
            request.state.sessions = (await find_workspace(request)).sessions
        person = request.state.person
        user = AuthenticatedUser(AccessToken(token="", client_id=person, scopes=[]))
        # no event is kept that could be told again; the library would not answer
        headers = [each for each in scope["headers"] if each[0] != b"last-event-id"]
        await self._manager.handle_request({**scope, "user": user, "headers": headers}, receive, send)


def _find_sessions(context: Context) -> Sessions:
    assert context.request is not None
    sessions: Sessions = context.request.state.sessions
    return sessions
