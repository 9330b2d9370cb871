"""kill -9 between a write and its checkpoint; and three doors on one folder at once."""

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import httpx
import pytest

from ana.handles import open_handles
from ana.models.scripted import ScriptedModel
from ana.settings import PROJECT, load_settings
from ana.time.clock import Clock
from app.outcome import CutShort
from app.turn import open_assistant
from tests.chroma import find_neighbours, open_memory
from tests.conftest import EMBEDDER, folders
from tests.openai_stub import openai_stub, stores_what_is_said
from tests.server import running

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b010"

KILLED = """
    import json, os, signal, sys
    from ana.handles import open_handles
    from ana.models.scripted import ScriptedModel, calls
    from ana.settings import load_settings
    from app.turn import open_assistant

    settings, thread = load_settings(json.loads(sys.argv[1])), sys.argv[2]
    writes = [("create_item", {"content": "Buy milk"}), ("append_context", {"content": "Likes milk"})]
    handles = open_handles(settings, model=ScriptedModel(replies=[calls(*writes)]))

    def die(event):
        if event.get("tool") == sys.argv[3]:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_assistant(handles) as assistant:
        assistant.ask("milk", thread, on_event=die)
"""


@pytest.mark.parametrize("after", ["create_item", "append_context"])
def test_a_kill_between_a_write_and_its_checkpoint_writes_once(tmp_path: Path, after: str) -> None:
    env = folders(tmp_path)
    arguments = [sys.executable, "-c", textwrap.dedent(KILLED), json.dumps(env), THREAD, after]
    assert subprocess.run(arguments, timeout=60, check=False).returncode == -9
    handles = open_handles(load_settings(env), model=ScriptedModel(replies=["Both saved."]))
    assert handles.memory.count() == 1
    with open_assistant(handles) as assistant:
        assert assistant.find_open_turn(THREAD) == CutShort(THREAD, "milk")
        answer = assistant.finish(THREAD)
        assert answer is not None
        assert answer.answer == "Both saved."
        assert [c["op"] for c in answer.changes] == ["create", "create"]
        assert [i.content for i in handles.memory.items()] == ["Buy milk"]
        assert handles.memory.lines() == {0: "Likes milk"}
        assert assistant.finish(THREAD) is None


REPL_TURNS, SERVER_TURNS, ASK_TURNS = 95, 95, 10


def test_three_doors_on_one_folder_lose_nothing(tmp_path: Path, clock: Clock) -> None:
    with openai_stub(stores_what_is_said) as stub:
        env = folders(tmp_path, OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=stub.url)
        with running(env, tmp_path / "server.log") as server:
            doors = [
                threading.Thread(target=_repl, args=(env,)),
                threading.Thread(target=_ask, args=(env,)),
                threading.Thread(target=_post, args=(server.url,)),
            ]
            for door in doors:
                door.start()
            for door in doors:
                door.join()
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    items = list(memory.items())
    expected = [f"{door} {n}" for door, count in COUNTS.items() for n in range(count)]
    assert sorted(i.content for i in items) == sorted(expected)
    ids = [i.id for i in items]
    for id, near in zip(ids, find_neighbours(memory, ids, 3), strict=True):
        assert id in near
    memory.close()


COUNTS = {"repl": REPL_TURNS, "ask": ASK_TURNS, "server": SERVER_TURNS}


def _repl(env: dict[str, str]) -> None:
    said = "".join(f"repl {n}\n" for n in range(REPL_TURNS))
    _command(env, "chat", given=said)


def _ask(env: dict[str, str]) -> None:
    for n in range(ASK_TURNS):
        _command(env, "ask", f"ask {n}", "--thread", "asked")


def _post(url: str) -> None:
    with httpx.Client(timeout=60) as client:
        for n in range(SERVER_TURNS):
            client.post(f"{url}/ask", json={"question": f"server {n}", "thread_id": "posted"})


def _command(env: dict[str, str], *arguments: str, given: str = "") -> None:
    command = [sys.executable, "-m", "app.cli", *arguments]
    subprocess.run(
        command,
        input=given,
        cwd=PROJECT,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
