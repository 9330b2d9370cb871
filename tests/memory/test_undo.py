"""Turns are undone completely, in any order, and an undo can be undone."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, multiple, rule

from ana.backends.in_memory import InMemoryBackend
from ana.errors import UserError
from ana.memory.changes import Cause, Change
from ana.memory.memory import Memory
from ana.memory.undo import find_undoable, undo
from ana.time.clock import Clock
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.examples import examples


def cause(turn: str, n: int = 0) -> Cause:
    return Cause(f"{turn}/{n}", "thread", turn)


def test_a_write_between_the_look_and_the_undo_is_a_conflict(
    memory: Memory, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = memory.create("one", {}, cause("t0")).id
    memory.update(item, "two", None, cause("t1"))
    other = Memory(memory.backend, clock)
    put_back = memory.put_back

    def meddle(changes: Sequence[Change], by: Cause) -> None:
        other.update(item, "three")
        put_back(changes, by)

    monkeypatch.setattr(memory, "put_back", meddle)
    assert len(undo(memory, "t1").conflicts) == 1
    assert memory.get(item).content == "three"


def test_a_turn_that_came_to_nothing_is_not_in_the_way(memory: Memory) -> None:
    memory.create("one", {}, cause("t0"))
    gone = memory.create("two", {}, cause("t1")).id
    memory.delete(gone, cause("t1", 1))
    assert find_undoable(memory) == "t0"


def test_what_was_changed_between_two_writes_of_a_turn_is_a_conflict(memory: Memory) -> None:
    item = memory.create("one", {}, cause("t0")).id
    memory.update(item, "two", None, cause("t1"))
    memory.update(item, "by hand")
    memory.update(item, "three", None, cause("t1", 1))
    done = undo(memory, "t1")
    assert (done.changes, len(done.conflicts)) == ([], 1)
    assert memory.get(item).content == "three"
    undo(memory, "t1", override=done.conflicts)
    assert memory.get(item).content == "one"


def test_only_conflicts_that_were_shown_are_overridden(memory: Memory) -> None:
    one, two = (memory.create(text, {}, cause("t0", n)).id for n, text in enumerate(("one", "two")))
    memory.update(one, "one more")
    shown = undo(memory, "t0").conflicts
    memory.update(two, "two more")
    assert undo(memory, "t0", override=shown).changes == []
    assert memory.count() == 2


def test_many_undone_turns_are_skipped_at_once(memory: Memory) -> None:
    memory.create("first", {}, cause("t"))
    name = "t"
    for _ in range(30):  # taken back, and that taken back, and so on
        name = undo(memory, name).name
    assert find_undoable(memory) == "t"


class UndoMachine(RuleBasedStateMachine):
    """Random turns of random writes, taken back in any order, against a dictionary and a list of what each turn did."""

    turns: Bundle[str] = Bundle("turns")

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.memory = Memory(InMemoryBackend(EMBEDDER), Clock(BERLIN, lambda: WEDNESDAY))
        self.state: dict[str, str] = {}
        self.did: dict[str, dict[str, tuple[str | None, str | None]]] = {}
        self.count = 0

    @rule(target=turns, data=st.data(), writes=st.integers(1, 4))
    def turn(self, data: st.DataObject, writes: int) -> str:
        name = f"t{len(self.did)}"
        did: dict[str, tuple[str | None, str | None]] = {}
        for n in range(writes):
            ids = sorted(self.state)
            op = data.draw(st.sampled_from(["create", "update", "delete"] if ids else ["create"]))
            self.count += 1
            text = f"text {self.count}"
            new = self.memory.create(text, {}, cause(name, n)).id if op == "create" else None
            id = new or data.draw(st.sampled_from(ids))
            before = self.state.get(id)
            if op == "update":
                self.memory.update(id, text, None, cause(name, n))
            if op == "delete":
                self.memory.delete(id, cause(name, n))
                del self.state[id]
            else:
                self.state[id] = text
            did[id] = (did[id][0] if id in did else before, self.state.get(id))
        self.did[name] = {id: span for id, span in did.items() if span[0] != span[1]}
        return name

    @rule(target=turns, name=turns, override=st.booleans())
    def take_back(self, name: str, override: bool) -> Any:
        spans = self.did[name]
        clear = all(self.state.get(id) in span for id, span in spans.items())
        try:
            done = undo(self.memory, name, override=override)
        except UserError:
            return multiple()
        assert (done.conflicts == []) == clear
        if not clear and not override:
            return multiple()
        new: dict[str, tuple[str | None, str | None]] = {}
        for id, (before, _) in spans.items():
            now = self.state.get(id)
            if now != before:
                new[id] = (now, before)
                if before is None:
                    del self.state[id]
                else:
                    self.state[id] = before
        if not new:
            return multiple()
        taken = self.memory.history()[0].turn
        self.did[taken] = new
        return taken

    @invariant()
    def is_as_the_model_says(self) -> None:
        assert {item.id: item.content for item in self.memory.items()} == self.state

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()


UndoMachine.TestCase.settings = settings(max_examples=examples(12), stateful_step_count=12)
TestUndoing = UndoMachine.TestCase
