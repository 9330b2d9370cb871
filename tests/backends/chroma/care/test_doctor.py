"""A damaged store does not stop the assistant: it is found, set aside and rebuilt, and nothing is lost."""

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import chromadb
import pytest

from ana import children
from ana.backends.chroma.care.examine import Findings, examine
from ana.backends.chroma.care.probe import BEGUN, EVERY, find_fault
from ana.backends.chroma.care.probe import main as probe
from ana.backends.chroma.client import open_chroma
from ana.backends.chroma.source import ChromaSource, EmbeddedItem
from ana.embedders import WordLlamaEmbeddings
from ana.embedders.base import Vector
from ana.errors import StoreBroken
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.chroma import chroma_of, fill_chroma, hold_source, open_memory, upkeep_of, write_index_early
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.forks import start_forked
from tests.memory.conformance import put

START = children.run_python
"""How a child is started when no test is looking; tests start forks instead."""

STAMP = "2026-01-07T08:00:00.000000+00:00"
MANY = [Item(f"many{n:04}", f"old number {n}", {"n": n}, STAMP, STAMP) for n in range(1100)]
"""Enough for Chroma to write its vector index to files, and for more than a page."""
FEWER = MANY[:110]


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def garble(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[: len(data) // 2] = os.urandom(len(data) // 2)
    file.write_bytes(data)


def contents_by_id(memory: Memory) -> dict[str, str]:
    return {item.id: item.content for item in memory.items()}


def fill(path: Path, old: Sequence[Item]) -> dict[str, str]:
    """Write a folder of many items, some in the journal, as its process leaves it, and return what it holds."""
    memory = open_memory(path, EMBEDDER, Clock(BERLIN, lambda: WEDNESDAY))
    fill_chroma(memory, old)
    for n in range(20):
        memory.create(f"new number {n}", {"n": n})
    memory.append_line("Prefers tea")
    there = contents_by_id(memory)
    memory.close()
    return there


@pytest.fixture(scope="module")
def fewer(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Such a folder with fewer items, because Chroma writes its vector index early, and what it holds."""
    path = tmp_path_factory.mktemp("fewer") / "data"
    with pytest.MonkeyPatch.context() as patch:
        write_index_early(patch)
        return path, fill(path, FEWER)


@pytest.fixture
def filled(
    fewer: tuple[Path, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, dict[str, str]]:
    write_index_early(monkeypatch)
    return shutil.copytree(fewer[0], tmp_path / "data"), fewer[1]


def abandon(path: Path) -> None:
    """Leave the folder as a process does that dies while it holds it."""
    (path / "lock.owner").write_text('{"program": "ana", "pid": 1, "since": 0}')


@pytest.mark.parametrize(("spoil", "old"), [(truncate, MANY), (garble, FEWER)])
def test_a_damaged_vector_index_is_rebuilt(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None], old: list[Item]
) -> None:
    if old is FEWER:
        write_index_early(monkeypatch)
    path = tmp_path / "data"
    there = fill(path, old)
    files = [file for file in (path / "chroma").glob("*/*.bin") if file.stat().st_size]
    assert files
    for file in files:
        spoil(file)
    abandon(path)
    said: list[str] = []
    memory = open_memory(path, EMBEDDER, clock, tell=said.append)
    assert contents_by_id(memory) == there
    assert memory.find("new number 7", limit=1).items[0].content == "new number 7"
    assert memory.lines() == {0: "Prefers tea"}
    assert "ended unexpectedly" in said[0]
    unknown = {change.id for change in examine(chroma_of(memory)).journal}
    assert unknown == {item.id for item in old}, "all is sound but that the journal never knew these"
    assert list((path / "set-aside").glob("*/chroma/*/*.bin"))
    memory.close()


def test_a_store_whose_documents_are_lost_too_comes_back_from_journal_and_index(
    filled: tuple[Path, dict[str, str]], clock: Clock
) -> None:
    path, there = filled
    garble(path / "chroma" / "chroma.sqlite3")
    abandon(path)
    memory = open_memory(path, EMBEDDER, clock)
    assert contents_by_id(memory) == there
    assert memory.lines() == {0: "Prefers tea"}
    memory.close()
    (path / "items.index.sqlite").unlink(missing_ok=True)
    garble(path / "chroma" / "chroma.sqlite3")
    abandon(path)
    memory = open_memory(path, EMBEDDER, clock)
    assert set(contents_by_id(memory).values()) == {f"new number {n}" for n in range(20)}, "what the journal knows"
    memory.close()


class Unreachable(WordLlamaEmbeddings):
    """An embedder that is a server, and down."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise StoreBroken("The embedder could not be reached.")


def test_a_store_that_cannot_be_rebuilt_now_is_not_taken_for_empty(
    filled: tuple[Path, dict[str, str]], clock: Clock
) -> None:
    path, there = filled
    for file in (path / "chroma").glob("*/*.bin"):
        garble(file)
    abandon(path)
    memory = open_memory(path, Unreachable(), clock)
    for _ in range(2):
        with pytest.raises(StoreBroken, match="embedder"):
            memory.count()
    memory.close()
    memory = open_memory(path, EMBEDDER, clock)
    assert contents_by_id(memory) == there
    assert not (path / "restore.json").exists()
    memory.close()


def test_a_rebuild_that_may_open_no_more_files_does_not_begin_with_an_empty_store(
    filled: tuple[Path, dict[str, str]], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, there = filled
    for file in (path / "chroma").glob("*/*.bin"):
        garble(file)
    abandon(path)

    def fail(database: Path) -> None:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    with monkeypatch.context() as patched:
        patched.setattr("ana.backends.chroma.care.rebuild.refuse_damaged", fail)
        memory = open_memory(path, EMBEDDER, clock)
        with pytest.raises(StoreBroken, match="unable to open database file"):
            memory.count()
        memory.close()
    memory = open_memory(path, EMBEDDER, clock)
    assert contents_by_id(memory) == there
    memory.close()


REBUILD, EXCHANGE = "ana.backends.chroma.care.rebuild", "ana.backends.chroma.care.exchange"
ALL_LOST = "ana.backends.chroma.care.healing.Healing._complete"
PLACES = (
    *(f"{REBUILD}.{name}" for name in ("open_chroma", "shutil.copy2", "embed_again", "find_fault", "finish_exchange")),
    *(ALL_LOST, f"{EXCHANGE}.move_aside", f"{EXCHANGE}._put_back_chroma", f"{EXCHANGE}._forget"),
)


@pytest.mark.parametrize("place", PLACES)
def test_a_kill_during_a_rebuild_loses_nothing(
    filled: tuple[Path, dict[str, str]], clock: Clock, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, there = filled
    if place == ALL_LOST:
        garble(path / "chroma" / "chroma.sqlite3")  # all of it comes from journal and index
    for file in (path / "chroma").glob("*/*.bin"):
        garble(file)
    abandon(path)
    memory = open_memory(path, EMBEDDER, clock)
    with monkeypatch.context() as patched:
        patched.setattr(place, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.count()
    memory.close()
    memory = open_memory(path, EMBEDDER, clock)
    assert contents_by_id(memory) == there
    assert memory.lines() == {0: "Prefers tea"}
    memory.close()


def leave_unfinished(path: Path) -> None:
    """Damage a store, and leave it as an earlier version did that was killed while it rebuilt it."""
    for file in (path / "chroma").glob("*/*.bin"):
        garble(file)
    aside = path / "set-aside" / "20261130T120000000000Z"
    aside.mkdir(parents=True)
    for each in (path / "chroma", *path.glob("*.index.sqlite*")):
        each.rename(aside / each.name)
    (path / "rebuilding.json").write_text(json.dumps({"aside": aside.name}))
    open_chroma(path / "chroma").close()
    abandon(path)


@pytest.mark.parametrize("is_sound", [True, False])
def test_a_rebuild_that_an_earlier_version_did_not_finish_loses_nothing(
    filled: tuple[Path, dict[str, str]], clock: Clock, is_sound: bool
) -> None:
    path, there = filled
    leave_unfinished(path)
    if not is_sound:
        garble(path / "chroma" / "chroma.sqlite3")
    memory = open_memory(path, EMBEDDER, clock)
    if not is_sound:
        upkeep_of(memory).repair(examine(chroma_of(memory)))
    assert contents_by_id(memory) == there
    assert memory.lines() == {0: "Prefers tea"}
    assert not (path / "rebuilding.json").exists()
    memory.close()


def test_a_restored_store_is_not_taken_for_an_unfinished_rebuild(
    filled: tuple[Path, dict[str, str]], tmp_path: Path, clock: Clock
) -> None:
    path, there = filled
    backup = shutil.copytree(path, tmp_path / "backup")
    leave_unfinished(path)
    memory = open_memory(path, EMBEDDER, clock)
    with upkeep_of(memory).replacing(tmp_path / "traces") as (new, _):
        shutil.copytree(backup, new / "data")
    damaged = path / "set-aside" / "20261130T120000000000Z" / "chroma"
    assert (contents_by_id(memory) == there, damaged.exists(), (path / "rebuilding.json").exists()) == (
        True,
        True,
        False,
    )
    memory.close()


def test_a_record_that_the_vector_index_passes_over_is_looked_for_again(memory: Memory) -> None:
    """Its answers are approximate; a record that a wider search finds is not a fault."""
    for n in range(3):
        memory.create(f"text {n}")
    nearest = ChromaSource.find_nearest_each

    def forgetful(self: ChromaSource, vectors: Sequence[Vector], limit: int) -> list[dict[str, float]]:
        found = nearest(self, vectors, limit)
        return found if len(vectors) == 1 else [dict(list(near.items())[1:]) for near in found]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ChromaSource, "find_nearest_each", forgetful)
        assert examine(chroma_of(memory)).is_sound


def test_a_clean_end_is_not_doubted(tmp_path: Path, clock: Clock) -> None:
    said: list[str] = []
    for n in range(3):
        memory = open_memory(tmp_path, EMBEDDER, clock, tell=said.append)
        memory.create(f"thing {n}")
        memory.close()
    assert said == []


def test_after_a_restart_of_the_machine_the_store_is_checked_once(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    memory = open_memory(tmp_path, EMBEDDER, clock)
    memory.create("thing")
    memory.close()
    monkeypatch.setattr("ana.backends.chroma.folder.read_boot_id", lambda: "another")
    for looked_at in (1, 1):
        memory = open_memory(tmp_path, EMBEDDER, clock, tell=said.append)
        assert memory.count() == 1
        assert len(said) == looked_at
        memory.close()


def test_a_sound_store_is_proved(memory: Memory) -> None:
    item = memory.create("Buy milk", {"due_date": "2026-01-08"})
    memory.create("Buy milk!", {"due_date": "2026-01-08"})
    put(memory, "\udc80 odd \x00", {"n": [1, None]})
    memory.append_line("Prefers tea")
    memory.delete(item.id)
    memory.create("buy milk", {"due_date": "2026-01-08"})
    found = examine(chroma_of(memory))
    assert found.is_sound
    assert found.counts == {"item": 3, "line": 1}
    assert len(found.duplicates) == 1
    assert found.orphans == []


def test_an_empty_folder_is_sound(memory: Memory) -> None:
    assert examine(chroma_of(memory)).is_sound


def test_changes_that_the_journal_does_not_know_are_found_and_repaired(memory: Memory) -> None:
    lost, changed, broken = (memory.create(text).id for text in ("lost", "changed", "broken"))
    with hold_source(memory) as source:
        chroma_of(memory).folder.mark_written()
        source.delete([lost])
        source.chroma._collection.update([broken], metadatas=[{"ana:item": "no json"}])
    chroma_of(memory).collections["item"].index.discard()
    with pytest.raises(StoreBroken, match=broken) as caught:
        memory.find("broken")
    assert "ana doctor --repair" in caught.value.hint
    found = examine(chroma_of(memory))
    assert [id for _, id in found.unreadable] == [broken]
    assert sorted(change.id for change in found.journal) == sorted([lost, broken])
    upkeep_of(memory).repair(found)
    outside = Item(changed, "changed outside", {}, STAMP, STAMP)
    chroma_of(memory).collections["item"].put([(outside, memory.get(changed))])
    fill_chroma(memory, [Item("unknown1", "unknown", {}, STAMP, STAMP)])
    found = examine(chroma_of(memory))
    assert len(found.journal) == 2
    upkeep_of(memory).repair(found)
    assert examine(chroma_of(memory)).is_sound
    assert sorted(contents_by_id(memory).values()) == ["broken", "changed outside", "lost", "unknown"]
    assert memory.history()[0].turn.startswith("doctor-")
    (kept,) = chroma_of(memory).folder.path.glob("set-aside/*/unreadable.jsonl")
    assert json.loads(kept.read_text())["id"] == broken


def test_an_index_that_says_something_else_is_rebuilt(memory: Memory) -> None:
    item = memory.create("Buy milk").after
    assert item
    with hold_source(memory) as source:
        db = chroma_of(memory).collections["item"].index.make_ready(source).db
        db.execute("UPDATE bodies SET item = ?", (json.dumps(to_json(item) | {"content": "Buy wine"}),))
    found = examine(chroma_of(memory))
    assert len(found.index) == 1
    upkeep_of(memory).repair(found)
    assert examine(chroma_of(memory)).is_sound


def test_damage_without_an_unclean_end_is_found_and_repaired(filled: tuple[Path, dict[str, str]], clock: Clock) -> None:
    path, there = filled
    for file in (path / "chroma").glob("*/*.bin"):
        garble(file)
    memory = open_memory(path, EMBEDDER, clock)
    found = examine(chroma_of(memory))
    assert "cannot be used" in found.store[0]
    upkeep_of(memory).repair(found)
    assert examine(chroma_of(memory)).is_sound
    assert contents_by_id(memory) == there
    memory.close()


def test_what_a_rebuilt_index_does_not_find_is_stored_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, lost = memory.create("Buy milk").id, memory.create("Call Anna").id
    hidden, find, write = {lost}, ChromaSource.find_nearest_each, ChromaSource.write

    def miss(source: ChromaSource, vectors: Sequence[Vector], limit: int) -> list[dict[str, float]]:
        return [{id: 0.5 for id in near if id not in hidden} for near in find(source, vectors, limit)]

    def write_anew(source: ChromaSource, stored: Sequence[EmbeddedItem], before: Sequence[Item | None]) -> None:
        write(source, stored, before)
        if [each.item.id for each in stored] == [lost]:
            hidden.clear()

    monkeypatch.setattr(ChromaSource, "find_nearest_each", miss)
    monkeypatch.setattr(ChromaSource, "write", write_anew)
    found = examine(chroma_of(memory))
    assert found.store == [f"item {lost} is not found by its own vector."]
    upkeep_of(memory).repair(found)
    assert examine(chroma_of(memory)).is_sound
    assert contents_by_id(memory) == {kept: "Buy milk", lost: "Call Anna"}


def test_the_probe_believes_what_is_sound_only(
    filled: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(children, "run_python", START)  # from nothing, as it is when no test is looking
        assert find_fault(filled[0] / "chroma") is None
    garble(filled[0] / "chroma" / "chroma.sqlite3")
    assert find_fault(filled[0] / "chroma")


def test_a_check_that_somebody_stops_says_nothing_of_the_store_and_the_next_program_checks_it(
    filled: tuple[Path, dict[str, str]], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, there = filled
    abandon(path)
    said: list[str] = []
    with monkeypatch.context() as patched:
        stopped = children.CompletedProcess("", -signal.SIGINT, "", f"{BEGUN}\nKeyboardInterrupt\n")
        patched.setattr(children, "run_python", lambda *_, **__: stopped)
        memory = open_memory(path, EMBEDDER, clock)
        with pytest.raises(StoreBroken, match=r"was stopped\. Nothing was changed"):
            memory.count()
        memory.close()
    for _ in range(2):
        memory = open_memory(path, EMBEDDER, clock, tell=said.append)
        assert contents_by_id(memory) == there
        memory.close()
    assert [text.partition(".")[2] for text in said] == [" Checking the store."], "once, and nothing was rebuilt"
    assert not (path / "set-aside").exists()


@pytest.mark.parametrize(("searches", "asked"), [(3, 4), (EVERY, 10)])
def test_the_probe_searches_from_as_many_records_as_it_is_told(
    searches: int, asked: int, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    for n in range(10):
        memory.create(f"Note {n}")
    memory.close()
    queries: list[int] = []
    query = chromadb.Collection.query

    def count(collection: chromadb.Collection, *args: Any, **kwargs: Any) -> Any:
        queries.append(len(kwargs["query_embeddings"]))
        return query(collection, *args, **kwargs)

    monkeypatch.setattr(chromadb.Collection, "query", count)
    assert probe(tmp_path / "chroma", searches) == 0
    assert sum(queries) == asked


def test_a_probe_that_cannot_begin_says_nothing_about_the_store(
    filled: tuple[Path, dict[str, str]], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, there = filled
    before = sorted(file.name for file in path.iterdir())
    (path / "generation").write_text("another start of the machine")
    memory = open_memory(path, EMBEDDER, clock)
    with monkeypatch.context() as patched:
        failed = children.CompletedProcess((), 1, "", "Traceback:\nModuleNotFoundError: No module named 'ana'\n")
        patched.setattr(children, "run_python", lambda *_, **__: failed)
        with pytest.raises(StoreBroken, match=r"could not be checked: ModuleNotFoundError.*Nothing was changed"):
            memory.count()
    assert sorted(file.name for file in path.iterdir()) == before
    assert contents_by_id(memory) == there
    memory.close()


WRITING = """
    import sys
    from pathlib import Path
    from ana.time.clock import Clock
    from tests.chroma import open_memory
    from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY

    memory = open_memory(Path(sys.argv[1]), EMBEDDER, Clock(BERLIN, lambda: WEDNESDAY))
    for text in ("before", "after"):
        memory.create(text)
        print(text, flush=True)
        sys.stdin.readline()
    memory.close()
"""


def test_who_has_a_store_open_that_another_program_rebuilds_writes_into_the_new_one(
    tmp_path: Path, clock: Clock
) -> None:
    with start_forked("-c", WRITING, str(tmp_path)) as (_, stdin, stdout):
        assert stdout.readline() == "before\n"
        memory = open_memory(tmp_path, EMBEDDER, clock)
        upkeep_of(memory).repair(Findings(store=["It is damaged."]))
        memory.close()
        print(file=stdin, flush=True)
        assert stdout.readline() == "after\n"
    memory = open_memory(tmp_path, EMBEDDER, clock)
    assert sorted(contents_by_id(memory).values()) == ["after", "before"]
    memory.close()
