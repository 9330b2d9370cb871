"""Every line that a client sends to `ana mcp` is answered, also one that no message can be read from."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.mcp.test_stdio import HELLO
from tests.conftest import folders
from tests.forks import start_forked

Ask = Callable[[str], dict[str, Any]]

HALF = "character 6 is half a character (\\ud83d), as of an emoji that was cut in two"
BYTE = "is a byte that is not UTF-8 (0xe9)"


def write(id: str, tool: str, arguments: str) -> str:
    params = f'{{"name": {tool}, "arguments": {arguments}}}'
    return f'{{"jsonrpc": "2.0", "id": {id}, "method": "tools/call", "params": {params}}}'


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    """Sends a line, and returns the answer to it."""
    env = folders(tmp_path, LLM_PROVIDER="offline")
    script = (
        f"import os, sys; os.environ.update({env!r}); sys.argv[1:] = ['mcp']\nfrom app.cli.main import main\nmain()"
    )
    with start_forked("-c", script) as (_, given, told):
        assert isinstance(given, io.TextIOWrapper)
        raw = given.buffer

        def send(line: str) -> dict[str, Any]:
            raw.write(line.encode("utf-8", "surrogateescape") + b"\n")
            raw.flush()
            return dict(json.loads(told.readline()))

        send(json.dumps(HELLO))
        given.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
        yield send


def text_of(answer: dict[str, Any]) -> str:
    return str(answer["result"]["content"][0]["text"]) if "result" in answer else str(answer["error"]["message"])


LINES: list[tuple[str, object, str]] = [
    (write("2", '"create_item"', '{"content": "cake \\ud83d for Ana"}'), 2, HALF),
    (write("2", '"create_item"', '{"content": "cake \\u0000 for Ana"}'), 2, "character 6 is NUL (\\u0000)"),
    (write("2", '"create_item"', '{"content": "caf\udce9"}'), 2, BYTE),
    (write('"a"', '"query_items"', '{"text": "cake \\ud83d"}'), "a", HALF),
    (write("2", '"search"', '{"query": "cake \\u0000"}'), 2, "character 6 is NUL"),
    (write("2", '"cake \\ud83d"', "{}"), 2, HALF),
    (write('"cake \\ud83d"', '"now"', "{}"), None, HALF),
    (write("1.5", '"now"', "{}"), None, "This is no message of JSON-RPC 2.0."),
    ('{"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"cursor": "cake \\ud83d"}}', 2, HALF),
    ('{"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": {"uri": "cake \\ud83d"}}', 2, HALF),
    ('{"jsonrpc": "2.0", "id": 2, "method": 5}', 2, "This is no message of JSON-RPC 2.0."),
    ("[]", None, "This is no message of JSON-RPC 2.0."),
    ('{"jsonrpc": "2.0", "id": 2, "method": ', None, "The line is not JSON"),
    (write("2", '"now"', "[" * 300 + "]" * 300), None, "nested more than 100 deep"),
]


def test_a_line_that_cannot_be_read_is_answered_and_so_is_the_next(ask: Ask) -> None:
    for line, id, said in LINES:
        answer = ask(line)
        assert answer["id"] == id
        assert said in text_of(answer).replace("\\\\", "\\")
        assert json.loads(text_of(ask(write("3", '"query_items"', "{}"))).split("\n")[1])["items"] == []
