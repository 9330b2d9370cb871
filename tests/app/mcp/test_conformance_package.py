"""The conformance package of MCP, over HTTP, and our server with the tools that it calls; `make js` runs this.

Its tools are other names of calls of ours, which answer, fail or ask. What else it wants, and why we do not have it,
stands in tests/js/mcp_conformance.yml; the package fails where something is missing there, or passes all the same.
"""

import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from mcp_types import CallToolRequestParams, ListToolsResult, Tool

from ana.handles import Handles
from ana.settings import PROJECT
from app.mcp.server import McpServer
from tests.app.mcp.conftest import serve

pytestmark = pytest.mark.node

JS = PROJECT / "tests" / "js"
ASKING = (
    "elicitation",
    *(f"input_required_result_{each}" for each in ("elicitation", "request_state", "tampered_state")),
)


class Fixture(McpServer):
    """Our server, whose calls have the package's names, too."""

    def __init__(self, handles: Handles) -> None:
        sessions = serve(handles)
        super().__init__(lambda _: sessions)
        asks: tuple[str, dict[str, Any]] = ("delete_item", {"id": handles.memory.create("Pay the rent").id})
        self._calls = dict.fromkeys((f"test_{each}" for each in ASKING), asks) | {
            "test_simple_text": ("now", {}),
            "test_error_handling": ("calculator", {"expression": "2 +"}),
        }

    async def _list_tools(self, context: Any, params: Any) -> ListToolsResult:
        listed = await super()._list_tools(context, params)
        own = [
            Tool(name=name, description=call, input_schema={"type": "object"})
            for name, (call, _) in self._calls.items()
        ]
        return ListToolsResult(tools=[*listed.tools, *own])

    async def _decide(self, context: Any, params: CallToolRequestParams) -> Any:
        name, args = self._calls.get(params.name, (params.name, params.arguments))
        return await super()._decide(context, params.model_copy(update={"name": name, "arguments": args}))


@pytest.fixture
def url(handles: Handles, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("app.mcp.server._QUESTION", "user_name")  # the key that the package looks for
    app = Fixture(handles).build().streamable_http_app()
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_it_does_what_a_revision_requires_but_for_what_is_listed(url: str, revision: str) -> None:
    package = JS / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    listed = ("--requirements", revision, "--expected-failures", str(JS / "mcp_conformance.yml"))
    done = subprocess.run(
        ["node", "--import", str(JS / "older_node.mjs"), str(package), "server", "--url", url, *listed],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout[done.stdout.find("=== SUMMARY") :] + done.stderr
    assert "Baseline check passed" in done.stdout
