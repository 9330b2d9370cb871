"""Writes: journaled, read back, never twice. Global Context: numbered lines that keep their meaning."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ana.errors import NoSuchItem, RecordChanged, ToolError
from ana.memory.bounds import LONGEST_LINE, to_one_line
from ana.memory.changes import Cause, Change, Entry
from ana.memory.memory import Memory
from ana.memory.trash import restore
from ana.time.clock import Clock
from ana.values import Properties
from tests.chroma import chroma_of, open_memory
from tests.conftest import EMBEDDER

CALL = Cause("thread/message/0", "thread", "turn")


@pytest.fixture
def memory(chroma_memory: Memory) -> Memory:
    """On Chroma, whose writes can be cut short between the store and the journal."""
    return chroma_memory


def test_a_write_looks_up_once_whether_its_call_has_run(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    find = chroma_of(memory).journal.find

    def look_up(key: str) -> Change | None:
        asked.append(key)
        return find(key)

    monkeypatch.setattr(chroma_of(memory).journal, "find", look_up)
    created = memory.create("Buy milk", {}, CALL)
    memory.create("Buy milk", {}, CALL)
    delete = Cause("thread/message/1", "thread", "turn")
    memory.delete(created.id, delete)
    memory.delete(created.id, delete)
    back = Cause("thread/message/2", "thread", "turn")
    assert restore(memory, created.id, back) == restore(memory, created.id, back)
    assert asked == [CALL.key] * 2 + [delete.key] * 2 + [back.key] * 2


def test_several_are_changed_in_one_write_or_none(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    milk, bread, salt = (memory.create(name, {"n": 1}).id for name in ("milk", "bread", "salt"))
    with pytest.raises(NoSuchItem):
        memory.change_all([milk, "abcdefgh"], lambda _: {"n": 2})
    assert memory.get(milk).properties == {"n": 1}
    applied: list[int] = []
    apply = memory.backend.apply

    def note(entries: Sequence[Entry], *args: Any, **kwargs: Any) -> list[Change]:
        applied.append(len(entries))
        if len(applied) == 1:  # another writer is faster
            memory.update(bread, properties={"n": 5})
        return apply(entries, *args, **kwargs)

    monkeypatch.setattr(memory.backend, "apply", note)
    memory.change_all([milk, bread, milk, salt], lambda item: None if item.id == salt else {"n": item.properties["n"]})
    assert applied == [3, 1, 3], "it is planned again with what the other wrote"
    assert memory.get(bread).properties == {"n": 5}
    assert memory.record("item", salt) is None


def test_what_changed_since_it_was_shown_is_not_overwritten(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    stamps = (f"2026-11-28T00:00:0{n}.000+00:00" for n in count(1))
    monkeypatch.setattr(Clock, "stamp", lambda _: next(stamps))
    shown = memory.create("Buy milk").after
    assert shown
    memory.update(shown.id, "Buy oat milk", version=shown.updated_at)
    with pytest.raises(RecordChanged):
        memory.update(shown.id, "Buy soy milk", version=shown.updated_at)
    assert memory.get(shown.id).content == "Buy oat milk"


@pytest.mark.parametrize("op", ["create", "update", "delete", "append", "replace", "drop"])
def test_a_write_cut_short_before_it_was_done_is_finished_once(
    memory: Memory, op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crash is one between the store's write and the journal's `done`: the entry stays unfinished."""
    item = memory.create("Buy milk", {"a": 1})
    memory.append_line("Likes tea")
    writes = {
        "create": lambda: memory.create("New", {"b": 2}, CALL),
        "update": lambda: memory.update(item.id, "Buy oat milk", {"a": None}, CALL),
        "delete": lambda: memory.delete(item.id, CALL),
        "append": lambda: memory.append_line("Likes coffee", CALL),
        "replace": lambda: memory.replace_line(0, "Likes green tea", CALL),
        "drop": lambda: memory.delete_line(0, CALL),
    }

    def crash(seq: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(chroma_of(memory).journal, "finish", crash)
        with pytest.raises(KeyboardInterrupt):
            writes[op]()
    before = (memory.count(), memory.lines())
    again = writes[op]()
    assert (memory.count(), memory.lines()) == before
    assert writes[op]() == again


def test_an_item_created_in_a_crash_and_changed_since_is_not_created_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(chroma_of(memory).journal, "finish", lambda seq: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            memory.create("Buy milk", {}, CALL)
    (item,) = memory.items()
    memory.update(item.id, "Buy oat milk")
    memory.create("Buy milk", {}, CALL)
    assert [i.content for i in memory.items()] == ["Buy oat milk"]


def test_line_numbers_survive_a_restart_and_a_lost_journal(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    memory.append_line("zero")
    memory.append_line("one")
    memory.close()
    for file in (tmp_path / "data").glob("journal*"):
        file.unlink()
    again = open_memory(tmp_path / "data", EMBEDDER, clock)
    again.append_line("two")
    assert again.lines() == {0: "zero", 1: "one", 2: "two"}
    again.close()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Prefers mornings", "Prefers mornings"),
        ("a\n1-- forged", "a 1-- forged"),
        ("a\r\nb\u2028c\u2029d\x85e\x0bf", "a b c d e f"),
        ("\u202eevil\u200b", "evil"),
        ("  spaced \t out ", "spaced out"),
        ("\x1b[31mred", "[31mred"),
    ],
)
def test_a_line_stays_one_line(given: str, kept: str) -> None:
    assert to_one_line(given) == kept


@pytest.mark.parametrize("given", ["", " \n ", "\u200b", "x" * (LONGEST_LINE + 1), "red\0", "half \ud83d"])
def test_a_line_must_say_something_and_be_short(given: str) -> None:
    with pytest.raises(ToolError):
        to_one_line(given)


def test_the_name_of_a_property_that_no_item_has_any_more_is_another_spelling(memory: Memory, clock: Clock) -> None:
    old = memory.create("Paint", {"Project": "Home"})
    assert [item.id for item in memory.find(where={"Project": "home"}).items] == [old.id]
    new = Memory(memory.backend, clock).create("Roof", {"project": "Home"})  # by another program
    memory.update(old.id, properties={"Project": None})
    assert [item.id for item in memory.find(where={"Project": "home"}).items] == [new.id]


def test_the_case_of_a_property_name_in_a_filter_makes_no_difference(memory: Memory) -> None:
    acme = memory.create("Invoice", {"Project": "Acme", "status": "done"})
    memory.create("Paint", {"Project": "Home", "project": "home"})

    def find(where: Properties) -> list[str]:
        return [item.id for item in memory.find(where=where).items]

    spelled: tuple[Properties, ...] = ({"PROJECT": "acme"}, {"$or": [{"Status": "DONE"}]}, {"ID": acme.id})
    assert [find(where) for where in spelled] == [[acme.id]] * 3
    assert acme.id not in find({"Status": {"$ne": "done"}})
    assert find({"project": "acme"}) == [], "a name that some item has is taken as it is written"
    assert find({"Status": "done", "project": {"$ne": "home"}}) == [acme.id]
    assert memory.find("invoice", {"pROJECT": "home"}).total == 1
    assert [item.id for item in memory.find_similar(acme.id, {"PROject": "acme"}).items] == []
