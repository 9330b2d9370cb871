"""Reads that need no vectors leave Chroma closed, unless something is in the way of believing the files beside it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ana.backends.chroma.acts import Journal
from ana.memory.changes import Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.chroma import chroma_of, open_memory
from tests.conftest import EMBEDDER

READS: dict[str, Callable[[Memory], object]] = {
    "count": lambda memory: memory.count() == 2,
    "lines": lambda memory: memory.lines() == {0: "Likes tea"},
    "filter": lambda memory: memory.find(where={"n": 1}).total == 1,
    "properties": lambda memory: memory.backend.list_keys() == {"n": 2},
    "history": lambda memory: len(memory.history()) == 3,
    "deletions": lambda memory: memory.backend.deletions() == [],
}


@pytest.fixture
def path(tmp_path: Path, clock: Clock) -> Path:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    memory.create("one", {"n": 1})
    memory.create("two", {"n": 2})
    memory.append_line("Likes tea")
    memory.close()
    return tmp_path


def is_open(memory: Memory) -> bool:
    return chroma_of(memory).folder.is_open


@pytest.mark.parametrize("read", READS)
def test_what_index_and_journal_know_leaves_chroma_closed(path: Path, clock: Clock, read: str) -> None:
    memory = open_memory(path, EMBEDDER, clock)
    assert READS[read](memory)
    assert not is_open(memory)
    assert memory.find("one").total == 2
    assert is_open(memory)
    assert READS[read](memory)
    memory.close()


def spoil_index(path: Path) -> None:
    for file in path.glob("*.index.sqlite"):
        file.write_bytes(b"x" * 8192)


def lose_index(path: Path) -> None:
    for file in path.glob("*.index.sqlite*"):
        file.unlink()


def leave_note(path: Path) -> None:
    (path / "lock.owner").write_text('{"program": "killed", "pid": 1, "since": 0}')


def leave_act(path: Path) -> None:
    stamp = "2026-01-01T00:00:00.000000+00:00"
    journal = Journal(path / "journal.sqlite")
    journal.begin([Entry(stamp, "", "t", Change("item", "aaaaaaaa", None, Item("aaaaaaaa", "x", {}, stamp, stamp)))])
    journal.close()


@pytest.mark.parametrize("harm", [spoil_index, lose_index, leave_note, leave_act])
def test_what_cannot_be_believed_opens_chroma(path: Path, clock: Clock, harm: Callable[[Path], None]) -> None:
    harm(path)
    memory = open_memory(path, EMBEDDER, clock)
    assert memory.find(where={"n": 1}).total == 1
    assert is_open(memory)
    assert all(read(memory) for read in READS.values())
    memory.close()


def test_what_another_has_written_is_read_while_chroma_is_closed(path: Path, clock: Clock) -> None:
    memory, other = (open_memory(path, EMBEDDER, clock) for _ in range(2))
    assert memory.count() == 2
    other.create("three", {"n": 1})
    other.close()
    assert (memory.count(), memory.find(where={"n": 1}).total) == (3, 2)
    assert not is_open(memory)
    memory.close()
