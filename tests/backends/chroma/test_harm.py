"""A full disk, a damaged file or an odd argument gives a clear error, and store and index still agree."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.folder import Folder
from ana.backends.chroma.source import ChromaSource, EmbeddedItem
from ana.errors import StoreBroken, ToolError
from ana.files import find_damage, is_damage
from ana.locks import OwnerLock
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.time.clock import Clock
from ana.values import Json
from tests.chroma import fill_chroma, open_memory
from tests.conftest import EMBEDDER

STAMP = "2026-01-01T00:00:00.000000+00:00"


def nested(depth: int) -> Json:
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


def assert_agreement(memory: Memory) -> None:
    """Check that search and Chroma agree."""
    held = {item.id: item for item in memory.items()}
    assert {item.id: item for item in memory.find(limit=1000).items} == held


@pytest.mark.parametrize("op", ["create", "update", "delete"])
def test_a_write_that_failed_and_takes_effect_later_is_seen(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, op: str
) -> None:
    """Act as Chroma does on a full disk: it refuses, has the write in its log, and applies it with the next one."""
    from chromadb.errors import InternalError

    kept = memory.create("old", {"v": 0}).id
    late: list[tuple[Any, ...]] = []
    write, delete = ChromaSource.write, ChromaSource.delete

    def refuse_write(self: ChromaSource, stored: Sequence[EmbeddedItem], before: Sequence[Item | None]) -> None:
        late.append((write, stored, before))
        raise InternalError("database or disk is full")

    def refuse_delete(self: ChromaSource, ids: Sequence[str]) -> None:
        late.append((delete, ids))
        raise InternalError("database or disk is full")

    def apply_first(self: ChromaSource, stored: Sequence[EmbeddedItem], before: Sequence[Item | None]) -> None:
        for do, *args in late:
            do(self, *args)
        late.clear()
        write(self, stored, before)

    with monkeypatch.context() as patch:
        patch.setattr(ChromaSource, "write", refuse_write)
        patch.setattr(ChromaSource, "delete", refuse_delete)
        refused = {
            "create": lambda: memory.create("new", {"v": 1}),
            "update": lambda: memory.update(kept, "new", {"v": 1}),
            "delete": lambda: memory.delete(kept),
        }
        with pytest.raises(StoreBroken, match="disk"):
            refused[op]()
    assert_agreement(memory)
    monkeypatch.setattr(ChromaSource, "write", apply_first)
    memory.create("after")
    assert_agreement(memory)
    assert memory.find(where={"v": 1}).total == (op != "delete")
    # in the order in which they took effect, so that whoever had read up to the other misses neither
    assert [entry.change.op for entry in memory.history()][:2] == [op, "create"]  # what took effect can be taken back
    memory.create("and one more")
    assert_agreement(memory)


@pytest.mark.parametrize("spoil", ["a page", "text", "no tables"])
def test_damage_that_only_a_write_meets_is_made_good(tmp_path: Path, clock: Clock, spoil: str) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    many = [Item(f"item{n:04d}", f"note {n} rose", {"n": n, "tags": ["a"]}, STAMP, STAMP) for n in range(200)]
    fill_chroma(memory, many)
    memory.close()
    path = tmp_path / "items.index.sqlite"
    whole = path.read_bytes()
    if spoil == "a page":
        for page in range(2, len(whole) // 4096, 25):
            path.write_bytes(whole[: page * 4096] + os.urandom(4096) + whole[(page + 1) * 4096 :])
            memory = open_memory(tmp_path, EMBEDDER, clock)
            memory.update("item0007", None, {"page": page})
            memory.create(f"brand new {page}", {"q": page})
            memory.close()
            whole = path.read_bytes()
    elif spoil == "text":
        path.write_bytes(whole.replace(b'"note 7 rose"', b'"\xff\xff\xff\xff 7 rose"'))
    else:
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("PRAGMA user_version = 2")
        other.close()
    memory = open_memory(tmp_path, EMBEDDER, clock)
    assert_agreement(memory)
    memory.update("item0007", None, {"n": -1})
    assert_agreement(memory)
    assert memory.find("rose", {"n": -1}).total == 1
    memory.close()


@pytest.mark.parametrize(
    ("code", "damaged"),
    [
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_NOTADB, True),
        (sqlite3.SQLITE_IOERR_READ, True),
        (sqlite3.SQLITE_IOERR_SHORT_READ, True),
        (sqlite3.SQLITE_FULL, False),
        (sqlite3.SQLITE_IOERR_WRITE, False),
        (sqlite3.SQLITE_IOERR_SHMSIZE, False),
        (sqlite3.SQLITE_BUSY, False),
    ],
)
def test_what_is_damage_and_what_is_not(code: int, damaged: bool) -> None:
    error = sqlite3.DatabaseError("told by SQLite")
    error.sqlite_errorcode = code
    assert is_damage(error) is damaged


def test_a_text_that_cannot_be_read_is_damage_though_it_has_no_code() -> None:
    assert is_damage(sqlite3.OperationalError("Could not decode to UTF-8 column 'item'"))


def test_a_file_that_another_program_holds_is_not_said_to_be_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.files.BUSY_SECONDS", 0.01)
    path = tmp_path / "one.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.executescript("CREATE TABLE one (id); BEGIN EXCLUSIVE;")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            find_damage(path)
    assert find_damage(path) is None


def test_a_lock_that_cannot_be_signed_is_let_go(tmp_path: Path) -> None:
    first, second = (OwnerLock(tmp_path / "lock", "The folder", timeout=0.1) for _ in range(2))
    (tmp_path / "lock.owner").mkdir()
    with pytest.raises(IsADirectoryError):
        first.acquire()
    (tmp_path / "lock.owner").rmdir()
    second.acquire()
    second.release()


def test_a_folder_that_could_not_be_opened_can_be_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chromadb.api.rust import RustBindingsAPI

    start = RustBindingsAPI.start

    def fail(self: RustBindingsAPI) -> None:
        raise RuntimeError("disk full")

    folder = Folder(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RustBindingsAPI, "start", fail)
        with pytest.raises(StoreBroken, match="disk full"), folder.hold():
            pass
    assert RustBindingsAPI.start is start
    with folder.hold() as client:
        assert client.list_collections() == []
    folder.close()


@pytest.mark.parametrize(
    "where",
    [
        {"$or": [{"a": n} for n in range(1001)]},
        {f"k{n}": 1 for n in range(1200)},
        {"d": {"$in": [f"20{n % 90 + 10}-01-{n % 28 + 1:02d}" for n in range(1100)]}},
        {"b": nested(500)},
    ],
)
def test_a_filter_that_is_too_large_is_refused_as_such(memory: Memory, where: dict[str, Json]) -> None:
    memory.create("x", {"a": 1})
    with pytest.raises(ToolError, match="filter"):
        memory.find(where=where)


def test_a_filter_may_name_very_many_plain_values(memory: Memory) -> None:
    memory.create("x", {"a": 7})
    assert memory.find(where={"a": {"$in": [str(n) for n in range(5000)]}}).total == 0
    assert memory.find(where={"a": {"$in": list(range(5000))}}).total == 1


@pytest.mark.parametrize("tag", ["groceries", "taxes", "news", "küche", "ÄRGER", "home-office", "bus", "2026"])
def test_a_tag_is_found_however_it_is_written(memory: Memory, tag: str) -> None:
    memory.create("zzz", {"tags": [tag]})
    memory.create(f"{tag} {tag} list")
    found = memory.find(f"#{tag}")
    assert (found.items[0].content, found.reasons[0].first) == ("zzz", "tag")


def test_dates_are_listed_by_when_they_are(memory: Memory) -> None:
    given = ["2026-01-13 09:00", "2026-01-13T08:00", "2026-01-13T23:00-10:00", "2026-01-14", "2026-01-14T01:00+14:00"]
    for date in given:
        memory.create(date, {"due_date": date})
    assert [item.content for item in memory.find().items] == [given[1], given[0], given[4], given[3], given[2]]


def test_two_items_of_different_marks_are_not_the_same(memory: Memory) -> None:
    memory.create("...")
    assert memory.create("!!!", copy=False).after is not None


@pytest.mark.parametrize(
    "text",
    ["what's due before 0001-01-01", "notes after 9999-12-31", "x until 9999-12-31", "since 0001-01-01 x",
     "from 9999-12-31 to 9999-12-30", "what was due on 0001-01-01", "did I go on 1 January 0001"],
)  # fmt: skip
def test_the_first_and_the_last_day_there_is(memory: Memory, text: str) -> None:
    memory.create("x", {"due_date": "9999-12-31"})
    assert memory.find(text).total in (0, 1)
