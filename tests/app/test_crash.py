"""kill -9 between a write and its checkpoint; and three doors on one folder at once."""

import json
import threading
from pathlib import Path

import httpx
import pytest

from ana.handles import open_handles
from ana.models.scripted import ScriptedModel
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.outcome import CutShort
from app.turn import open_assistant
from tests.chroma import find_neighbours, open_memory
from tests.conftest import EMBEDDER, THREAD, folders
from tests.forks import run_forked
from tests.openai_stub import openai_stub, stores_what_is_said
from tests.servers import own_serving

KILLED = """
    import json, os, signal, sys
    from ana.handles import open_handles
    from ana.models.scripted import ScriptedModel, calls
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from app.turn import open_assistant

    settings, thread = load_settings(json.loads(sys.argv[1])), sys.argv[2]
    writes = [("create_item", {"content": "Buy milk"}), ("append_context", {"content": "Likes milk"})]
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=[calls(*writes)]))

    def die(event):
        if event.get("tool") == sys.argv[3]:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_assistant(handles) as assistant:
        assistant.ask("milk", thread, on_event=die)
"""


@pytest.mark.parametrize("after", ["create_item", "append_context"])
def test_a_kill_between_a_write_and_its_checkpoint_writes_once(tmp_path: Path, after: str) -> None:
    env = folders(tmp_path)
    assert run_forked("-c", KILLED, json.dumps(env), THREAD, after).returncode == -9
    handles = open_handles(open_workspace(load_settings(env)), model=ScriptedModel(replies=["Both saved."]))
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


SHORT = {"repl": 5, "ask": 2, "server": 5}
LONG = {"repl": 95, "ask": 10, "server": 95}


@pytest.mark.parametrize("turns", [SHORT, pytest.param(LONG, marks=pytest.mark.long)], ids=["short", "long"])
def test_three_doors_on_one_folder_lose_nothing(tmp_path: Path, clock: Clock, turns: dict[str, int]) -> None:
    with openai_stub(stores_what_is_said) as stub:
        env = folders(tmp_path, OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=stub.url)
        with own_serving(env, tmp_path / "server.log") as server:
            doors = [
                threading.Thread(target=_repl, args=(env, turns["repl"])),
                threading.Thread(target=_ask, args=(env, turns["ask"])),
                threading.Thread(target=_post, args=(server.url, turns["server"])),
            ]
            for door in doors:
                door.start()
            for door in doors:
                door.join()
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    items = list(memory.items())
    expected = [f"{door} {n}" for door, count in turns.items() for n in range(count)]
    assert sorted(i.content for i in items) == sorted(expected)
    ids = [i.id for i in items]
    for id, near in zip(ids, find_neighbours(memory, ids, 3), strict=True):
        assert id in near
    memory.close()


def _repl(env: dict[str, str], turns: int) -> None:
    run_forked("-m", "app.cli", "chat", stdin="".join(f"repl {n}\n" for n in range(turns)), env=env, timeout=300)


def _ask(env: dict[str, str], turns: int) -> None:
    for n in range(turns):
        run_forked("-m", "app.cli", "ask", f"ask {n}", "--thread", "asked", env=env)


def _post(url: str, turns: int) -> None:
    with httpx.Client(timeout=60) as client:
        for n in range(turns):
            client.post(f"{url}/ask", json={"question": f"server {n}", "thread_id": "posted"})
