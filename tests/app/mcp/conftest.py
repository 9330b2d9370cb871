"""A server in this process, and official clients of it."""

import functools
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.session import ElicitationFnT
from mcp_types import CallToolResult, Implementation

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles, open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.mcp.server import McpServer
from app.mcp.sessions import Sessions
from app.pending import ClosingModel
from tests.conftest import EMBEDDER, folders

MODES = ("legacy", "2026-07-28")
"""The protocol with a handshake, and the one without."""

Talk = Callable[[Client], Awaitable[Any]]
Elicit = ElicitationFnT


@pytest.fixture
def open_on(tmp_path: Path) -> Callable[..., Handles]:
    """Opens a person's store on a dial."""

    def open_store(dial: str, **env: str) -> Handles:
        workspace = open_workspace(load_settings(folders(tmp_path, ANA_AUTONOMY=dial, **env)))
        return open_handles(workspace, model=ClosingModel(), backend=InMemoryBackend(EMBEDDER))

    return open_store


@pytest.fixture
def handles(open_on: Callable[[str], Handles]) -> Handles:
    return open_on("confirm")


@pytest.fixture
def acting(open_on: Callable[[str], Handles]) -> Handles:
    """A store on the dial that asks least."""
    return open_on("act")


@pytest.fixture
def served(handles: Handles) -> Iterator[Sessions]:
    sessions = serve(handles)
    yield sessions
    sessions.close()


def serve(handles: Handles) -> Sessions:
    """Return the sessions of the clients of a store."""
    return Sessions(lambda: handles, lambda: "2026-01-07 09:00 a1b2")


def talk(server: Any, do: Talk, mode: str = "legacy", elicit: Elicit | None = None, name: str = "Claude Code") -> Any:
    """Return what a client brings back from its talk with a server: one of these sessions, or how to reach another."""
    told = Implementation(name=name, version="1")

    async def run() -> Any:
        target = McpServer(lambda _: server).build() if isinstance(server, Sessions) else server
        async with Client(target, mode=mode, elicitation_callback=elicit, client_info=told, cache=None) as client:
            return await do(client)

    return anyio.run(run)


def call(server: Any, tool: str, args: dict[str, Any] | None = None, **more: Any) -> CallToolResult:
    """Return the answer to one call; the keywords are those of `talk`."""
    result: CallToolResult = talk(server, functools.partial(_call, tool=tool, args=args or {}), **more)
    return result


async def _call(client: Client, tool: str, args: dict[str, Any]) -> CallToolResult:
    return await client.call_tool(tool, args)


def read(result: CallToolResult) -> dict[str, Any]:
    """Return what a call brought, which must not have failed."""
    assert not result.is_error, result.content
    data = result.structured_content
    assert isinstance(data, dict)
    return data


def text_of(result: CallToolResult) -> str:
    """Return the text of an answer."""
    return "".join(part.text for part in result.content if part.type == "text")
