"""Ids in requests, written as we write them: whatever comes after knows one spelling of each."""

from typing import Any
from urllib.parse import quote

from pydantic_core import to_json
from starlette.types import ASGIApp, Receive, Scope, Send

from ana.ownership import canonical_id
from app.http.bodies import read_json, replay


class CanonicalIds:
    """Rewrites the ids in the path of a request, and that of a thread to be created in its body.

    Args:
        app: The application behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            path = "/".join(canonical_id(part) or part for part in scope["path"].split("/"))
            if path != scope["path"]:
                scope = {**scope, "path": path, "raw_path": quote(path).encode()}
            if scope.get("method") == "POST" and path.rstrip("/") == "/threads":
                receive = _rewrite(*await read_json(receive))
        await self._app(scope, receive, send)


def _rewrite(asked: Any, receive: Receive) -> Receive:
    """Return a `receive` that gives a body with its thread's id rewritten."""
    given = asked.get("thread_id") if isinstance(asked, dict) else None
    id = canonical_id(given) if isinstance(given, str) else None
    if id in (None, given):
        return receive
    return replay([{"type": "http.request", "body": to_json(asked | {"thread_id": id})}], receive)
