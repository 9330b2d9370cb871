"""What was purged is in no byte of the data folder, and what was kept is all there, also after a kill."""

import itertools
import os
import shutil
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.care import exchange as module
from ana.backends.chroma.care.examine import examine
from ana.errors import StoreBroken
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.trash import list_deleted, purge
from ana.time.clock import Clock
from tests.backends.chroma.care.test_reindex import Cut, cut_at
from tests.chroma import chroma_of, fill_chroma, hold_source, open_memory, write_index_early
from tests.conftest import EMBEDDER
from tests.forks import start_forked
from tests.traces_of import find_traces

LATER = "2999"
SECRETS = (
    "Zwetschgenröster",
    "quokkaphone “+49-170-5551234”",
    "Umbrellabird\twalks",
    "Narwhalcodes",
    "Vaquitabridge",
    "Pangolinline",
)
STAMP = "2026-01-01T00:00:00.000000+00:00"


def fill(memory: Memory) -> None:
    """Store what is kept, and delete items and a line that hold the secrets in every place an item has."""
    memory.create("kept before", {"type": "note"})
    gone = memory.create(SECRETS[0], {"phone": SECRETS[1], "nested": {"deep": [SECRETS[2]]}, "tags": [SECRETS[3]]})
    memory.update(gone.id, "it said something else first", {"phone": None, "nested": SECRETS[4]})
    memory.append_line("Prefers tea")
    line = memory.append_line(SECRETS[5])
    memory.create("kept after", {"n": 1})
    memory.find(SECRETS[0])
    memory.delete_line(int(line.id))
    memory.delete(gone.id)


def check_kept(path: Path, clock: Clock, *, thoroughly: bool = True) -> None:
    memory = open_memory(path, EMBEDDER, clock)
    assert {item.content for item in memory.items()} >= {"kept before", "kept after"}
    assert memory.lines() == {0: "Prefers tea"}
    assert memory.find("kept after", limit=1).items[0].properties == {"n": 1}
    assert not thoroughly or examine(chroma_of(memory)).is_sound
    assert memory.append_line("New").id == "2", "a purged line's number is not used again"
    memory.close()


def test_what_was_purged_is_in_no_byte(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill(memory)
    assert {entry.partition(":")[0] for entry in find_traces(tmp_path, SECRETS)} >= {
        "chroma/chroma.sqlite3",
        "journal.sqlite-wal",
    }
    assert [deleted.name for deleted in purge(memory, LATER)][1] == "line 1"
    assert find_traces(tmp_path, SECRETS) == [], "while it is open"
    memory.close()
    check_kept(tmp_path, clock)
    assert find_traces(tmp_path, SECRETS) == []


def test_many_items_leave_nothing_and_the_kept_are_not_embedded_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index_early(monkeypatch)
    monkeypatch.setattr("ana.backends.chroma.source.PAGE", 100)
    memory = open_memory(tmp_path, EMBEDDER, clock)
    many = [Item(f"item{n:05}", f"oystercatcher{n:05} note", {"n": n}, STAMP, STAMP) for n in range(150)]
    fill_chroma(memory, many)
    for item in many[::10]:
        memory.delete(item.id)
    memory.close()
    memory = open_memory(tmp_path, NoEmbedder(), clock)
    before = _read_vectors(memory)
    purge(memory, LATER)
    after = _read_vectors(memory)
    memory.close()
    assert before.keys() == after.keys() == {item.id for n, item in enumerate(many) if n % 10}
    assert all(abs(before[id] - after[id]).max() < 1e-6 for id in before)
    assert find_traces(tmp_path, [f"oystercatcher{n:05}" for n in range(0, 150, 10)]) == []
    check = open_memory(tmp_path, EMBEDDER, clock)
    assert check.find("oystercatcher00042", limit=1).items[0].id == "item00042"
    check.close()


class NoEmbedder:
    """The default embedder's name without its work."""

    name, dimension = EMBEDDER.name, EMBEDDER.dimension

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise AssertionError("nothing is embedded again")

    def embed_query(self, text: str) -> list[float]:
        raise AssertionError("nothing is embedded again")


def _read_vectors(memory: Memory) -> dict[str, Any]:
    with hold_source(memory) as source:
        return {stored.item.id: stored.vector for stored in source.iter_all()}


def test_damaged_files_that_were_set_aside_go_too_and_conversations_among_them_stay(
    tmp_path: Path, clock: Clock
) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill(memory)
    memory.close()
    aside = tmp_path / "set-aside" / "20260101T000000000000Z"
    shutil.copytree(tmp_path / "chroma", aside / "chroma")
    for name in ("journal.sqlite", "items.index.sqlite"):
        shutil.copy(tmp_path / name, aside / name)
    (aside / "unreadable.jsonl").write_text(SECRETS[0])
    (aside / "threads.sqlite").write_bytes(b"the only copy of conversations")
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / ".b.zip.1.part").write_text(SECRETS[0])
    purge(memory, LATER)
    memory.close()
    assert find_traces(tmp_path, SECRETS) == []
    assert [each.name for each in aside.iterdir()] == ["threads.sqlite"]


