"""The original agent-native-app's folder is read completely and not changed."""

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ana.errors import UserError
from ana.time.clock import Clock
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.agent_native import read
from ana.values import DELIMITER
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER
from tests.transfer.foreign.conftest import Left, Rows, open_theirs, vectors

MADE, CHANGED = "2026-01-05T09:00:00.123456+00:00", "2026-01-06T10:30:00.000000+00:00"
STAMPS = {"created_at": MADE, "updated_at": CHANGED}
TASK = f"Review the report{DELIMITER}type: task\nstatus: active\ndue date: Tuesday January 13 2026"
ITEMS: Rows = {
    "7d9f": (TASK, {"type": "task", "status": "active", "due_date": "2026-01-13", **STAMPS}),
    "51ab": ("An idea", {"count": 2, "share": 0.5, "done": True, **STAMPS}),
    "00cd": (f"An old one{DELIMITER}type: note", {"type": "note", **STAMPS}),
}
CONTEXT: Rows = {
    "global_context": (
        f"Prefers tea\n\n  Works  in\tBerlin \nNot on\u2028Fridays{DELIMITER}item type: global_context",
        {"item_type": "global_context", **STAMPS},
    )
}


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(folder.rglob("*")) if p.is_file()}


def test_items_and_context_are_read_and_nothing_is_changed(leave: Left) -> None:
    folder = leave(items=ITEMS, global_context=CONTEXT)
    before = snapshot(folder)
    brought = read(folder, BERLIN)
    assert [(item.content, item.properties) for item in brought.items] == [
        ("Review the report", {"type": "task", "status": "active", "due_date": "2026-01-13"}),
        ("An idea", {"count": 2, "share": 0.5, "done": True}),
        ("An old one", {"type": "note"}),
    ]
    assert {(item.created_at, item.updated_at) for item in brought.items} == {(MADE, CHANGED)}
    assert [len(item.id) for item in brought.items] == [8, 8, 8]
    assert brought.texts == ["Prefers tea", "Works in Berlin", "Not on Fridays"]
    assert snapshot(folder) == before
    assert read(folder, BERLIN) == brought


def test_either_collection_may_be_missing(leave: Left, tmp_path: Path) -> None:
    context = read(leave(tmp_path / "a", global_context=CONTEXT), BERLIN)
    items = read(leave(tmp_path / "b", items=ITEMS), BERLIN)
    assert (len(context.items), len(context.texts)) == (0, 3)
    assert (len(items.items), len(items.texts)) == (3, 0)
    assert read(leave(tmp_path / "c", items={}, global_context={}), BERLIN) == Bundle()


def test_other_collections_are_left_out_and_said(leave: Left) -> None:
    folder = leave(items=ITEMS, recipes={"x": ("Soup", {"a": 1})}, empty={})
    assert read(folder, BERLIN).notes == ["Left out: collections that are not of that program (1): “recipes”."]


def test_vectors_may_be_damaged_or_gone(leave: Left) -> None:
    folder = leave(items=ITEMS)
    brought = read(folder, BERLIN)
    damaged = [path for path in folder.rglob("*") if path.is_file() and path.name != "chroma.sqlite3"]
    assert damaged
    for path in damaged:
        path.write_bytes(os.urandom(100))
    assert read(folder, BERLIN) == brought
    for path in damaged:
        path.unlink()
    assert read(folder, BERLIN) == brought


def test_stamps_may_be_missing_or_odd(leave: Left) -> None:
    naive, zoned = {"created_at": "2026-01-05T09:00:00"}, {"updated_at": "2026-01-05T09:00:00+01:00"}
    odd = {"created_at": "yesterday", "updated_at": 5}
    folder = leave(
        items={"a": ("a", naive), "b": ("b", zoned), "c": ("c", odd), "d": ("d", None), "e": (None, {"x": 1})}
    )
    os.utime(folder / "chroma.sqlite3", (0, datetime(2026, 2, 3, tzinfo=UTC).timestamp()))
    items = read(folder, BERLIN).items
    age = "2026-02-03T00:00:00.000000+00:00"
    stamps = ["2026-01-05T09:00:00.000000+00:00", "2026-01-05T08:00:00.000000+00:00", age, age, age]
    assert [item.created_at for item in items] == [item.updated_at for item in items] == stamps
    assert [item.content for item in items] == ["a", "b", "c", "d", ""]


def test_content_may_be_long_and_odd(leave: Left) -> None:
    contents = ["x" * 1_000_000, f"kept{DELIMITER}as prose", "☕\r\n\x01 end", ""]
    rows: Rows = {str(n): (content, {"type": "note"}) for n, content in enumerate(contents)}
    assert [item.content for item in read(leave(items=rows), BERLIN).items] == contents


def test_many_items_are_read_in_their_order(leave: Left) -> None:
    folder = leave(items={"first": ("first", None)})
    ids = [f"n{n}" for n in range(1500)]
    with open_theirs(folder) as client:
        client.get_collection("items").add(ids, vectors(len(ids)), documents=ids)
    assert [item.content for item in read(folder, BERLIN).items] == ["first", *ids]


def test_a_folder_of_ours_is_not_theirs(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    memory.create("ours")
    memory.close()
    with pytest.raises(UserError, match=r"is a folder of ana itself\."):
        read(tmp_path / "data" / "chroma", BERLIN)


def test_what_is_no_such_folder_is_refused_in_a_sentence(leave: Left, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no chroma\.sqlite3"):
        read(tmp_path, BERLIN)
    with pytest.raises(UserError, match="neither of the collections items and global_context"):
        read(leave(others={"a": ("a", None)}), BERLIN)


@pytest.mark.parametrize("spoil", ["empty", "cut", "noise", "pages", "text"])
def test_a_damaged_database_is_refused_in_a_sentence(leave: Left, spoil: str) -> None:
    """Chroma itself ends the process on some of these."""
    database = leave(items=ITEMS) / "chroma.sqlite3"
    whole = database.read_bytes()
    if spoil == "text":
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE embedding_metadata SET string_value = CAST(x'ff41' AS TEXT) WHERE key = 'type'")
        connection.close()
    else:
        spoiled = {
            "empty": b"",
            "cut": whole[: len(whole) // 2],
            "noise": os.urandom(5000),
            "pages": whole[:4096] + os.urandom(len(whole) - 4096),
        }
        database.write_bytes(spoiled[spoil])
    with pytest.raises(UserError) as error:
        read(database.parent, BERLIN)
    assert str(database.parent) in error.value.message
    assert error.value.hint
