"""Everything out and in again: the same bytes, once, all of it or none."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ana.backends.chroma.source import ChromaSource
from ana.backends.in_memory import InMemoryBackend
from ana.errors import StoreBroken, UserError
from ana.memory.changes import Cause, Change, Entry
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.trash import list_deleted, restore
from ana.memory.undo import undo
from ana.time.clock import Clock
from ana.transfer.bundle import Bundle, is_export, read_export
from ana.transfer.exporter import export_lines
from ana.transfer.importer import import_bundle
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.examples import examples

STAMP = "2026-01-07T08:00:00.000000+00:00"


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    memory = Memory(InMemoryBackend(EMBEDDER), clock)
    yield memory
    memory.close()


def export(memory: Memory, path: Path) -> Path:
    path.write_bytes(b"".join(export_lines(memory.backend)))
    return path


def fill_with_history(memory: Memory) -> None:
    """A little of everything."""
    memory.create("Buy milk", {"type": "task", "due_date": "2026-01-08"}, Cause("thread/a/0", "thread", "t0"))
    gone = memory.create("Old", {"n": [1, None, {"a": "ü"}]}, Cause("thread/b/0", "thread", "t1")).id
    memory.create("odd text\u2028\n---ANA_PROPS---\nx: y", {"größe": "\x01", "none": None})
    for text in ("Prefers tea", "Lives in Köln", "Has a dog"):
        memory.append_line(text, Cause(f"thread/{text}", "thread", "t2"))
    memory.update(gone, "Older", {"n": None})
    memory.delete(gone)
    memory.delete_line(2)
    undo(memory, "t0")
    memory.create("Late", {"z": 1, "a": 2.5})


def test_others_write_while_an_export_is_taken(memory: Memory) -> None:
    fill_with_history(memory)
    whole, lines = list(export_lines(memory.backend)), export_lines(memory.backend)
    first = next(lines)
    writer = threading.Thread(target=lambda: memory.create("meanwhile"))
    writer.start()
    writer.join()
    assert [first, *lines] == whole
    assert "meanwhile" in {item.content for item in memory.items()}


def test_export_import_export_gives_the_same_bytes(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill_with_history(memory)
    silent = Item("fromfill", "never journaled", {}, STAMP, STAMP)
    memory.backend.apply([Entry(STAMP, "", "silent", Change("item", silent.id, None, silent))])
    memory.backend.erase([("item", silent.id)])
    first = export(memory, tmp_path / "first.jsonl")
    done = import_bundle(other, read_export(first))
    assert (done.new, done.unchanged, done.conflicting) == (5, 0, [])
    assert export(other, tmp_path / "second.jsonl").read_bytes() == first.read_bytes()
    assert {i.id: i for i in other.items()} == {i.id: i for i in memory.items()}
    assert other.append_line("New").id == "3", "the number of a deleted line is not used again"
    (gone,) = [each.item.id for each in list_deleted(other) if each.item.content == "Older"]
    assert restore(other, gone).after
    assert export(memory, tmp_path / "again.jsonl").read_bytes() == first.read_bytes()


def test_what_was_imported_is_not_imported_twice(memory: Memory, other: Memory, tmp_path: Path) -> None:
    fill_with_history(memory)
    first = read_export(export(memory, tmp_path / "first.jsonl"))
    import_bundle(other, first)
    there = export(other, tmp_path / "second.jsonl").read_bytes()
    again = import_bundle(other, read_export(tmp_path / "first.jsonl"))
    assert (again.new, again.unchanged, again.conflicting, again.turn) == (0, 4, [], "")
    assert export(other, tmp_path / "second.jsonl").read_bytes() == there
    same_call = Cause("thread/Prefers tea", "thread", "t2")
    assert other.append_line("Prefers tea", same_call).id == "0", "a call that was run there is not run again here"


def test_a_different_record_here_is_kept_unless_replaced(memory: Memory, tmp_path: Path) -> None:
    kept, gone = (memory.create(text).id for text in ("one", "two"))
    first = export(memory, tmp_path / "first.jsonl")
    memory.update(kept, "one and more")
    memory.delete(gone)
    done = import_bundle(memory, read_export(first))
    assert sorted(done.conflicting) == sorted([kept, gone])
    assert [item.content for item in memory.items()] == ["one and more"]
    done = import_bundle(memory, read_export(first), replace=True)
    assert sorted(item.content for item in memory.items()) == ["one", "two"]
    undo(memory, done.turn)
    assert [item.content for item in memory.items()] == ["one and more"]


def test_a_failed_import_leaves_nothing(chroma_memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = chroma_memory
    memory.create("mine")
    items = [Item(f"new{n:05}", f"text {n}", {}, STAMP, STAMP) for n in range(7)]
    monkeypatch.setattr("ana.backends.chroma.collection.BATCH", 3)
    write, written = ChromaSource.write, []

    def fail_late(self: ChromaSource, *args: Any) -> None:
        written.append(args)
        if len(written) == 3:
            raise OSError("No space left on device")
        write(self, *args)

    with monkeypatch.context() as patched:
        patched.setattr(ChromaSource, "write", fail_late)
        with pytest.raises(StoreBroken):
            import_bundle(memory, Bundle(items=items))
    memory.close()
    assert [item.content for item in memory.items()] == ["mine"]
    assert len(memory.history()) == 1
    assert import_bundle(memory, Bundle(items=items)).new == 7


def test_a_number_that_was_planned_is_taken_by_nobody_else(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    apply = memory.backend.apply

    def meddle(entries: list[Entry], *more: Any, **options: Any) -> Any:
        monkeypatch.setattr(memory.backend, "apply", apply)
        memory.delete_line(int(memory.append_line("gone again").id))
        return apply(entries, *more, **options)

    monkeypatch.setattr(memory.backend, "apply", meddle)
    import_bundle(memory, Bundle(lines=[Item("0", "imported", {}, STAMP, STAMP)], next_line=1))
    (number,) = memory.lines()
    assert [e.change.id for e in memory.history() if e.change.after and e.change.after.content == "gone again"] != [
        str(number)
    ]


FULL = '{"id": "a", "content": "x", "properties": {}, "created_at": "S", "updated_at": "S"}'
CHANGE = '{"change": {"ts": "S", "thread": "", "key": null, "kind": "item", "id": "a", %s}}'
EARLY = '{"item": ' + FULL.replace('"S"', '"0001-01-01T00:00:00+14:00"') + "}"
MANY_DIGITS = '{"line": ' + FULL.replace('"a"', '"9999999999999999999999999"') + "}"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no json", "line 4: Expecting value"),
        ('{"item": {}}', "line 4: "),
        ('{"thing": {}}', "line 4: 'thing'"),
        ('{"item": 1, "line": 2}', "line 4: "),
        ('{"item": {"id": "", "content": "", "properties": {}, "created_at": "S", "updated_at": "S"}}', "line 4: "),
        ('{"item": {"id": "a", "content": 1, "properties": {}, "created_at": "S", "updated_at": "S"}}', "not text"),
        ('{"item": {"id": "a", "content": "", "properties": {}, "created_at": "x", "updated_at": "S"}}', "isoformat"),
        ('{"item": {"id": "a", "content": "", "properties": {"n": NaN}, "created_at": "S", "updated_at": "S"}}', "nan"),
        (
            '{"line": {"id": "a", "content": "x", "properties": {}, "created_at": "S", "updated_at": "S"}}',
            "line number",
        ),
        (
            '{"line": {"id": "7", "content": "x\\ny", "properties": {}, "created_at": "S", "updated_at": "S"}}',
            "cannot be",
        ),
        ('{"change": {"kind": "thing"}}', "line 4: 'thing'"),
        ('{"item": {"id": "a", "content": "\ufffd', "line 4: "),
        (CHANGE % '"before": null, "after": null, "turn": "t"', "changes nothing"),
        (CHANGE % '"before": null, "after": 0, "turn": "t"', "line 4: "),
        (CHANGE % f'"before": null, "after": {FULL}, "turn": "\\ud800"', "half a character"),
        (
            CHANGE.replace('"ts": "S"', '"ts": "2026-01-01"') % f'"before": null, "after": {FULL}, "turn": "t"',
            "no zone",
        ),
        (EARLY, "beyond the calendar"),
        (MANY_DIGITS, "not a line number"),
    ],
)
def test_bad_lines_are_named_and_nothing_is_changed(tmp_path: Path, memory: Memory, line: str, said: str) -> None:
    memory.create("one")
    path = export(memory, tmp_path / "first.jsonl")
    path.write_bytes(path.read_bytes() + line.replace('"S"', f'"{STAMP}"').encode() + b"\n" + b'{"item": 2}\n')
    with pytest.raises(UserError) as caught:
        read_export(path)
    assert said in caught.value.message
    assert "line 5: " in caught.value.message
    assert caught.value.message.startswith("Nothing was imported from ")


ODD = ["-1", "1e999", "-1e999", "NaN", "1.5", "true", "[]", "1" + "0" * 30, "9" * 5000, '"x"', "null", "[" * 9000]


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("name", ["format", "next_line"])
def test_a_header_that_cannot_be_is_refused(tmp_path: Path, name: str, value: str) -> None:
    path = tmp_path / "x.jsonl"
    header = {"export": '"ana export"', "format": "1", "next_line": "0", name: value}
    path.write_text("{" + ", ".join(f'"{key}": {text}' for key, text in header.items()) + "}\n")
    with pytest.raises(UserError, match="header"):
        read_export(path)


@pytest.mark.parametrize("header", [10**9, 10**6 + 2])
def test_a_line_number_that_leaves_none_for_later_lines_is_refused(memory: Memory, tmp_path: Path, header: int) -> None:
    """At whichever number an import is taken, the export after it can be read again."""
    memory.append_line("Prefers tea")
    path = export(memory, tmp_path / "first.jsonl")
    text = path.read_text()
    path.write_text(text.replace('"next_line": 1', f'"next_line": {header}'))
    with pytest.raises(UserError, match="too high for an export of 1 lines"):
        read_export(path)
    path.write_text(text.replace('"id": "0"', '"id": "999999999"'))
    with pytest.raises(UserError, match="999999999 is too high"):
        read_export(path)
    path.write_text(text.replace('"next_line": 1', f'"next_line": {10**6 + 1}'))
    import_bundle(memory, read_export(path))
    for text in ("one", "two"):
        memory.append_line(text)
        read_export(export(memory, path))
    assert list(memory.lines()) == [0, 10**6 + 1, 10**6 + 2]


@pytest.mark.parametrize("id", ["../../etc/passwd", "..", "a/b", "a b", "-x", "", "a" * 129, "\u202ea", "ä", "a.jsonl"])
def test_what_is_not_an_id_is_refused_as_one(memory: Memory, tmp_path: Path, id: str) -> None:
    entry = Change("item", "aaaaaaaa", None, Item("aaaaaaaa", "x", {}, STAMP, STAMP))
    memory.backend.apply([Entry(STAMP, "bbbbbbbb", "t", entry)])
    text = export(memory, tmp_path / "first.jsonl").read_text()
    for known, said in (("aaaaaaaa", "is not an id"), ("bbbbbbbb", "is not the id of a thread")):
        if id or known == "aaaaaaaa":
            (tmp_path / "odd.jsonl").write_text(text.replace(known, id))
            with pytest.raises(UserError, match=said):
                read_export(tmp_path / "odd.jsonl")


def test_a_turn_that_is_called_an_undo_does_not_hide_one_that_is_here(
    memory: Memory, other: Memory, tmp_path: Path
) -> None:
    mine = memory.create("mine", {}, Cause("k/0", "t", "t0")).id
    for name in ("undo-0123abcd-of-t0", "undo-89abcdef-of-undo-0123abcd-of-t0"):
        other.create(f"theirs {name}", {}, Cause(f"k/{name}", "t", name))
    import_bundle(memory, read_export(export(other, tmp_path / "a.jsonl")))
    assert undo(memory, "t0").changes
    assert memory.record("item", mine) is None
    renamed = {turn for turn in memory.turns() if turn.startswith("imported-")}
    assert len(renamed) == 2
    assert len(memory.history(turn=min(renamed))) == 1


def test_an_undo_that_comes_with_its_turn_keeps_its_name(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.create("kept", {}, Cause("k/0", "t", "t0"))
    done = undo(memory, "t0")
    undo(memory, done.name)
    import_bundle(other, read_export(export(memory, tmp_path / "a.jsonl")))
    assert list(other.turns()) == list(memory.turns())
    with pytest.raises(UserError, match="taken back already"):
        undo(other, done.name)


def test_a_history_that_is_not_complete_is_left_out_with_a_note(memory: Memory, other: Memory, tmp_path: Path) -> None:
    item = memory.create("one").id
    memory.update(item, "two")
    path = export(memory, tmp_path / "a.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"before": null' not in line))
    assert import_bundle(other, read_export(path)).notes == [
        "Left out, because it is not complete in the file: the history of records (1)."
    ]


def test_an_export_that_passed_through_other_programs_is_read(memory: Memory, other: Memory, tmp_path: Path) -> None:
    """With a byte-order mark, Windows line ends, blank lines, no spaces, keys in another order."""
    fill_with_history(memory)
    lines = [json.loads(line) for line in export(memory, tmp_path / "a.jsonl").read_bytes().splitlines()]
    text = "\r\n\r\n".join(
        json.dumps(line, separators=(",", ":"), sort_keys=number > 0) for number, line in enumerate(lines)
    )
    (tmp_path / "b.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert is_export(tmp_path / "b.jsonl")
    import_bundle(other, read_export(tmp_path / "b.jsonl"))
    assert {i.id: i for i in other.items()} == {i.id: i for i in memory.items()}


def test_lines_of_another_life_get_numbers_of_their_own(memory: Memory, other: Memory, tmp_path: Path) -> None:
    memory.append_line("Prefers tea")
    other._clock = Clock(BERLIN, lambda: WEDNESDAY + timedelta(days=1))
    for text in ("Lives in Oslo", "Prefers tea", "Has a cat"):
        other.append_line(text)
    theirs = export(other, tmp_path / "a.jsonl")
    done = import_bundle(memory, read_export(theirs))
    assert (done.new, done.conflicting) == (2, [])
    assert sorted(memory.lines().values()) == ["Has a cat", "Lives in Oslo", "Prefers tea"]
    assert memory.lines()[0] == "Prefers tea"
    oslo = next(number for number, text in memory.lines().items() if text == "Lives in Oslo")
    memory.delete_line(oslo)
    assert import_bundle(memory, read_export(theirs)).new == 0, "what was deleted here does not come again"
    assert sorted(memory.lines().values()) == ["Has a cat", "Prefers tea"]


def test_a_text_that_a_line_once_was_does_not_come_again(memory: Memory) -> None:
    memory.append_line("Prefers tea")
    memory.replace_line(0, "Prefers coffee")
    memory.delete_line(0)
    lines = [Item(str(number), text, {}, STAMP, STAMP) for number, text in enumerate(("Prefers tea", "Prefers coffee"))]
    assert import_bundle(memory, Bundle(lines=lines)).new == 0


def test_an_import_asks_for_its_own_records_alone(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.create("something else that is here", {"type": "note"})
    entries, turns = memory.backend.entries, memory.backend.turns
    item = Item("abcd2345", "Call Bob", {"type": "task"}, STAMP, STAMP)
    with monkeypatch.context() as patched:
        patched.setattr(memory.backend, "latest", None)
        patched.setattr(memory.backend, "scan", None)
        patched.setattr(memory.backend, "entries", lambda *, id: entries(id=id))
        patched.setattr(memory.backend, "turns", lambda *, prefix: turns(prefix=prefix))
        first, second = (import_bundle(memory, Bundle([item])) for _ in range(2))
    assert (first.new, second.new, second.unchanged) == (1, 0, 1)


@pytest.mark.parametrize("text", ["", "{}\n", "no\n", '{"export": "ana export", "format": 99, "next_line": 0}\n'])
def test_what_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match="export"):
        read_export(path)


NAMES = st.sampled_from(["item", "line", "change", "id", "kind", "before", "properties"])
ANYTHING = st.recursive(st.none() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(NAMES, x))


@settings(max_examples=examples(60))
@given(line=st.text() | ANYTHING.map(json.dumps))
def test_no_line_whatever_is_more_than_a_bad_line(line: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("x") / "x.jsonl"
    assume(line.strip())
    header = b'{"export": "ana export", "format": 1, "next_line": 0}\n'
    path.write_bytes(header + line.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n")
    with pytest.raises(UserError, match="line 2"):
        read_export(path)
