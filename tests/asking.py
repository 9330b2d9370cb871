"""Our routes without a server around them, on handles that a test has opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from ana.handles import Handles
from ana.runs.slots import Slots
from ana.workspace import Workspace
from app.server.routes import ROUTES
from app.server.turns import TurnRunner


@dataclass
class _Home:
    workspace: Workspace
    turns: TurnRunner
    slots: Slots


@contextmanager
def asking(handles: Handles) -> Iterator[TestClient]:
    """A client of the owner's, alone on this machine."""
    home = _Home(handles.workspace, TurnRunner(lambda: handles), Slots())

    async def find_home(_: Request) -> _Home:
        return home

    app = Starlette(routes=ROUTES)
    app.state.find_home = find_home

    async def sign_in(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {"is_alone": True}}, receive, send)

    yield TestClient(sign_in, base_url="http://127.0.0.1")
    home.turns.close()
