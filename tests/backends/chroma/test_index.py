"""The index may be deleted, cut short or damaged at any time, and says what Chroma says."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from importlib import resources
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from ana.backends.chroma.index import Index
from ana.backends.chroma.source import EmbeddedItem
from ana.backends.sql import dates
from ana.backends.sql.compiler import compile_filter
from ana.backends.sql.lookup import describe_rows, find_rows
from ana.memory.filters import matches, parse
from ana.memory.item import Item
from ana.time.clock import Clock
from tests.chroma import chroma_of, fill_chroma, hold_source, open_memory
from tests.conftest import BERLIN, EMBEDDER
from tests.memory.test_filters_oracle import ZONES

STAMP = "2026-01-01T00:00:00.000000+00:00"


class Shelf:
    """A source that is a list."""

    identity = "shelf"

    def __init__(self, items: Iterable[Item]) -> None:
        self.items = {item.id: item for item in items}

    def count(self) -> int:
        return len(self.items)

    def get_many(self, ids: Sequence[str]) -> list[EmbeddedItem]:
        return [EmbeddedItem(self.items[id], np.zeros(2, np.float32)) for id in ids if id in self.items]

    def iter_all(self) -> list[EmbeddedItem]:
        return self.get_many(list(self.items))


def found_ids(index: Index, shelf: Shelf, where: Any, zone: ZoneInfo) -> set[str]:
    """The ids that a filter finds by SQL."""
    tables = index.make_ready(shelf)
    tables.use_zone(zone)
    rows = find_rows(tables.db, compile_filter(parse(where, zone)))
    return {id for _, id, *_ in describe_rows(tables.db, rows.tolist())}


def matching_ids(shelf: Shelf, where: Any, zone: ZoneInfo) -> set[str]:
    """The ids that the exact test finds."""
    node = parse(where, zone)
    return {item.id for item in shelf.items.values() if matches(node, item)}


def test_the_tables_of_a_zone_without_an_iana_name_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf([Item("a", "x", {"due": "2026-01-13"}, STAMP, STAMP)])
    with resources.files("tzdata.zoneinfo.Europe").joinpath("Berlin").open("rb") as file:
        local = ZoneInfo.from_file(file, key="local")  # as tzlocal does where /etc/localtime is not a link
    filled: list[str] = []

    def fill(db: sqlite3.Connection, zone: tzinfo) -> None:
        filled.append(str(zone))
        original(db, zone)

    original = dates.fill
    monkeypatch.setattr(dates, "fill", fill)
    for _ in range(2):
        index = Index(tmp_path / "index.sqlite")
        assert found_ids(index, shelf, {"due": "2026-01-13"}, local) == {"a"}
        index.close()
    assert filled == ["local"]


def test_the_tables_are_those_of_the_last_zone(tmp_path: Path) -> None:
    shelf = Shelf([Item("a", "x", {"due": "2026-01-13T23:30Z"}, STAMP, STAMP)])
    index, other = (Index(tmp_path / "index.sqlite") for _ in range(2))
    for zone in map(ZoneInfo, (*ZONES, *ZONES)):
        for each in (index, other):
            where = {"due": "2026-01-13"}
            assert found_ids(each, shelf, where, zone) == matching_ids(shelf, where, zone)
        assert found_ids(index, shelf, where, ZoneInfo("UTC")) == {"a"}
    index.close()
    other.close()


NUMBERS = [2**63 - 1, 2**63, 2**63 + 1, -(2**63), -(2**63) - 1, 2**53, 2**53 + 1, 1e300, -1e300, 10**400, 0.1, 1e15]


@pytest.mark.parametrize("op", ["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"])
def test_numbers_beyond_64_bits_are_compared_exactly(tmp_path: Path, op: str) -> None:
    numbers = [n for n in NUMBERS if n != 10**400]
    shelf = Shelf(Item(f"i{n}", "x", {"n": value}, STAMP, STAMP) for n, value in enumerate(numbers))
    index = Index(tmp_path / "index.sqlite")
    for bound in numbers:
        where = {"n": {op: bound}}
        assert found_ids(index, shelf, where, BERLIN) == matching_ids(shelf, where, BERLIN), (op, bound)
    index.close()


def ways_to_spoil(path: Path) -> dict[str, Callable[[], object]]:
    """Ways in which an index file can be wrong."""
    return {
        "deleted": path.unlink,
        "empty": lambda: path.write_bytes(b""),
        "no database": lambda: path.write_bytes(b"not a database" * 1000),
        "cut short": lambda: path.write_bytes(path.read_bytes()[:9000]),
        "torn": lambda: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096 + path.read_bytes()[8192:]),
        "of another version": lambda: _execute(path, "PRAGMA user_version = 99", "DROP TABLE items"),
        "of another collection": lambda: _execute(path, "UPDATE meta SET value = 'x' WHERE name = 'identity'"),
        "without an item": lambda: _execute(path, "DELETE FROM items WHERE row = 1"),
    }


def _execute(path: Path, *statements: str) -> None:
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


@pytest.mark.parametrize("how", sorted(ways_to_spoil(Path())))
def test_a_spoiled_index_is_rebuilt(tmp_path: Path, clock: Clock, how: str) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    ids = [memory.create(f"thing {word}", {"n": n}).id for n, word in enumerate(("one", "two", "three"))]
    memory.close()
    ways_to_spoil(tmp_path / "items.index.sqlite")[how]()
    memory = open_memory(tmp_path, EMBEDDER, clock)
    assert {item.id for item in memory.find(where={"n": {"$gte": 1}}).items} == set(ids[1:])
    assert memory.find('"thing two"', limit=1).items[0].id == ids[1]
    memory.close()


def test_an_index_deleted_under_an_open_one_misleads_nobody(tmp_path: Path, clock: Clock) -> None:
    one, other = (open_memory(tmp_path, EMBEDDER, clock) for _ in range(2))
    first = one.create("the first thing").id
    for path in tmp_path.glob("items.index.sqlite*"):
        path.unlink()
    second = other.create("the second thing").id
    assert {item.id for item in one.find("thing").items} == {first, second}
    third = one.create("the third thing").id
    assert other.find('"third thing"', limit=1).items[0].id == third
    assert other.find(where={"id": {"$in": [first, second, third]}}).total == 3
    for memory in (one, other):
        memory.close()


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize("op", ["create", "update", "delete"])
def test_a_write_cut_short_is_settled_by_what_chroma_holds(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, op: str, reached: bool
) -> None:
    """The index is written first; whether Chroma was reached or not, the next process finds the two at one."""
    memory = open_memory(tmp_path, EMBEDDER, clock)
    old = memory.create("the old thing", {"n": 1})
    with hold_source(memory) as source:
        pass  # it stays the same object until Chroma is opened again

    def dying(real: Callable[..., None]) -> Callable[..., None]:
        def call(*args: Any) -> None:
            if reached:
                real(*args)
            raise Killed

        return call

    for name in ("write", "delete"):
        monkeypatch.setattr(source, name, dying(getattr(source, name)))
    writes: dict[str, Callable[[], Any]] = {
        "create": lambda: memory.create("the new thing", {"n": 2}),
        "update": lambda: memory.update(old.id, "the new thing", {"n": 2}),
        "delete": lambda: memory.delete(old.id),
    }
    with pytest.raises(Killed):
        writes[op]()
    for again in (memory, open_memory(tmp_path, EMBEDDER, clock)):
        there = {item.id: item for item in again.items()}
        for query in (again.find(), again.find("thing"), again.find(where={"n": {"$in": [1, 2]}})):
            assert {item.id: item for item in query.items} == there
            assert query.total == len(there)
        again.close()


def test_many_changes_leave_the_words_as_a_new_index_has_them(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path, EMBEDDER, clock)
    fill_chroma(memory, [Item(f"a{n}", f"old number {n}", {"n": n}, STAMP, STAMP) for n in range(300)])
    memory.find("number")
    for n in range(0, 300, 6):
        memory.update(f"a{n}", f"new number {n}")
        memory.delete(f"a{n + 1}")
    asked = ["new number 30", "old number 32", "number", "new"]
    before = [[(i.id, i.content) for i in memory.find(text, limit=20).items] for text in asked]
    chroma_of(memory).collections["item"].index.discard()
    after = [[(i.id, i.content) for i in memory.find(text, limit=20).items] for text in asked]
    assert before == after
    memory.close()


def test_count_and_lines_need_no_chroma_and_follow_other_writers(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chromadb.api.rust import RustBindingsAPI

    one, other = (open_memory(tmp_path, EMBEDDER, clock) for _ in range(2))
    for writer in (one, other):
        writer.append_line("Likes tea")
        writer.create("Buy tea")
    assert [memory.count() for memory in (one, other)] == [2, 2]
    assert [list(memory.lines().values()) for memory in (other, one)] == [["Likes tea", "Likes tea"]] * 2
    for name in ("_count", "_get"):
        monkeypatch.delattr(RustBindingsAPI, name)
    assert (one.count(), len(one.lines())) == (2, 2)
    for memory in (one, other):
        memory.close()
