"""Reminders ring where a person looks while the REPL is open, and the model is told where they will."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ana.handles import open_data
from ana.memory.memory import Memory
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from tests.app.conftest import Run
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.reminders.collector import Collector
from tests.terminal import chatting


def keep(env: dict[str, str], text: str, *, seconds: float) -> None:
    """Keep an item, made two months ago, that rings so many seconds from now."""
    moment = (datetime.now(UTC) + timedelta(seconds=seconds)).isoformat()
    before = Clock(UTC, lambda: datetime.now(UTC) - timedelta(days=60))
    with open_data(open_workspace(load_settings(env)), "a test") as handles:
        Memory(handles.memory.backend, before).create(text, {"remind": moment})


def test_what_came_due_before_and_what_comes_due_meanwhile_is_shown(tmp_path: Path, collector: Collector) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline", ANA_NOTIFY=collector.address)
    keep(env, "call Anna", seconds=-60)
    keep(env, "water the plants", seconds=4)
    with chatting(env) as terminal:
        terminal.until("Reminder: “call Anna” · ")
        terminal.until("Reminder: “water the plants” · ")
        terminal.type("thanks\r")
        terminal.until("Tell me things to keep")
    assert collector.titles == ["call Anna", "water the plants"]


def test_the_screen_alone_is_a_place_to_ring(tmp_path: Path) -> None:
    env = folders(tmp_path, LLM_PROVIDER="offline")
    keep(env, "call Anna", seconds=-60)
    with chatting(env) as terminal:
        terminal.until("Reminder: “call Anna” · ")
    with chatting(env) as terminal:
        terminal.type("/quit\r")
        assert "Reminder" not in terminal.read_to_end(), "it was delivered once"


def test_nothing_rings_in_a_pipe(ana: Run, tmp_path: Path, collector: Collector) -> None:
    keep(folders(tmp_path), "call Anna", seconds=-60)
    assert "Reminder" not in ana("chat", given="thanks\n", ANA_NOTIFY=collector.address).stdout
    assert collector.messages == []


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        ("ntfys://ntfy.sh/a-secret, mailtos://me:pw@example.org", "by ntfy, mail, while ana runs."),
        ("", "Nothing can ring: no address is set (`ana setup` sets one). It is shown when ana is open."),
    ],
    ids=["addresses", "none"],
)
def test_a_tool_says_where_what_it_stored_will_ring(ana: Run, addresses: str, told: str) -> None:
    due = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT10:00")
    item = {"content": "Call Anna", "properties": {"due_date": due, "remind": "30 minutes before"}}
    with openai_stub(Said(calls=[("create_item", item)]), Said("Stored.")) as stub:
        ana("ask", "remind me half an hour before I call Anna", ANA_NOTIFY=addresses, **stub.env)
    (result,) = [message["content"] for message in stub.requests[1]["messages"] if message["role"] == "tool"]
    assert told in result
    assert not addresses or ", 09:30 by " in result
    assert "secret" not in str(stub.requests)
    assert "me:pw" not in str(stub.requests)