def test_other_processes_see_the_new_store(tmp_path: Path, clock: Clock) -> None:
    memory, other = (open_memory(tmp_path, EMBEDDER, clock) for _ in range(2))
    fill(memory)
    assert other.find("kept after", limit=1).items[0].content == "kept after"
    purge(memory, LATER)
    other.create("by another")
    other.close()
    assert sorted(item.content for item in memory.items()) == ["by another", "kept after", "kept before"]
    assert memory.find("another", limit=1).items[0].content == "by another"
    memory.close()
    assert find_traces(tmp_path, SECRETS) == []


def test_a_reader_of_the_journal_is_named_and_nothing_is_lost(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.files.BUSY_SECONDS", 0.05)
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill(memory)
    reader = sqlite3.connect(tmp_path / "journal.sqlite")
    rows = reader.execute("SELECT * FROM writes")
    rows.fetchone()
    with pytest.raises(StoreBroken, match=r"journal.sqlite is being read"):
        purge(memory, LATER)
    rows.close()
    reader.close()
    purge(memory, LATER)
    memory.close()
    check_kept(tmp_path, clock)
    assert find_traces(tmp_path, SECRETS) == []


def test_chroma_leaves_no_memory_of_the_process_in_files(tmp_path: Path, clock: Clock) -> None:
    for _ in range(2):
        memory = open_memory(tmp_path, EMBEDDER, clock)
        memory.create("a")
        memory.find("a")
        files = [file for name in ("data_level0.bin", "length.bin") for file in tmp_path.glob(f"chroma/*/{name}")]
        assert files
        assert not any(any(file.read_bytes()) for file in files), "while it is open"
        memory.close()
        assert not any(any(file.read_bytes()) for file in files)


def test_a_collection_of_somebody_elses_is_copied_as_well(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill(memory)
    with chroma_of(memory).folder.hold() as client:
        chroma_of(memory).folder.mark_written()
        theirs = client.create_collection("theirs", embedding_function=None, metadata={"a": 1})
        values: Any = (["x", "y"], [[1.0, 2.0], [0.5, 0.25]], [{"p": True}, None], ["text", "more"])
        theirs.add(*values)
    purge(memory, LATER)
    with chroma_of(memory).folder.hold() as client:
        theirs = client.get_collection("theirs", embedding_function=None)
        found = theirs.get(include=["documents", "metadatas", "embeddings"])
        assert (theirs.metadata, found["documents"], found["metadatas"]) == (
            {"a": 1},
            ["text", "more"],
            [{"p": True}, None],
        )
    memory.close()


def test_wherever_it_is_cut_short_nothing_is_lost_and_it_can_be_run_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call that changes something is, in turn, the one that is never reached."""
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

    memory = open_memory(tmp_path / "start", EMBEDDER, clock)
    fill(memory)
    memory.close()
    for step in itertools.count():
        path = tmp_path / f"cut{step}"
        shutil.copytree(tmp_path / "start", path)
        memory, steps = open_memory(path, EMBEDDER, clock), itertools.count()
        memory.count()
        with monkeypatch.context() as patch:
            for owner, name in (
                (Client, "create_collection"),
                (Collection, "add"),
                (Path, "rename"),
                (Path, "unlink"),
                (shutil, "rmtree"),
                (module, "open_chroma"),
                (sqlite3, "connect"),
            ):
                patch.setattr(owner, name, cut_at(getattr(owner, name), steps, step))
            try:
                purge(memory, LATER)
                cut = False
            except Cut:
                cut = True
        memory.close()
        if cut:
            again = open_memory(path, EMBEDDER, clock)
            purge(again, LATER)
            again.close()
        assert find_traces(path, SECRETS) == [], f"cut at {step}"
        check_kept(path, clock, thoroughly=not cut)
        shutil.rmtree(path)
        if not cut:
            break
    assert step > 12


KILLED = """
    import sys
    from pathlib import Path
    from ana.memory.trash import purge
    from ana.time.clock import Clock, find_local_zone
    from tests.chroma import hold_source, open_memory
    from tests.conftest import EMBEDDER

    memory = open_memory(Path(sys.argv[1]), EMBEDDER, Clock(find_local_zone("UTC")))
    memory.count()
    print("ready", flush=True)
    while True:
        purge(memory, "2999")
"""


@pytest.mark.parametrize("after", [0.02, 0.05, 0.1, 0.2])
def test_killed_at_any_moment_it_loses_nothing(tmp_path: Path, clock: Clock, after: float) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill(memory)
    memory.close()
    with start_forked("-c", KILLED, str(tmp_path)) as (_, _, told):
        assert told.readline() == "ready\n"
        time.sleep(after)
    memory = open_memory(tmp_path, EMBEDDER, clock, tell=lambda _: None)
    purge(memory, LATER)
    memory.close()
    assert list_deleted(memory) == []
    memory.close()
    check_kept(tmp_path, clock)
    assert find_traces(tmp_path, SECRETS) == []
    assert not [each for each in os.listdir(tmp_path) if each.startswith("restore")]
