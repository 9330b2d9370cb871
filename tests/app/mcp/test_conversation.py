"""A client's process is a conversation, in every list of them."""

import re
from pathlib import Path

import pytest

from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.pending import ClosingModel
from tests.app.conftest import Run
from tests.app.mcp.conftest import call, read, serve
from tests.conftest import folders


@pytest.fixture
def name(tmp_path: Path, ana: Run) -> str:
    """Of a client's conversation, beside one of the person's."""
    assert ana("ask", "note: buy milk", "--thread", "own").returncode == 0
    handles = open_handles(open_workspace(load_settings(folders(tmp_path))), model=ClosingModel())
    served = serve(handles)
    read(call(served, "create_item", {"content": "Pay the rent"}))
    read(call(served, "query_items", {}))
    served.close()
    return next(each for each in handles.workspace.open_threads().store.names().values() if each.startswith("claude"))


@pytest.mark.parametrize(("year", "place"), [("2020", 1), ("2999", 0)])
def test_it_is_listed_by_when_it_was_used_and_shown_whole(
    ana: Run, name: str, tmp_path: Path, year: str, place: int
) -> None:
    (trace,) = (file for file in (tmp_path / "traces").iterdir() if "claude-code: create_item" in file.read_text())
    trace.write_text(re.sub(r'"ts": ?"\d{4}', f'"ts": "{year}', trace.read_text()))
    rows = [line.split("\t") for line in ana("threads", "list").stdout.splitlines()]
    assert [row[1] for row in rows].index(name) == place
    assert len(rows) == 2
    assert rows[place][2] == "2 turns"
    assert "Pay the rent" in ana("threads", "show", name).stdout
    assert ana("threads", "show", str(place + 1)).stdout == ana("threads", "show", name).stdout
    assert name in ana("chat", given="/threads\n/quit\n").stdout
