"""How large a record may be, by every way in; and what is larger by an earlier version stays usable."""

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ana.embedders import WordLlamaEmbeddings
from ana.errors import AnaError, ToolError
from ana.memory.bounds import BOUNDS, LONGEST_LINE, LONGEST_NAME
from ana.memory.changes import Cause, Change, Entry
from ana.memory.item import Item, to_json
from ana.memory.memory import Memory
from ana.memory.receipts import describe_change, make_receipt
from ana.memory.search.property_text import SEARCHED
from ana.memory.trash import list_deleted, restore
from ana.memory.undo import find_undoable, undo
from ana.time.clock import Clock
from ana.transfer.bundle import Bundle, read_export
from ana.transfer.exporter import export_lines
from ana.transfer.importer import import_bundle
from ana.transfer.reading import read_source
from ana.values import DEEPEST, Json
from tests.chroma import chroma_of, hold_source, open_memory
from tests.conftest import BERLIN, EMBEDDER

STAMP = "2026-01-07T08:00:00.000000+00:00"
COUNT, SIZE, CONTENT, ALSO = (bound.most for bound in BOUNDS)


def many(count: int) -> dict[str, Any]:
    return {f"p{n}": n for n in range(count)}


def make(content: str = "note", properties: dict[str, Any] | None = None, id: str = "aaaaaaaa") -> Item:
    return Item(id, content, properties or {}, STAMP, STAMP)


def nest(depth: int) -> Json:
    return [nest(depth - 1)] if depth else "x"


