"""A text that is none is refused with the same reason at every door.

The doors of MCP and the page have theirs beside their other tests.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from ana.text import HINT, find_fault
from tests.app.conftest import Run, say
from tests.openai_stub import Stub

HALF, NUL = "cake \ud83d for Ana", "cake \0 for Ana"
NONE = pytest.mark.parametrize("text", [HALF, NUL], ids=["half a character", "NUL"])
LATIN = b"caf\xe9 at noon".decode("utf-8", "surrogateescape")


def reason(text: str) -> str:
    return f"{find_fault(text)} {HINT}"


@pytest.mark.parametrize(
    "arguments", [("ask", LATIN), ("ask", "-"), ("ask", "Note this")], ids=["argument", "pipe", "both"]
)
def test_what_is_not_utf_8_is_refused_on_the_command_line(ana: Run, arguments: tuple[str, str]) -> None:
    done = ana(*arguments, given="" if LATIN in arguments else LATIN)
    assert (done.returncode, done.stdout) == (1, "")
    assert "is a byte that is not UTF-8 (0xe9). Send it again without that." in done.stderr
    assert ana("items").stdout == ""


def test_the_repl_refuses_a_line_and_takes_the_next(ana: Run) -> None:
    done = ana(given=f"Note: {NUL}\nNote: {LATIN}\nNote: the spare key is in the tin\n/items\n")
    assert done.stdout.count("This cannot be read as text: character ") == 2
    assert "is NUL (\\u0000)." in done.stdout
    assert "cake" not in done.stdout.rpartition("> /items")[2]
    assert "the spare key is in the tin" in done.stdout.rpartition("> /items")[2]


@NONE
def test_an_import_names_the_record_and_changes_nothing(ana: Run, tmp_path: Path, text: str) -> None:
    ana("ask", "Note: the spare key is in the tin")
    file = tmp_path / "export.jsonl"
    ana("export", str(file))
    file.write_text(file.read_text().replace('"the spare key is in the tin"', json.dumps(text)))
    done = ana("import", str(file), "--replace")
    assert done.returncode == 1
    assert f"line 2: {reason(text).rstrip('.')}" in done.stderr
    assert "the spare key is in the tin" in ana("items").stdout


@pytest.mark.own_server
@NONE
def test_the_language_graph_api_refuses_it(client: SyncLangGraphClient, stub: Stub, thread: str, text: str) -> None:
    seen = len(stub.requests)
    asked: dict[str, Any] = {"assistant_id": "ana", "input": say(text)}
    for path, body in (
        (f"/threads/{thread}/runs/wait", asked),
        (f"/threads/{thread}/state", {"values": say(text)}),
        ("/threads", {"metadata": {"name": text}}),
        ("/ask", {"question": text}),
    ):
        answer = client.http.client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()) == (422, {"error": reason(text), "detail": reason(text)}), path
    assert len(stub.requests) == seen
    assert not client.threads.get(thread)["values"]
