"""Log lines as JSON: an object a line, with ids, without secrets and without anybody's words."""

import json
import logging
from contextvars import Context
from pathlib import Path
from typing import Any

import httpx
import pytest

from ana.errors import StoreBroken, UserError
from ana.json_lines import WITHHELD, Quoted, name_work
from ana.logs import set_up_logging
from ana.people import People
from ana.settings import load_settings
from tests.conftest import folders
from tests.openai_stub import Said, openai_stub
from tests.servers import own_serving

WORDS = "zebrawords"
SECRET = 'sk-"quoted"-\\secret'


pytestmark = pytest.mark.usefixtures("own_handlers")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    set_up_logging(load_settings(folders(tmp_path, LOG_FORMAT="json", OPENAI_API_KEY=SECRET)))
    return tmp_path / "log" / "ana.log"


def read_lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_a_line_is_an_object_with_the_ids_that_are_known(log: Path) -> None:
    Context().run(log_lines)  # in which no ids are known
    first, second, third = read_lines(log)
    assert {*first} == {"time", "level", "logger", "message"}
    assert (first["level"], first["logger"], first["message"]) == ("INFO", "ana.x", "first, 1 of two")
    assert first["time"].endswith("+00:00")
    assert (second["message"], second["person"], second["thread"]) == ("100%, then\na line: [secret]", "anna", "t1")
    assert (third["message"], third["run"]) == ("a text with %d places", "r1")


def log_lines() -> None:
    _log = logging.getLogger("ana.x")
    _log.info("first, %d of %s", 1, "two")
    name_work(person="anna", thread="t1", run=None)
    _log.warning("100%%, then\na line: %s", SECRET)
    name_work(run="r1")
    odd = logging.LogRecord("theirs", logging.INFO, "", 1, "a text with %d places", ("other arguments",), None)
    logging.root.handlers[0].handle(odd)


def test_an_error_is_told_by_its_kind_and_place_and_an_operators_by_its_sentence(log: Path) -> None:
    try:
        try:
            raise ValueError(WORDS)
        except ValueError as exc:
            raise KeyError(WORDS) from exc
    except KeyError:
        logging.getLogger("ana.x").exception("failed with %s", Quoted(WORDS))
    for error in (UserError(WORDS), StoreBroken("The disk is full."), OSError(28, "No space left", WORDS)):
        logging.getLogger("ana.x").warning("%s", error)
    logging.getLogger("ana.x").warning(ValueError(WORDS))
    failed, *told = read_lines(log)
    assert failed["message"] == f"failed with {WITHHELD}"
    assert [each["type"] for each in failed["errors"]] == ["builtins.KeyError", "builtins.ValueError"]
    assert all(__file__ in each["at"][0] for each in failed["errors"])
    assert [each["message"] for each in told] == ["UserError", "The disk is full.", "No space left", "ValueError"]
    assert WORDS not in log.read_text()


def test_without_the_setting_a_line_is_what_it_was(tmp_path: Path) -> None:
    set_up_logging(load_settings(folders(tmp_path)))
    logging.getLogger("ana.x").warning("%s: %s", Quoted("said"), UserError("no answer."))
    assert (tmp_path / "log" / "ana.log").read_text().endswith(" WARNING ana.x: said: no answer.\n")


OWN_TOOL = f"""
def fail(words: str) -> str:
    '''Fail.'''
    raise ValueError(words + "{WORDS}")

TOOLS = [{{"function": fail, "metadata": {{"readOnlyHint": True}}}}]
"""


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_what_a_server_logs_as_json_says_whose_it_is_and_quotes_nobody(tmp_path: Path, log_format: str) -> None:
    (tmp_path / "failing.py").write_text(OWN_TOOL)
    refusal = Said(status=400, error=WORDS)
    script = (Said(calls=[("fail", {"words": WORDS})]), Said(WORDS), Said(calls=[(WORDS, {})]), Said(WORDS), refusal)
    env = {"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "k", "LOG_FORMAT": log_format}
    env |= {"TOOLS_MODULES": "failing", "PYTHONPATH": str(tmp_path)}
    with openai_stub(*script) as stub:
        env = folders(tmp_path, OPENAI_BASE_URL=stub.url, **env)
        token = People(load_settings(env)).add("anna")
        headers = {"authorization": f"Bearer {token}"}
        with (
            own_serving(env, tmp_path / "server.log") as server,
            httpx.Client(base_url=server.url, headers=headers, timeout=60) as anna,
        ):
            statuses = [anna.post("/ask", json={"question": WORDS}).status_code for _ in range(3)]
            thread = anna.post("/threads", json={}).json()["thread_id"]
            said = {"assistant_id": "ana", "input": {"messages": [{"role": "user", "content": WORDS}]}}
            failed = anna.post(f"/threads/{thread}/runs/wait", json=said).json()
            anna.get(f"/threads/{WORDS}")
            anna.post(f"/threads/{thread}/history", json={"limit": WORDS})
    assert statuses == [200, 200, 502]
    assert WORDS in str(failed), "the person is told"
    log = tmp_path / "log" / "ana.log"
    assert (WORDS in log.read_text()) is (log_format == "text")
    if log_format == "text":
        return
    lines = read_lines(log)
    (tool,) = [line for line in lines if line["message"] == "the tool fail failed"]
    assert tool["person"] == "anna"
    assert tool["errors"][0]["type"] == "builtins.ValueError"
    of_run = [line for line in lines if line.get("thread") == thread]
    assert {line["run"] for line in of_run} == {of_run[0]["run"]}
    assert {line["person"] for line in of_run} == {"anna"}
    assert any(line["logger"].startswith("uvicorn") for line in lines)
