"""`ana mcp` as clients start it: a process of its own, on standard input and output."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters

from ana.settings import PROJECT
from tests.app.conftest import Run
from tests.app.mcp.conftest import call, read
from tests.conftest import folders
from tests.forks import run_forked, start_forked

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tester", "version": "1"}},
}
DYING = """
import os, signal
from app.mcp import answers
answers._show = lambda message: os.kill(os.getpid(), signal.SIGKILL)
"""
"""What ends a process after a write, before its answer."""


def start(path: Path, first: str = "") -> StdioServerParameters:
    """Return how a client starts `ana mcp` on a folder; `first` is run before it."""
    script = f"import sys; sys.argv[1:] = ['mcp']{first}\nfrom app.cli.main import main\nmain()"
    env = {**os.environ, **folders(path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT))}
    return StdioServerParameters(command=sys.executable, args=["-c", script], env=env, cwd=path)


Ask = Callable[..., dict[str, Any]]


@contextmanager
def start_quickly(path: Path, name: str = "tester", first: str = "") -> Iterator[Ask]:
    """Start `ana mcp` as a fork; what is given returns the result of a call, and raises EOFError if it has ended."""
    env = folders(path, LLM_PROVIDER="offline")
    script = f"import os, sys; os.environ.update({env!r}); sys.argv[1:] = ['mcp']{first}\n"
    with start_forked("-c", f"{script}from app.cli.main import main\nmain()") as (_, given, told):

        def ask(tool: str, **args: Any) -> dict[str, Any]:
            params = {"name": tool, "arguments": args}
            given.write(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}) + "\n")
            if not (line := told.readline()):
                raise EOFError
            result = json.loads(line)["result"]
            assert not result.get("isError"), result
            return dict(result["structuredContent"])

        client = {"clientInfo": {"name": name, "version": "1"}}
        given.write(json.dumps({**HELLO, "params": {**HELLO["params"], **client}}) + "\n")
        told.readline()
        given.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        yield ask


def test_what_was_added_is_there_once_though_its_process_was_killed_before_the_answer(tmp_path: Path) -> None:
    with start_quickly(tmp_path, first=DYING) as ask, pytest.raises(EOFError):
        ask("create_item", content="Swim", properties={"hours": 1})
    with start_quickly(tmp_path) as ask:
        assert ask("create_item", content="Swim", properties={"hours": 1})["already"] is True
        assert "already" not in ask("create_item", content="Swim", properties={"hours": 2})
        assert ask("query_items")["total"] == 2


def test_five_processes_on_one_folder_lose_nothing(tmp_path: Path) -> None:
    def work(number: int) -> list[str]:
        with start_quickly(tmp_path, f"client {number}") as ask:
            made = [ask("create_item", content=f"Card {number} of row {row}")["id"] for row in range(2)]
            return [ask("update_item", id=id, properties={"row": row})["id"] for row, id in enumerate(made)]

    with ThreadPoolExecutor(5) as pool:
        made = [id for ids in pool.map(work, range(5)) for id in ids]
    with start_quickly(tmp_path) as ask:
        assert {each["id"] for each in ask("query_items", where={"row": {"$gte": 0}})["items"]} == {*made}
        assert {turn["by"] for turn in ask("history")["turns"]} == {f"client-{number}" for number in range(5)}
    assert len(made) == 10


@pytest.mark.long
def test_both_protocols_are_served(tmp_path: Path) -> None:
    made = read(call(start(tmp_path), "create_item", {"content": "Pay the rent"}, mode="auto"))
    found = read(call(start(tmp_path), "query_items", {"text": "rent"}, mode="legacy", name="Cursor"))
    assert [item["id"] for item in found["items"]] == [made["id"]]


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path: Path) -> None:
    lines = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    given = "\n".join(map(json.dumps, lines)) + "\nnot json\n"
    env = folders(tmp_path, LLM_PROVIDER="offline")
    done = run_forked("-m", "app.cli", "mcp", stdin=given, env=env)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert messages[0]["result"]["serverInfo"]["name"] == "ana"
    assert all(message["jsonrpc"] == "2.0" for message in messages)


def test_a_damaged_store_is_said_in_a_sentence(ana: Run, tmp_path: Path) -> None:
    assert ana("ask", "note: pay the rent").returncode == 0
    journal = tmp_path / "data" / "journal.sqlite"
    for file in tmp_path.glob("data/journal.sqlite-*"):
        file.unlink()
    journal.write_bytes(b"not a database" * 1000)
    with start_quickly(tmp_path) as ask, pytest.raises(AssertionError) as failed:
        ask("create_item", content="Buy milk")
    assert "ana doctor" in str(failed.value)
    assert "Traceback" not in str(failed.value)
