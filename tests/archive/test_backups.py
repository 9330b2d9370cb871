"""Backups are written while they are in use, and restored completely or not at all; also earlier ones."""

import errno
import json
import os
import sqlite3
import tempfile
import threading
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ana.archive import copying
from ana.archive import restore as module
from ana.archive.place import Place
from ana.backends.chroma.care import exchange, files
from ana.backends.chroma.care.examine import examine
from ana.backends.chroma.care.format import FORMAT
from ana.backends.chroma.client import open_chroma
from ana.errors import AnaError, ConfigError, StoreBroken, UserError
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.archive.places import back_up, find_workspace, pack_files, put_back, rewrite
from tests.chroma import chroma_of, open_memory
from tests.conftest import EMBEDDER
from tests.threads.conformance import read, say

THREAD, LATER = (f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b00{n}" for n in (1, 2))


def contents(memory: Memory) -> tuple[list[str], dict[int, str], int]:
    return sorted(item.content for item in memory.items()), memory.lines(), len(memory.history())


def fill_with_history(memory: Memory, traces: Path) -> None:
    memory.create("Buy milk", {"due_date": "2026-01-08"})
    memory.append_line("Prefers tea")
    say(find_workspace(memory).open_thread_store(), THREAD, "hello")
    traces.mkdir(exist_ok=True)
    (traces / f"{THREAD}.jsonl").write_text("{}\n")


@pytest.mark.parametrize("write", [back_up, pack_files])
def test_everything_is_as_it_was_when_the_backup_was_written(
    memory: Memory, tmp_path: Path, write: Callable[..., Path]
) -> None:
    traces = tmp_path / "traces"
    fill_with_history(memory, traces)
    before = contents(memory)
    write(memory, tmp_path / "b.zip", traces)
    memory.create("Later")
    memory.delete_line(0)
    (traces / f"{THREAD}.jsonl").write_text("{}\n{}\n")
    (traces / f"{LATER}.jsonl").write_text("{}\n")
    after = contents(memory)
    store = find_workspace(memory).open_thread_store()
    say(store, THREAD, "later")
    with closing(sqlite3.connect(chroma_of(memory).folder.path / "threads.sqlite")) as threads:
        count = "SELECT count(*) FROM checkpoints"
        later = threads.execute(count).fetchone()
        way_back = put_back(memory, tmp_path / "b.zip")
        assert threads.execute(count).fetchone() < later, "seen by whoever has it open"
    assert read(store, THREAD) == ["hello", "heard hello"]
    assert contents(memory) == before
    assert examine(chroma_of(memory)).is_sound
    assert memory.find("milk").items[0].content == "Buy milk"
    assert sorted(file.name for file in traces.iterdir()) == [f"{THREAD}.jsonl"]
    assert (traces / f"{THREAD}.jsonl").read_text() == "{}\n"
    put_back(memory, way_back)
    assert contents(memory) == after
    assert sorted(file.name for file in traces.iterdir()) == [f"{THREAD}.jsonl", f"{LATER}.jsonl"]


def test_another_process_sees_what_was_restored(memory: Memory, tmp_path: Path, clock: Clock) -> None:
    memory.create("one")
    other = open_memory(tmp_path / "data", EMBEDDER, clock)
    back_up(memory, tmp_path / "b.zip")
    other.create("two")
    assert memory.count() == 2
    put_back(memory, tmp_path / "b.zip")
    assert contents(other) == contents(memory)
    assert contents(other)[0] == ["one"]
    other.create("three")
    assert contents(memory)[0] == ["one", "three"]
    other.close()


def test_a_backup_is_taken_while_others_write(memory: Memory, tmp_path: Path) -> None:
    done = threading.Event()

    def write() -> None:
        for n in range(40):
            memory.create(f"text {n}")
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    backups: list[Path] = []
    while not done.is_set() and len(backups) < 5:
        backups.append(tmp_path / f"b{len(backups)}.zip")
        back_up(memory, backups[-1])
    writer.join()
    for each in backups:
        put_back(memory, each)
        assert examine(chroma_of(memory)).is_sound
        assert len(memory.history()) == memory.count()


@pytest.mark.parametrize("steps", range(12))
def test_a_restore_cut_short_is_finished_or_has_not_begun(
    memory: Memory, tmp_path: Path, clock: Clock, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed at each of its steps: before it is decided nothing has changed, afterwards whoever comes next finishes."""
    fill_with_history(memory, tmp_path / "traces")
    before = contents(memory)
    back_up(memory, tmp_path / "b.zip")
    memory.create("Later")
    after = contents(memory)
    left = [steps]

    def kill_in(place: Any, name: str) -> Any:
        real = getattr(place, name)

        def step(*args: Any, **named: Any) -> Any:
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return real(*args, **named)

        return step

    with monkeypatch.context() as patched:
        patched.setattr(files, "copy_database", kill_in(files, "copy_database"))
        patched.setattr(module, "copy", kill_in(module, "copy"))
        patched.setattr(copying, "digest_all", kill_in(copying, "digest_all"))
        for name in ("write_whole", "copy_database", "_put_back_files", "_put_back_traces", "_put_back_chroma"):
            patched.setattr(exchange, name, kill_in(exchange, name))
        with pytest.raises(KeyboardInterrupt):
            put_back(memory, tmp_path / "b.zip")
    note = chroma_of(memory).folder.path / "restore.json"
    decided = note.exists() and json.loads(note.read_text())["decided"]
    memory.close()
    again = open_memory(tmp_path / "data", EMBEDDER, clock)
    assert contents(again) == (before if decided else after)
    assert examine(chroma_of(again)).is_sound
    assert not list(chroma_of(again).folder.path.glob("restore*"))
    again.close()


def test_a_backup_never_writes_over_anything(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "b.zip").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        back_up(memory, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").read_text() == "mine"
    with pytest.raises(UserError, match="cannot be written"):
        back_up(memory, tmp_path / "b.zip" / "c.zip")


def test_a_backup_is_for_its_owner_only(memory: Memory, tmp_path: Path) -> None:
    back_up(memory, tmp_path / "b.zip")
    assert (tmp_path / "b.zip").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.99])
def test_a_backup_that_is_cut_short_changes_nothing(memory: Memory, tmp_path: Path, part: float) -> None:
    check_refused(memory, tmp_path, lambda data: data[: int(len(data) * part)])
    with pytest.raises(UserError, match="no file"):
        put_back(memory, tmp_path / "none.zip")


@pytest.mark.parametrize("name", ["items.jsonl", "items.f32", "journal.jsonl", "backup.json"])
def test_a_backup_of_which_a_byte_is_another_changes_nothing(memory: Memory, tmp_path: Path, name: str) -> None:
    def flip(data: bytes) -> bytes:
        with zipfile.ZipFile(tmp_path / "b.zip") as archive:
            at = archive.getinfo(name).header_offset + 30 + len(name) + 20
        return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]

    check_refused(memory, tmp_path, flip)


def check_refused(memory: Memory, tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    memory.create("one")
    back_up(memory, tmp_path / "b.zip")
    memory.create("two")
    (tmp_path / "bad.zip").write_bytes(spoil((tmp_path / "b.zip").read_bytes()))
    with pytest.raises(UserError) as caught:
        put_back(memory, tmp_path / "bad.zip")
    assert "othing was changed" in caught.value.sentence()
    assert contents(memory)[0] == ["one", "two"]


def test_a_backup_of_a_newer_format_names_what_to_install(memory: Memory, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.writestr("backup.json", json.dumps({"format": FORMAT + 2, "version": "9.1.0", "files": 1}))
    with pytest.raises(UserError, match=r"9\.1\.0") as caught:
        put_back(memory, tmp_path / "b.zip")
    assert "9.1.0 or later" in caught.value.hint


def test_a_newer_folder_is_refused_with_what_to_install(memory: Memory) -> None:
    memory.create("one")
    memory.close()
    note = chroma_of(memory).folder.path / "format.json"
    note.write_text(json.dumps({"format": FORMAT + 1, "version": "9.1.0"}))
    with pytest.raises(ConfigError, match=r"ana 9\.1\.0 in format") as caught:
        memory.count()
    assert "Install ana 9.1.0 or later" in caught.value.hint
    note.write_text("{")
    with pytest.raises(ConfigError, match=r"format\.json"):
        memory.count()


def test_only_what_is_anas_own_is_replaced_or_removed(memory: Memory, tmp_path: Path) -> None:
    """Also where the backup, the traces and the person's own files lie in the same folder."""
    data = chroma_of(memory).folder.path
    for traces in (data, data.parent, data / "traces"):
        traces.mkdir(exist_ok=True)
        memory.create(f"kept in {traces}")
        (traces / f"{THREAD}.jsonl").write_text("{}\n")
        packed = traces / f"mine-{len(str(traces))}.zip"
        back_up(memory, packed, traces)
        own = [traces / "thesis.txt", traces / "my own.jsonl", traces / "sub" / "photo.jpg", data / "diary.md"]
        for file in own:
            file.parent.mkdir(exist_ok=True)
            file.write_text("mine")
        there = contents(memory)
        memory.create("later")
        before = put_back(memory, packed, traces)
        assert contents(memory) == there
        assert all(file.read_text() == "mine" for file in own)
        assert packed.exists()
        put_back(memory, before, traces)
        assert "later" in contents(memory)[0]
        assert all(file.read_text() == "mine" for file in own)


@pytest.mark.parametrize("name", ["journal.sqlite", "threads.sqlite", "format.json", "chroma/chroma.sqlite3"])
def test_a_backup_is_put_back_over_a_folder_that_cannot_be_opened(
    memory: Memory, tmp_path: Path, clock: Clock, name: str
) -> None:
    fill_with_history(memory, tmp_path / "traces")
    before = contents(memory)
    back_up(memory, tmp_path / "b.zip")
    memory.close()
    (chroma_of(memory).folder.path / name).write_bytes(b"garbage " * 5000)
    again = open_memory(chroma_of(memory).folder.path, EMBEDDER, clock)
    if name in ("journal.sqlite", "format.json"):
        with pytest.raises(AnaError):
            again.lines()
    put_back(again, tmp_path / "b.zip")
    assert contents(again) == before
    assert examine(chroma_of(again)).is_sound
    again.close()


def test_a_damaged_database_is_not_packed_as_if_it_were_sound(memory: Memory, tmp_path: Path) -> None:
    fill_with_history(memory, tmp_path / "traces")
    (chroma_of(memory).folder.path / "threads.sqlite-wal").unlink(missing_ok=True)
    (chroma_of(memory).folder.path / "threads.sqlite").write_bytes(b"garbage " * 5000)
    with pytest.raises(StoreBroken, match="file is not a database") as caught:
        back_up(memory, tmp_path / "b.zip")
    assert "doctor" in caught.value.hint
    assert not list(tmp_path.glob("*.zip*"))


def test_a_store_in_another_place_is_packed_and_put_back(memory: Memory, tmp_path: Path) -> None:
    memory.create("one")
    memory.close()
    chroma = chroma_of(memory).folder.path / "chroma"
    chroma.rename(tmp_path / "elsewhere")
    chroma.symlink_to(tmp_path / "elsewhere")
    back_up(memory, tmp_path / "b.zip")
    memory.create("two")
    put_back(memory, tmp_path / "b.zip")
    assert contents(memory)[0] == ["one"]
    assert chroma.is_symlink()


def spoil(name: str, change: Callable[[bytes], bytes]) -> Callable[[dict[str, bytes]], Any]:
    return lambda files: files.update({name: change(files[name])})


def tell_otherwise(**values: Any) -> Callable[[dict[str, bytes]], Any]:
    """The manifest says something else."""
    return spoil("backup.json", lambda data: json.dumps(json.loads(data) | values).encode())


def put_manifest(data: bytes) -> Callable[[dict[str, bytes]], Any]:
    return spoil("backup.json", lambda _: data)


MANIFESTS = {
    "a list": b"[]",
    "nested": b"[" * 9000,
    "files without end": b'{"format": 1, "version": "1", "files": 1e999}',
    "without parts": b'{"format": 4, "version": "1", "files": 20}',
}

ODD: dict[str, Callable[[dict[str, bytes]], Any]] = {
    "nothing in it": lambda files: [files.pop(name) for name in list(files) if name != "backup.json"],
    "a part less": lambda files: files.pop("writes.jsonl"),
    "no vectors": lambda files: files.update({"items.f32": b""}),
    "a row less": spoil("items.jsonl", lambda _: b""),
    "a row more": spoil("created.jsonl", lambda _: b'{"thread": "a", "ts": "", "metadata": "{}"}\n'),
    "another text": spoil("items.jsonl", lambda data: data.replace(b"one", b"two")),
    "no JSON": spoil("journal.jsonl", lambda _: b"{\n"),
    "nested rows": spoil("journal.jsonl", lambda _: b"[" * 90_000 + b"\n"),
    "rows of nothing": spoil("items.jsonl", lambda _: b"null\n"),
    "rows without fields": spoil("turns.jsonl", lambda _: b"{}\n"),
    "rows of other types": spoil("thread_names.jsonl", lambda _: b'{"thread": [], "name": 5}\n'),
    "values of other types": spoil("stopped.jsonl", lambda _: b'{"run": {"a": 1}}\n'),
    "no base64": spoil(
        "writes.jsonl",
        lambda _: json.dumps(
            dict.fromkeys(("thread", "namespace", "checkpoint", "task", "path", "channel", "type"), "")
            | {"idx": 0, "value": "é"}
        ).encode(),
    ),
    "a trace elsewhere": spoil("turns.jsonl", lambda _: b'{"thread": "../../evil", "line": "x"}\n'),
    "a name that is none": tell_otherwise(person="../evil"),
    "an embedder of no name": tell_otherwise(embedder=5),
    "a later format": tell_otherwise(format=5),
    **{f"a manifest, {name}": put_manifest(data) for name, data in MANIFESTS.items()},
}

EARLIER: dict[str, Callable[[dict[str, bytes]], Any]] = {
    "no chroma": lambda files: files.pop("data/chroma/chroma.sqlite3"),
    "a file less": lambda files: files.pop("data/journal.sqlite"),
    "a newer format inside": lambda files: files.update({"data/format.json": b'{"format": 99, "version": "9"}'}),
    "an odd format inside": lambda files: files.update({"data/format.json": b'{"format": 1e999, "version": "9"}'}),
    "a damaged database": lambda files: files.update({"data/journal.sqlite": b"garbage " * 999}),
    "somebody else's journal": lambda files: files.update({"data/journal.sqlite": make_database("writes (a)")}),
    "no chroma database": lambda files: files.update({"data/chroma/chroma.sqlite3": make_database("collections (a)")}),
    "somebody else's chroma": lambda files: files.update({"data/chroma/chroma.sqlite3": make_chroma("their_texts")}),
    "another program's items": lambda files: files.update({"data/chroma/chroma.sqlite3": make_chroma("items")}),
}


def make_database(table: str) -> bytes:
    """Return a SQLite file with one table."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"CREATE TABLE {table}")
        return db.serialize()


def make_chroma(collection: str) -> bytes:
    """Return the database of a Chroma that another program made."""
    with tempfile.TemporaryDirectory() as name:
        client = open_chroma(Path(name))
        values: Any = (["x"], [[1.0, 2.0]], [{"a": 1}], ["text"])
        client.create_collection(collection, embedding_function=None).add(*values)
        client.close()
        return (Path(name) / "chroma.sqlite3").read_bytes()


@pytest.mark.parametrize("name", [*ODD, *EARLIER])
def test_an_archive_that_cannot_be_used_changes_nothing(memory: Memory, tmp_path: Path, name: str) -> None:
    memory.create("one")
    (back_up if name in ODD else pack_files)(memory, tmp_path / "b.zip")
    memory.create("two")
    with pytest.raises((UserError, ConfigError)):
        put_back(memory, rewrite(tmp_path / "b.zip", tmp_path / "odd.zip", (ODD | EARLIER)[name]))
    assert contents(memory)[0] == ["one", "two"]
    assert not list(chroma_of(memory).folder.path.glob("restore*"))


def test_a_restore_for_which_there_is_no_room_changes_nothing(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(place: Place, part: str, rows: Any) -> None:
        if part == "journal":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write_part(place, part, rows)

    write_part = Place.write
    memory.create("one")
    back_up(memory, tmp_path / "b.zip")
    memory.create("two")
    monkeypatch.setattr(Place, "write", write)
    with pytest.raises(OSError, match="No space left"):
        put_back(memory, tmp_path / "b.zip")
    assert contents(memory)[0] == ["one", "two"]
    assert not list(chroma_of(memory).folder.path.glob("restore*"))


def test_a_backup_of_a_folder_without_records_is_restored(memory: Memory, tmp_path: Path) -> None:
    back_up(memory, tmp_path / "b.zip")
    memory.create("one")
    put_back(memory, tmp_path / "b.zip")
    assert contents(memory)[0] == []


@pytest.mark.parametrize("note", ["1e999", "NaN", "-3", "[]", "null", "9" * 5000])
def test_an_odd_note_of_the_format_is_a_sentence(memory: Memory, note: str) -> None:
    memory.create("one")
    memory.close()
    (chroma_of(memory).folder.path / "format.json").write_text(f'{{"format": {note}, "version": "9"}}')
    with pytest.raises(ConfigError, match="does not say which format"):
        memory.count()


def test_what_does_not_belong_into_a_backup_is_not_unpacked(memory: Memory, tmp_path: Path) -> None:
    memory.create("one")
    pack_files(memory, tmp_path / "b.zip")

    def more(files: dict[str, bytes]) -> None:
        files |= {"data/../../evil": b"x", "traces/x.txt": b"x", "other": b"x"}
        files["backup.json"] = json.dumps({"format": FORMAT, "version": "1", "files": len(files) - 1}).encode()

    put_back(memory, rewrite(tmp_path / "b.zip", tmp_path / "odd.zip", more))
    assert contents(memory)[0] == ["one"]
    assert not list(tmp_path.glob("**/evil")) + list(tmp_path.glob("traces/x.txt"))


def test_a_note_in_a_backup_is_written_only_where_notes_are(memory: Memory, tmp_path: Path) -> None:
    memory.create("one")
    back_up(memory, tmp_path / "b.zip")
    row = b'{"name": "../../evil", "text": "x"}\n'
    put_back(memory, rewrite(tmp_path / "b.zip", tmp_path / "odd.zip", spoil("notes.jsonl", lambda _: row)))
    assert contents(memory)[0] == ["one"]
    assert not list(tmp_path.glob("**/evil"))


def test_a_very_old_file_is_in_it_too(memory: Memory, tmp_path: Path) -> None:
    fill_with_history(memory, tmp_path / "traces")
    os.utime(tmp_path / "traces" / f"{THREAD}.jsonl", (0, 0))
    back_up(memory, tmp_path / "b.zip")
    (tmp_path / "traces" / f"{THREAD}.jsonl").unlink()
    put_back(memory, tmp_path / "b.zip")
    assert (tmp_path / "traces" / f"{THREAD}.jsonl").stat().st_mode & 0o077 == 0


def test_a_purge_that_was_cut_short_is_not_finished_over_what_is_restored(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.create("one")
    back_up(memory, tmp_path / "b.zip")
    memory.create("two")

    def cut(_: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("ana.backends.chroma.backend.finish_exchange", cut)
        with pytest.raises(KeyboardInterrupt):
            memory.backend.erase([])
    put_back(memory, tmp_path / "b.zip")
    assert contents(memory)[0] == ["one"]
