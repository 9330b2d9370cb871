"""A folder in which no sources are kept gets them once; one with a step that is not known is refused."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ana.backends.chroma.care.examine import examine
from ana.backends.chroma.care.format import FORMAT, STEPS, read_format
from ana.backends.chroma.source import EmbeddedItem
from ana.errors import ConfigError
from ana.memory.changes import make_edit
from ana.memory.memory import Memory
from ana.memory.sources import IMPORT
from tests.archive.places import pack_files, put_back, rewrite
from tests.chroma import chroma_of, hold_source
from tests.memory.past import check_sources, fill_from_others


def to_format_2(memory: Memory) -> Path:
    """Make a folder what the version before wrote: no sources, and no word of steps."""
    memory.close()
    path = chroma_of(memory).folder.path
    with closing(sqlite3.connect(path / "journal.sqlite")) as db:
        db.execute("ALTER TABLE writes DROP COLUMN source")
    (path / "format.json").write_text('{"format": 2, "version": "0.1.0"}')
    return path


@pytest.mark.parametrize("cut", ["", "sources._tell_records", "healing.note_step", "format.write_whole"])
def test_what_was_written_before_gets_its_sources_once(
    memory: Memory, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill_from_others(memory)
    path = to_format_2(memory)
    if cut:
        with monkeypatch.context() as patched:
            patched.setattr(f"ana.backends.chroma.care.{cut}", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                memory.count()
        memory.close()
    check_sources(memory, ids)
    assert examine(chroma_of(memory)).is_sound
    assert read_format(path).steps == STEPS
    assert len([*(path / "backups").glob("before-sources-*")]) == 1
    memory.claim([ids["import"]])
    memory.close()
    assert memory.get(ids["import"]).source == "person", "it is not worked out again"


def test_a_backup_of_before_is_brought_up_when_it_is_restored(memory: Memory, tmp_path: Path) -> None:
    ids = fill_from_others(memory)
    path = to_format_2(memory)
    memory.count()
    (before,) = (path / "backups").glob("before-sources-*")
    memory.create("later")
    put_back(memory, before)
    check_sources(memory, ids)


def test_a_folder_with_a_step_that_is_not_known_is_refused(memory: Memory, tmp_path: Path) -> None:
    memory.create("one")
    pack_files(memory, tmp_path / "b.zip")
    memory.close()
    path = chroma_of(memory).folder.path
    note = json.dumps({"format": FORMAT, "version": "9.1.0", "steps": [*STEPS, "later"]})
    (path / "format.json").write_text(note)
    with pytest.raises(ConfigError, match=r"ana 9\.1\.0 with steps that ana .* does not know: later") as caught:
        memory.count()
    assert "Install ana 9.1.0 or later" in caught.value.hint
    later = rewrite(
        tmp_path / "b.zip", tmp_path / "later.zip", lambda files: files.update({"data/format.json": note.encode()})
    )
    with pytest.raises(ConfigError, match="does not know: later"):
        put_back(memory, later)


def test_a_folder_that_has_lost_its_note_is_read_as_the_oldest(memory: Memory) -> None:
    ids = fill_from_others(memory)
    memory.close()
    path = chroma_of(memory).folder.path
    (path / "format.json").unlink()
    check_sources(memory, ids)
    assert read_format(path).steps == STEPS
    assert len([*(path / "backups").glob("before-sources-*")]) == 1


@pytest.mark.parametrize("lost", ["chroma/chroma.sqlite3", "items.index.sqlite"])
def test_sources_survive_what_is_rebuilt(memory: Memory, lost: str) -> None:
    by = make_edit(source=IMPORT)
    id = memory.create("Milk", {"n": 1}, by).id
    memory.append_line("Likes tea", by)
    before = memory.get(id), [*memory.backend.scan("line")]
    memory.close()
    (chroma_of(memory).folder.path / lost).write_bytes(b"garbage " * 5000)
    chroma_of(memory).folder.in_doubt = True
    assert (memory.get(id), [*memory.backend.scan("line")]) == before
    assert memory.get(id).source == IMPORT
    assert examine(chroma_of(memory)).is_sound


def test_a_record_that_the_journal_does_not_know_as_it_is_stays_so(memory: Memory) -> None:
    ids = fill_from_others(memory)
    with hold_source(memory) as source:
        changed = replace(memory.get(ids["mine"]), content="changed past the journal")
        source.write([EmbeddedItem(changed, source.get_many([changed.id])[0].vector)], [memory.get(ids["mine"])])
    to_format_2(memory)
    assert memory.get(ids["mine"]) == changed
    assert memory.get(ids["import"]).source == IMPORT


def test_a_folder_of_before_whose_journal_is_gone_opens(memory: Memory) -> None:
    id = fill_from_others(memory)["mine"]
    (to_format_2(memory) / "journal.sqlite").unlink()
    assert memory.get(id).content == "Milk of mine"
    assert memory.create("later").after in [*memory.items()]
