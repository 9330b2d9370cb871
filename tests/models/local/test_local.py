"""LLM_PROVIDER=local: a GGUF file is served by a process that comes and goes with ours."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.errors import AnaError, ConfigError, UserError
from ana.handles import open_handles
from ana.models.json_mode.adapter import JsonDecisions
from ana.models.local.model import SEPARATORS, LocalModel, hold_to_schema
from ana.models.local.server import LocalServer
from ana.models.providers import build_model, destination, model_name
from ana.models.scripted import ScriptedModel
from ana.settings import PROJECT, load_settings
from ana.workspace import open_workspace
from app.outcome import expect_done
from app.turn import Assistant, open_assistant
from graph.context import LocalContext
from prompts import decision_prompt
from tests.conftest import EMBEDDER, folders
from tests.stopping import call
from tests.waiting import wait_until

LIBRARY = Path(__file__).parent / "llama"
DECISION = json.dumps({"final": {"answer": "Hello from here."}})

SERVE_FOR_A_MINUTE = """
import sys, time
from pathlib import Path
from ana.models.local.server import LocalServer

server = LocalServer(Path(sys.argv[1]), 100, 10)
server.start()
print(server.url, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)
    monkeypatch.syspath_prepend(LIBRARY)
    monkeypatch.setenv("PYTHONPATH", str(LIBRARY))


def write_model(folder: Path, text: str = DECISION) -> Path:
    path = folder / "tiny.gguf"
    path.write_text(f"GGUF{text}")
    return path


@contextmanager
def opened(folder: Path) -> Iterator[tuple[Assistant, LocalServer]]:
    settings = load_settings(folders(folder, ANA_LOCAL_MODEL=str(write_model(folder))))
    handles = open_handles(open_workspace(settings), instruct=decision_prompt, backend=InMemoryBackend(EMBEDDER))
    model = handles.model
    assert isinstance(model, JsonDecisions)
    assert isinstance(model.inner, LocalModel)
    with open_assistant(handles) as assistant:
        try:
            yield assistant, model.inner.server
        finally:
            model.inner.server.stop()


def test_a_run_that_asks_for_another_model_is_told_which_one_is_here(tmp_path: Path) -> None:
    settings = load_settings(folders(tmp_path, ANA_LOCAL_MODEL=str(tmp_path / "tiny.gguf")))
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=[]), backend=InMemoryBackend(EMBEDDER))
    for name in ("tiny.gguf", "", None):
        assert LocalContext(name, opened=handles).model_options().get("model") == (name or None)
    with pytest.raises(UserError, match=r"tiny\.gguf is the only model here; there is no 'gpt-4o'.*ANA_LOCAL_MODEL"):
        LocalContext("gpt-4o", opened=handles).model_options()


def test_a_stopped_call_ends_the_reply_of_the_server(tmp_path: Path) -> None:
    told = tmp_path / "tiny.told"
    with opened(tmp_path) as (assistant, _):
        running = call(assistant.handles.model, said="never end")
        wait_until(told.exists)
        running.stop()
        wait_until(lambda: told.read_text() == "closed")
        assert expect_done(assistant.ask("hello", "thread")).answer == "Hello from here."


def test_a_call_is_stopped_while_the_file_is_loaded_again(tmp_path: Path) -> None:
    with opened(tmp_path) as (assistant, server):
        server.stop()
        write_model(tmp_path, "slow")
        running = call(assistant.handles.model)
        wait_until((tmp_path / "tiny.told").exists)
        running.stop()


def test_a_structured_reply_has_no_room_for_white_space_or_repetition() -> None:
    schema = {"type": "object", "properties": {}}
    body = hold_to_schema({"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}, "n": 1})
    assert (body["n"], body["repeat_penalty"], "response_format" in body) == (1, 1.1, False)
    assert json.loads(body["grammar"].removeprefix("%llguidance {}\nstart: %json ")) == {
        **schema,
        "x-guidance": SEPARATORS,
    }
    assert hold_to_schema({"n": 1}) == {"n": 1}


def answers_at(url: str) -> bool:
    parts = urlsplit(url)
    try:
        socket.create_connection((str(parts.hostname), int(parts.port or 0)), timeout=5).close()
    except OSError:
        return False
    return True


def test_a_file_answers_with_a_structured_decision_and_only_on_this_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(tmp_path) as (assistant, server):
        done = expect_done(assistant.ask("hi", "t"))
        settings = assistant.handles.settings
        assert urlsplit(server.url).hostname == "127.0.0.1"
    assert (done.answer, done.error) == ("Hello from here.", None)
    assert "Loading tiny.gguf (0 MB)…" in capsys.readouterr().err
    assert (settings.provider, model_name(settings), destination(settings)) == ("local", "tiny.gguf", None)
    assert not answers_at(server.url)


def test_a_server_that_dies_while_it_answers_is_told_and_started_again(tmp_path: Path) -> None:
    with opened(tmp_path) as (assistant, _):
        died = expect_done(assistant.ask("die now", "t"))
        again = expect_done(assistant.ask("hi", "t"))
    assert died.answer == "The model's answer broke off before its end. Say it again."
    assert again.answer == "Hello from here."


def test_a_port_that_is_taken_meanwhile_is_told_with_the_next_step(tmp_path: Path) -> None:
    server = LocalServer(write_model(tmp_path), 100, 10)
    server.start()
    server.stop()
    with socket.create_server(("127.0.0.1", int(urlsplit(server.url).port or 0))):
        with pytest.raises(AnaError, match="could not be started again") as caught:
            server.start()
        assert caught.value.sentence().endswith("Start ana again.")


def test_the_server_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVE_FOR_A_MINUTE, str(write_model(tmp_path))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert answers_at(url)
        process.send_signal(signal.SIGKILL)
    end = time.monotonic() + 20
    while answers_at(url):
        assert time.monotonic() < end, "it still serves"
        time.sleep(0.01)


def test_the_library_that_is_not_there_is_named_with_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ConfigError, match=r"not installed.*make local"):
        build_model(load_settings({"ANA_LOCAL_MODEL": str(write_model(tmp_path))}))


def test_a_library_that_cannot_be_loaded_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('GLIBC_2.99 not found')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ConfigError, match=r"GLIBC_2.99 not found.*make local"):
        LocalServer(write_model(tmp_path), 100, 10).start()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, r"cannot be read: No such file or directory\. Correct ANA_LOCAL_MODEL"),
        ("<html>", r"is not a GGUF file\. Set ANA_LOCAL_MODEL"),
        ("", r"is not a GGUF file"),
        ("GGUF damaged", r"is damaged, or of a kind that llama.cpp cannot run\. Set ANA_LOCAL_MODEL"),
        ("GGUFtoo large", r"the memory may be too small\. Set ANA_LOCAL_MODEL to a smaller"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_the_next_step(tmp_path: Path, text: str | None, said: str) -> None:
    path = tmp_path / "tiny.gguf"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        build_model(load_settings({"LLM_PROVIDER": "local", "ANA_LOCAL_MODEL": str(path)}))


def test_a_file_larger_than_the_memory_is_not_loaded(tmp_path: Path) -> None:
    path = write_model(tmp_path)
    with path.open("r+b") as file:
        file.truncate(1 << 42)  # sparse: nothing is written
    with pytest.raises(ConfigError, match=r"4,398\.0 GB, and this machine .* of memory\. Set ANA_LOCAL_MODEL"):
        build_model(load_settings({"ANA_LOCAL_MODEL": str(path)}))
