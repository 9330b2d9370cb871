"""An unfinished act is settled: all of it or none, and later changes stay."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.acts import Journal
from ana.memory.changes import Cause, Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.undo import undo
from tests.chroma import chroma_of

STAMP = "2026-01-07T08:00:00.000000+00:00"


class Killed(BaseException):
    """Where the process ends."""


def batch(memory: Memory) -> list[Change]:
    """A change of each kind: one more item, one changed, one deleted, one line less."""
    kept, gone = (memory.create(text, {"n": 1}).after for text in ("kept", "gone"))
    line = memory.append_line("Prefers tea").after
    assert kept
    assert gone
    assert line
    return [
        Change("item", "newaaaaa", None, Item("newaaaaa", "new", {"a": 1}, STAMP, STAMP)),
        Change("item", kept.id, kept, replace(kept, content="changed", properties={"m": 2})),
        Change("item", gone.id, gone, None),
        Change("line", line.id, line, None),
    ]


def state(memory: Memory) -> tuple[dict[str, str], dict[int, str], list[str]]:
    with chroma_of(memory).folder.hold():
        chroma_of(memory).acts.settle()
    told = [f"{entry.change.op} {entry.turn}" for entry in memory.history()]
    return {item.id: item.content for item in memory.items()}, memory.lines(), told


def kill_after(memory: Memory, parts: int, changes: Sequence[Change], patch: pytest.MonkeyPatch) -> None:
    """Make an act in a process that ends after so many parts of it, before the journal says done."""

    def apply(wanted: Sequence[Change], *_: Any) -> None:
        done(list(wanted)[:parts])
        raise Killed

    done = chroma_of(memory).acts._write
    with patch.context() as patched:
        patched.setattr(chroma_of(memory).acts, "_write", apply)
        with pytest.raises(Killed):
            memory.put_back(changes, Cause("", "", "act"))
    memory.close()


@pytest.mark.parametrize("parts", [0, 1, 2, 3])
def test_an_act_cut_short_is_put_back(memory: Memory, parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = batch(memory)
    before = state(memory)
    kill_after(memory, parts, changes, monkeypatch)
    assert state(memory) == before
    memory.create("later")
    assert not chroma_of(memory).journal.list_unfinished()
    assert [entry.seq for entry in reversed(memory.history())] == [1, 2, 3, 4]


def test_entries_are_numbered_as_they_are_done_and_acts_as_they_begin(tmp_path: Path) -> None:
    def change(turn: str) -> Change:
        return Change("item", "a", None, Item("a", turn, {}, STAMP, STAMP))

    def begin(turn: str) -> int:
        return journal.begin([Entry(STAMP, "", turn, change(turn)), Entry(STAMP, "", turn, change(turn))])

    journal = Journal(tmp_path / "journal.sqlite")
    journal.finish(begin("first"))
    open_, dropped, second = begin("open"), begin("dropped"), begin("second")
    journal.finish(second)
    assert journal.was_changed_after(change("open"), open_)
    journal.drop(dropped)
    third = begin("third")
    assert open_ < dropped < second < third
    journal.finish(open_)
    journal.finish(third)
    assert not journal.was_changed_after(change("third"), third)
    assert not journal.list_unfinished()
    told = [(entry.seq, entry.turn) for entry in reversed(journal.entries())]
    assert told == list(enumerate(["first"] * 2 + ["second"] * 2 + ["open"] * 2 + ["third"] * 2, 1))
    journal.close()


def test_an_act_cut_short_after_its_last_write_is_done(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = batch(memory)
    kill_after(memory, 4, changes, monkeypatch)
    items, lines, told = state(memory)
    assert sorted(items.values()) == ["changed", "new"]
    assert lines == {}
    assert told[:4] == ["delete act", "delete act", "update act", "create act"]
    undo(memory, "act")
    assert sorted(item.content for item in memory.items()) == ["gone", "kept"]


def test_an_act_that_was_not_done_is_not_done_over_what_came_later(memory: Memory) -> None:
    item = memory.create("first").after
    assert item
    change = Change("item", item.id, item, replace(item, content="second"))
    act = chroma_of(memory).journal.begin([Entry(STAMP, "", "act", change)])
    chroma_of(memory).journal.finish(act)
    memory.update(item.id, "third")
    chroma_of(memory).journal.begin([Entry(STAMP, "", "older", change)])
    chroma_of(memory).journal._open().execute("UPDATE writes SET act = 1 WHERE turn = 'older'")
    memory.create("other")
    assert memory.get(item.id).content == "third"
    assert "older" not in memory.turns()


def test_a_failed_act_leaves_its_call_free_to_be_run_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    call = Cause("thread/message/0", "thread", "turn")
    with monkeypatch.context() as patched:
        patched.setattr(chroma_of(memory).acts, "_write", lambda *_: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            memory.create("Buy milk", {}, call)
    made = memory.create("Buy milk", {}, call)
    assert memory.create("Buy milk", {}, call) == made
    assert len(memory.history()) == memory.count() == 1


def test_acts_that_stay_open_get_into_nobodys_way(tmp_path: Path) -> None:
    """Processes that are killed again and again leave several open, which are finished or dropped in any order."""
    journal = Journal(tmp_path / "journal.sqlite")
    chosen = random.Random(7)
    done, open_ = 0, list[int]()
    for n in range(300):
        entries = [
            Entry(STAMP, "", f"t{n}", Change("item", f"i{n}", None, Item(f"i{n}", "x", {}, STAMP, STAMP)))
            for _ in range(chosen.randint(1, 4))
        ]
        open_.append(journal.begin(entries))
        for act in chosen.sample(open_, chosen.randint(0, min(2, len(open_)))):
            open_.remove(act)
            if chosen.random() < 0.7:
                done += len(journal.list_unfinished()[act])
                journal.finish(act)
            else:
                journal.drop(act)
        if n % 50 == 0:
            journal.close()
    assert [entry.seq for entry in reversed(journal.entries())] == [*range(1, done + 1)]
    assert sorted(journal.list_unfinished()) == sorted(open_)
    journal.close()


def test_an_act_that_an_earlier_version_left_open_is_finished_after_what_was_done(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    first, second = (
        journal.begin([Entry(STAMP, "", turn, Change("item", turn, None, Item(turn, "x", {}, STAMP, STAMP)))])
        for turn in ("a", "b")
    )
    with journal._open() as db:
        db.execute("UPDATE writes SET seq = act")
        db.execute("DELETE FROM counters")
    journal.close()
    journal.finish(second)
    assert journal.begin([Entry(STAMP, "", "c", Change("item", "c", None, Item("c", "x", {}, STAMP, STAMP)))]) > second
    journal.finish(first)
    assert [(entry.seq, entry.turn) for entry in reversed(journal.entries())] == [(1, "b"), (2, "a")]
    journal.close()