TOO_LARGE = {
    "properties": (
        make(properties=many(COUNT + 2)),
        r"1,00[23] properties; an item has at most 1,000\. Keep several",
    ),
    "size": (make(properties={"p": "x" * SIZE}), r"properties .* as JSON; an item's have at most 500,000\. Put long"),
    "list": (make(properties={"p": ["word"] * (SIZE // 4)}), r"at most 500,000\. Put long text into the content"),
    "depth": (make(properties={"p": nest(DEEPEST + 1)}), r"'p' cannot be stored: it is nested more than 30 deep\."),
    "also": (
        make(properties={"start_date": "2026-01-05", "also": ["2026-01-07"] * (ALSO + 1)}),
        r"1,001 dates in also; an item has at most 1,000\. Say them as a rule",
    ),
    "content": (make("x" * (CONTENT + 1)), r"content would have 2,000,001 characters.*2,000,000\. Keep it in several"),
}
"""Records beyond each bound, and what is said."""


def create(memory: Memory, item: Item, _: Path) -> None:
    memory.create(item.content, item.properties)


def update(memory: Memory, item: Item, _: Path) -> None:
    id = memory.create("small", {"type": "note"}).id
    memory.update(id, item.content, item.properties)


def update_twice(memory: Memory, item: Item, _: Path) -> None:
    """Each part of it is small enough alone."""
    names = list(item.properties)
    half = len(names) // 2
    id = memory.create("note", {name: item.properties[name] for name in names[:half]}).id
    memory.update(id, item.content, {name: item.properties[name] for name in names[half:]})


def import_item(memory: Memory, item: Item, _: Path) -> None:
    import_bundle(memory, Bundle(items=[item]))


def import_history(memory: Memory, item: Item, _: Path) -> None:
    """An item that is small now, was too large, and would be again after an undo."""
    changes = [Change("item", item.id, None, item), Change("item", item.id, item, make(id=item.id))]
    entries = [Entry(STAMP, "", f"turn-{n}", change) for n, change in enumerate(changes)]
    import_bundle(memory, Bundle(items=[make(id=item.id)], changes=entries))


def import_file(memory: Memory, item: Item, path: Path) -> None:
    header = {"export": "ana export", "format": 1, "next_line": 0}
    lines = [header, {"item": to_json(item)}]
    (path / "all.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    import_bundle(memory, read_export(path / "all.jsonl"))


def replace_by_import(memory: Memory, item: Item, _: Path) -> None:
    import_bundle(memory, Bundle(items=[make(id=item.id)]))
    import_bundle(memory, Bundle(items=[item]), replace=True)


WAYS: dict[str, Callable[[Memory, Item, Path], None]] = {
    each.__name__: each
    for each in (create, update, update_twice, import_item, import_history, import_file, replace_by_import)
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_is_too_large_is_refused_before_anything_is_written(
    memory: Memory, tmp_path: Path, way: str, what: str
) -> None:
    item, said = TOO_LARGE[what]
    with pytest.raises(AnaError) as caught:
        WAYS[way](memory, item, tmp_path)
    assert re.search(said, caught.value.sentence()), caught.value.sentence()
    assert len(caught.value.sentence()) < 600
    assert all(len(kept.properties) < COUNT and len(str(kept)) < 20_000 for kept in memory.items())


def test_other_programs_files_are_refused_with_the_record_named(tmp_path: Path) -> None:
    (tmp_path / "Home.csv").write_text(f"TYPE,CONTENT,PRIORITY,INDENT\ntask,Roof {'x' * CONTENT},1,1\n")
    with pytest.raises(AnaError, match=r"line 2: Its content .*at most 2,000,000"):
        read_source(tmp_path / "Home.csv", BERLIN)


def test_lines_of_global_context_have_a_bound_of_their_own(memory: Memory) -> None:
    with pytest.raises(ToolError, match="at most 500 characters"):
        memory.append_line("x" * (LONGEST_LINE + 1))


@pytest.mark.parametrize(
    "item", [make(properties=many(COUNT)), make("x" * CONTENT, {"n" * LONGEST_NAME: "x" * (SIZE - 300)})]
)
def test_what_is_just_small_enough_comes_back_exactly(chroma_memory: Memory, item: Item) -> None:
    change = chroma_memory.create(item.content, item.properties, Cause("key", "thread", "turn"))
    assert change.after
    assert (change.after.content, change.after.properties) == (item.content, item.properties)
    undo(chroma_memory, "turn")
    assert chroma_memory.count() == 0
    assert restore(chroma_memory, change.id).after == change.after
    assert chroma_memory.get(change.id) == change.after


@pytest.fixture
def older(tmp_path: Path, clock: Clock) -> Memory:
    """A memory that an earlier version has filled, with more than the bounds."""
    memory = open_memory(tmp_path / "data", EMBEDDER, clock)
    for item in (make("ledger", many(3 * COUNT), "aaaaaaaa"), make("words", {"long": "x" * (2 * SIZE)}, "bbbbbbbb")):
        memory.backend.apply([Entry(STAMP, "", f"older-{item.id}", Change("item", item.id, None, item))])
    return memory


def test_what_is_larger_by_an_earlier_version_stays_usable(older: Memory, tmp_path: Path, clock: Clock) -> None:
    for id in ("aaaaaaaa", "bbbbbbbb"):
        before = older.get(id)
        first = next(iter(before.properties))
        assert older.update(id, "another text", {"status": "done", first: None}).after
        undo(older, find_undoable(older))
        assert older.get(id) == before
        older.delete(id)
        assert id in [deleted.item.id for deleted in list_deleted(older)]
        assert restore(older, id).after == before
        older.delete(id)
        undo(older, find_undoable(older))
        assert older.get(id) == before
    with pytest.raises(ToolError, match="3,001 properties; an item has at most 3,000"):
        older.update("aaaaaaaa", None, {"one more": 1})
    assert older.find("ledger").items[0].id == "aaaaaaaa"
    (tmp_path / "all.jsonl").write_bytes(b"".join(export_lines(older.backend)))
    with pytest.raises(AnaError, match=r"Nothing was imported.*line \d+: It would have 3,000 properties"):
        read_export(tmp_path / "all.jsonl")
    older.close()


def test_a_long_text_is_kept_whole_searched_by_its_beginning_and_that_is_said(chroma_memory: Memory) -> None:
    text = "The heron stands in the reeds. " + "water " * (SEARCHED // 6) + "A kingfisher."
    change = chroma_memory.create(text, {"type": "note"})
    said = describe_change(make_receipt(change))
    assert said.endswith("(note). Of its content the first 50,000 characters are searched")
    assert chroma_memory.get(change.id).content == text
    other = chroma_memory.create("Buy milk")
    assert chroma_memory.find("heron").items[0].id == change.id
    assert "searched" not in describe_change(make_receipt(other))
    deleted = chroma_memory.delete(change.id)
    assert "searched" not in describe_change(make_receipt(deleted))


@pytest.mark.parametrize(
    ("content", "properties", "of"),
    [
        ("x" * (SEARCHED + 1), {"p": "x"}, "content"),
        ("x", {"p": "x" * SEARCHED}, "properties"),
        ("x" * (SEARCHED + 1), {"p": ["x" * SEARCHED]}, "content and of its properties"),
    ],
)
def test_an_import_and_receipts_say_of_what_the_beginning_is_searched(
    memory: Memory, content: str, properties: dict[str, Any], of: str
) -> None:
    long = make(content, properties)
    result = import_bundle(memory, Bundle(items=[long, make("x" * SEARCHED, id="bbbbbbbb")]))
    assert result.notes == ["Of long records (1) the first 50,000 characters are searched."]
    said = {entry.change.id: describe_change(make_receipt(entry.change)) for entry in memory.history()}
    assert said["aaaaaaaa"].endswith(f"). Of its {of} the first 50,000 characters are searched")
    assert "searched" not in said["bbbbbbbb"]
    assert import_bundle(memory, Bundle(items=[long])).notes == []
    changed = replace(long, properties={**properties, "another": 1})
    assert import_bundle(memory, Bundle(items=[changed])).notes == []
    assert import_bundle(memory, Bundle(items=[changed]), replace=True).notes == result.notes


def test_of_a_million_characters_the_beginning_alone_is_embedded_and_entered(
    chroma_memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = " ".join(f"w{n:x}q" for n in range(200_000))[:1_000_000]
    embedded: list[str] = []

    class Noting(WordLlamaEmbeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            embedded.extend(texts)
            return super().embed_documents(texts)

    monkeypatch.setattr(chroma_of(chroma_memory), "embedder", Noting())
    id = chroma_memory.create(text, {"words": [*text[:100_000].split()]}).id
    assert chroma_memory.get(id).content == text
    assert max(map(len, embedded)) < 2.1 * SEARCHED
    with hold_source(chroma_memory) as source:
        ((row,),) = source.read_rows()
    assert len(row.document or "") < 2.1 * SEARCHED
    with closing(sqlite3.connect(chroma_of(chroma_memory).path / "items.index.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM terms").fetchone()[0] < SEARCHED
