"""Our routes without a server around them, on handles that a test has opened."""

from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, nullcontext
from types import SimpleNamespace

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from ana.handles import Handles
from ana.keys import OWNER
from ana.runs.slots import Slots
from app.server.arriving import Bodies
from app.server.refusals import Refusals
from app.server.routes import ROUTES
from app.server.turns import TurnRunner
from app.turn import open_assistant


@contextmanager
def asking(handles: Handles) -> Iterator[TestClient]:
    """A client of the owner's, alone on this machine."""
    opened = SimpleNamespace(workspace=handles.workspace, slots=Slots())

    app = Starlette(routes=ROUTES, exception_handlers=Refusals().handlers, middleware=[Middleware(Bodies)])
    app.state.workspaces = SimpleNamespace(hold=lambda _: nullcontext(opened))

    async def sign_in(scope: Scope, receive: Receive, send: Send) -> None:
        state = {"is_alone": True, "person": OWNER, "resources": AsyncExitStack()}
        await app({**scope, "state": state}, receive, send)

    with open_assistant(handles, "ana server") as assistant:
        opened.turns = TurnRunner(assistant)
        yield TestClient(sign_in, base_url="http://127.0.0.1")
