"""A folder that an earlier version has ruined: one record with more properties than Chroma can enter."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ana.backends.chroma import metadata, source
from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.examine import examine
from ana.backends.chroma.care.probe import find_fault
from ana.errors import StoreBroken
from ana.memory.changes import Change, Entry
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.memory.trash import list_deleted
from ana.memory.undo import undo
from ana.time.clock import Clock
from ana.transfer.exporter import export_lines
from ana.values import Properties
from tests.archive.places import back_up
from tests.chroma import chroma_of, hold_source, open_memory, upkeep_of
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY

STAMP = "2026-01-07T08:00:00.000000+00:00"
FEW = Item("aaaaaaaa", "Buy milk", {"type": "task"}, STAMP, STAMP)
LARGE = Item("bbbbbbbb", "many", {f"p{n}": n for n in range(metadata.MOST_NAMES + 1)}, STAMP, STAMP)
RUINOUS = Item("bbbbbbbb", "many", {f"p{n}": n for n in range(5500)}, STAMP, STAMP)


def as_an_earlier_version(patch: pytest.MonkeyPatch) -> None:
    """Let every property have its flat copy in Chroma."""
    patch.setattr(metadata, "MOST_NAMES", 10**6)


def entry(before: Item | None, after: Item | None, turn: str) -> Entry:
    id = (before or after or FEW).id
    return Entry(STAMP, "", turn, Change("item", id, before, after), f"key of {turn}")


def ruin(path: Path, *states: Item) -> None:
    """Write a folder with an item, and with another in these states, the last of which Chroma never enters."""
    with pytest.MonkeyPatch.context() as patch:
        as_an_earlier_version(patch)
        backend = ChromaBackend(path, EMBEDDER)
        backend.apply([entry(None, FEW, "first")])
        for before, after in zip((None, *states), states, strict=False):
            if after is states[-1]:
                with pytest.raises(StoreBroken, match="Failed to apply logs"):
                    backend.apply([entry(before, after, f"turn {len(after.properties)}")])
            else:
                backend.apply([entry(before, after, f"turn {len(after.properties)}")])
        backend.close()
    assert find_fault(path / "chroma") is not None


@pytest.fixture(scope="module")
def created(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that a new item has ruined."""
    path = tmp_path_factory.mktemp("created") / "data"
    ruin(path, RUINOUS)
    return path


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that an update has ruined, with which an item got too large."""
    path = tmp_path_factory.mktemp("updated") / "data"
    ruin(path, LARGE, RUINOUS)
    return path


@pytest.fixture(params=["created", "updated"])
def ruined(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return shutil.copytree(request.getfixturevalue(request.param), tmp_path / "data")


def open_again(path: Path) -> Memory:
    return open_memory(path, EMBEDDER, Clock(BERLIN, lambda: WEDNESDAY))


USES: dict[str, Callable[[Memory], object]] = {
    "items": lambda memory: list(memory.items()),
    "find": lambda memory: memory.find("milk"),
    "history": lambda memory: memory.history(),
    "trash": list_deleted,
    "describe": lambda memory: upkeep_of(memory).describe(),
    "export": lambda memory: list(export_lines(memory.backend)),
    "backup": lambda memory: back_up(memory, chroma_of(memory).path.with_name("b.zip")),
    "undo": lambda memory: undo(memory, "first"),
    "create": lambda memory: memory.create("more", {"type": "note"}),
    "purge": lambda memory: memory.backend.erase([]),
    "reindex": lambda memory: upkeep_of(memory).reindex(lambda *_: None),
}


@pytest.mark.filterwarnings("ignore:legacy embedding function config")  # Chroma's own, of its own description
@pytest.mark.parametrize("use", USES)
def test_every_use_of_it_works_and_nothing_is_lost(created: Path, tmp_path: Path, use: str) -> None:
    memory = open_again(shutil.copytree(created, ruined := tmp_path / "data"))
    USES[use](memory)
    assert memory.get(RUINOUS.id) == RUINOUS, "what Chroma had taken, and could not enter, is made again"
    assert use == "undo" or memory.get(FEW.id) == FEW
    assert memory.history(id=RUINOUS.id)[0].change.after == RUINOUS
    assert examine(chroma_of(memory)).is_sound
    memory.close()
    assert open_again(ruined).get(RUINOUS.id) == RUINOUS


def test_what_only_chroma_knows_is_kept(created: Path, tmp_path: Path) -> None:
    shutil.copytree(created, ruined := tmp_path / "data")
    with closing(sqlite3.connect(ruined / "journal.sqlite")) as db, db:
        db.execute("DELETE FROM writes WHERE id = ?", [FEW.id])
    (ruined / "items.index.sqlite").unlink(missing_ok=True)
    memory = open_again(ruined)
    assert memory.get(FEW.id) == FEW
    assert memory.get(RUINOUS.id) == RUINOUS
    memory.close()


def test_a_repair_finds_it_names_it_and_mends_it(ruined: Path) -> None:
    memory = open_again(ruined)
    found = examine(chroma_of(memory))
    assert "Failed to apply logs" in found.store[0]
    upkeep_of(memory).repair(found)
    assert examine(chroma_of(memory)).is_sound
    assert memory.get(RUINOUS.id) == RUINOUS
    undo(memory, memory.history(id=RUINOUS.id)[0].turn)
    undo(memory, memory.history(id=RUINOUS.id)[0].turn)
    assert memory.get(RUINOUS.id) == RUINOUS
    memory.close()


def test_what_chroma_refuses_for_good_is_set_aside_and_named(
    created: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As if no form were known in which it can be stored, and the journal had it as done."""
    shutil.copytree(created, ruined := tmp_path / "data")
    as_an_earlier_version(monkeypatch)
    with sqlite3.connect(ruined / "journal.sqlite") as db:
        db.execute("UPDATE writes SET done = 1")
    db.close()
    said: list[str] = []
    memory = open_memory(ruined, EMBEDDER, Clock(BERLIN, lambda: WEDNESDAY), tell=said.append)
    assert memory.get(FEW.id) == FEW
    (told,) = [line for line in said if line.startswith("Chroma refuses")]
    assert told.startswith(f"Chroma refuses the item {RUINOUS.id}, “many”. It is kept in {ruined}/set-aside/")
    (file,) = ruined.glob("set-aside/*/refused.jsonl")
    assert json.loads(file.read_text())["properties"] == RUINOUS.properties
    assert memory.history(id=RUINOUS.id)[0].change.after == RUINOUS
    assert any(change.id == RUINOUS.id for change in examine(chroma_of(memory)).journal)
    exported = [json.loads(line) for line in export_lines(memory.backend)]
    assert to_json(RUINOUS) in [line["change"]["after"] for line in exported if "change" in line]
    assert memory.create("more").after
    upkeep_of(memory).repair(examine(chroma_of(memory)))
    assert [change.id for change in examine(chroma_of(memory)).journal] == [RUINOUS.id]
    assert memory.get(FEW.id) == FEW
    monkeypatch.undo()
    upkeep_of(memory).repair(examine(chroma_of(memory)))
    assert memory.get(RUINOUS.id) == RUINOUS, "in a form in which it can be stored, a repair brings it back"
    memory.close()


def test_a_collection_has_room_for_so_many_names_and_no_more(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "MOST_NAMES", 6)
    for n in range(10):
        properties: Properties = {f"name {n}": n, "type": "task", "due_date": "2026-01-13"}
        id = memory.create(f"item {n}", properties).id
        memory.update(id, properties={"late": True, "type": None})
        assert memory.get(id).properties == {f"name {n}": n, "due_date": "2026-01-13", "late": True}
    with hold_source(memory) as opened:
        assert len(source.read_names(opened.chroma._collection)) <= 7
        raw = opened.chroma.get(ids=[id])["metadatas"][0]
    assert raw.keys() <= {"ana:item", "due_date", "ana:date:due_date", "late", "name 0"}
    assert examine(chroma_of(memory)).is_sound
