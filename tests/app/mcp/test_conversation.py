"""A client's process is a conversation, in every list of them."""

from pathlib import Path

import pytest

from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.mcp.server import McpServer
from app.pending import ClosingModel
from tests.app.conftest import Run
from tests.app.mcp.conftest import call, read
from tests.conftest import folders


@pytest.fixture
def name(tmp_path: Path, ana: Run) -> str:
    """Of a client's conversation, which was between two of the person's."""
    assert ana("ask", "note: buy milk", "--thread", "before").returncode == 0
    handles = open_handles(open_workspace(load_settings(folders(tmp_path))), model=ClosingModel())
    served = McpServer(lambda: handles)
    read(call(served, "create_item", {"content": "Pay the rent"}))
    read(call(served, "query_items", {}))
    served.close()
    return next(each for each in handles.workspace.open_threads().store.names().values() if each.startswith("claude"))


def test_it_is_listed_where_it_belongs_and_shown(ana: Run, name: str) -> None:
    assert ana("ask", "note: buy oats", "--thread", "after").returncode == 0
    rows = [line.split("\t") for line in ana("threads", "list").stdout.splitlines()]
    assert [row[1] for row in rows] == ["after", name, "before"]
    assert rows[1][2] == "2 turns"
    assert "Pay the rent" in ana("threads", "show", name).stdout
    assert ana("threads", "show", "2").stdout == ana("threads", "show", name).stdout
    assert name in ana("chat", given="/threads\n/quit\n").stdout


def test_it_is_deleted_and_restored_as_any_other(ana: Run, name: str) -> None:
    listed = ana("threads", "list").stdout
    assert ana("threads", "delete", name, "--yes").returncode == 0
    assert name not in ana("threads", "list").stdout
    assert ana("threads", "delete", name, "--yes").returncode != 0
    assert ana("threads", "restore", name).returncode == 0
    assert ana("threads", "list").stdout == listed
