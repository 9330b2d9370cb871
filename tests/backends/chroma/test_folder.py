"""One owner at a time: processes in turns lose nothing, and a holder that does not let go is named."""

import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from ana.backends.chroma.folder import Folder
from ana.errors import StoreBroken, StoreBusy
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.chroma import find_neighbours, open_memory
from tests.conftest import EMBEDDER
from tests.forks import start_forked

WORKER = """
    import sys
    from pathlib import Path
    from ana.time.clock import Clock, find_local_zone
    from tests.chroma import open_memory
    from tests.conftest import EMBEDDER

    folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    memory = open_memory(folder, EMBEDDER, Clock(find_local_zone("UTC")), timeout=60, program=name)
    memory.lines()
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(count):
        change = memory.create(f"{name} thing {n}", {"by": name, "n": n})
        found = memory.find(f"{name} thing {n}", limit=3)
        assert change.id in [i.id for i in found.items], "stale: own write not found"
        print(change.id, flush=True)
        if n % 5 == 0:
            memory.append_line(f"{name} line {n}")
    memory.close()
"""

HOLDER = """
    import sys, time
    from pathlib import Path
    from ana.backends.chroma.folder import Folder

    with Folder(Path(sys.argv[1]), program="the holder").hold():
        print("held", flush=True)
        time.sleep(60)
"""


def test_processes_in_turns_lose_nothing(tmp_path: Path, clock: Clock) -> None:
    with ExitStack() as stack:
        started = [
            stack.enter_context(start_forked("-c", WORKER, str(tmp_path / "data"), name, "12"))
            for name in ("left", "right", "third")
        ]
        for _, _, told in started:
            assert told.readline() == "ready\n"
        for _, given, _ in started:
            given.write("go\n")
        outputs = [told.read() for _, _, told in started]
        assert [worker.wait(100) for worker, _, _ in started] == [0, 0, 0]
    acknowledged = [id for output in outputs for id in output.split()]
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    assert sorted(i.id for i in memory.items()) == sorted(acknowledged)
    assert len(acknowledged) == 36
    for id, near in zip(acknowledged, find_neighbours(memory, acknowledged, 3), strict=True):
        assert id in near
    assert sorted(memory.lines()) == list(range(9))
    memory.close()


def test_a_holder_that_does_not_let_go_is_named(tmp_path: Path) -> None:
    with start_forked("-c", HOLDER, str(tmp_path)) as (holder, _, told):
        assert told.readline() == "held\n"
        with pytest.raises(StoreBusy) as caught, Folder(tmp_path, timeout=0.2).hold():
            pass
        assert re.search(rf"the holder \(pid {holder.pid}, since \d{{4}}-", caught.value.message)
    with Folder(tmp_path, timeout=10).hold():
        pass


def test_the_lock_is_free_between_uses(memory: Memory, tmp_path: Path) -> None:
    memory.create("x")
    with Folder(tmp_path / "data", timeout=0.5).hold() as client:
        assert {c.name for c in client.list_collections()} >= {"items"}
    assert memory.count() == 1


def test_nothing_is_made_before_the_first_use(tmp_path: Path, clock: Clock) -> None:
    open_memory(tmp_path / "data", EMBEDDER, clock)
    assert not (tmp_path / "data").exists()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreBroken, match="cannot be used") as caught, Folder(tmp_path / "file").hold():
        pass
    assert "ANA_DATA_DIR" in caught.value.hint


def test_a_store_that_is_no_store_is_a_sentence(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "chroma").mkdir()
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(os.urandom(4096))
    with pytest.raises(StoreBroken, match="cannot be used"):
        open_memory(tmp_path, EMBEDDER, clock).count()
