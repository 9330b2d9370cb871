"""`ana approve` decides what another assistant has asked for, and what waits in a conversation of one's own."""

import json
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
def request_id(tmp_path: Path) -> str:
    """Of a request that waits: another assistant wants to delete an item."""
    handles = open_handles(open_workspace(load_settings(folders(tmp_path))), model=ClosingModel())
    served = serve(handles)
    id = read(call(served, "create_item", {"content": "Pay the rent"}))["id"]
    waits = read(call(served, "delete_item", {"id": id}))
    served.close()
    return str(waits["waits_for_the_person"])


def list_items(ana: Run) -> str:
    return str(ana("items").stdout)


def test_it_is_shown_and_stays_where_nobody_can_be_asked(ana: Run, request_id: str) -> None:
    shown = ana("approve")
    assert "claude-code asks" in shown.stdout
    assert "Pay the rent" in shown.stdout
    assert request_id[:8] in shown.stdout
    (waiting,) = json.loads(ana("approve", "--json").stdout)["waiting"]
    assert waiting["pending"]["request_id"] == request_id
    assert "Pay the rent" in list_items(ana)


def test_yes_does_it_once_and_undo_takes_it_back(ana: Run, request_id: str) -> None:
    done = ana("approve", request_id[:8], "--yes")
    assert done.returncode == 0
    assert "Deleted" in done.stdout
    assert "Pay the rent" not in list_items(ana)
    assert "No request waits for you." in ana("approve").stdout
    (entry,) = [json.loads(line) for line in ana("history", "--json", "--limit", "1").stdout.splitlines()]
    assert entry["by"] == "claude-code"
    assert "is not there" not in ana("doctor").stdout
    assert ana("undo").returncode == 0
    assert "Pay the rent" in list_items(ana)


def test_a_conversation_with_the_persons_model_goes_on_with_it(ana: Run) -> None:
    asked = ana("ask", "--thread", "work", "add buy milk tomorrow", ANA_AUTONOMY="advise")
    assert asked.returncode == 3
    (waiting,) = json.loads(ana("approve", "--json").stdout)["waiting"]
    done = ana("approve", waiting["pending"]["request_id"], "--yes")
    assert "Kept" in done.stdout, "what the offline reader says, and not that it was decided"
    assert "buy milk" in list_items(ana)
