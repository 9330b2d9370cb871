"""Files that are damaged, cut short or unreadable: a clear sentence, nothing lost, repaired by doctor."""

import os
import shutil
import threading
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ana.embedders import WordLlamaEmbeddings
from ana.handles import open_data
from ana.memory.item import Item, make_item_id
from ana.settings import load_settings
from ana.time.clock import Clock
from ana.workspace import load_workspace, open_workspace
from app.cli.export import write_export
from app.serving import mark_serving
from tests.chroma import fill_chroma, open_memory
from tests.command_line import run
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY, folders, live_in
from tests.embedders.tiny_minilm import trust, write_model

COMMANDS = (("items",), ("ask", "note: the bins go out on Thursday"))
MORE = {"threads": ("threads", "list"), "journal": ("history",), "traces": ("traces",)}
"""What else reads a file, by its name."""


@pytest.fixture(scope="module")
def lived_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with items, a line, a named conversation and its trace."""
    path = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        live_in(path, patch)
        for said in ("Buy milk tomorrow", "note: the key is in the tin"):
            run("ask", said, "--thread", "home")
        with open_data(load_workspace(), "a test") as handles:
            handles.memory.append_line("Likes tea")
    (path / "data" / "last_thread").write_text("0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001")
    return path


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def empty(file: Path) -> None:
    os.truncate(file, 0)


def garbage(file: Path) -> None:
    file.write_bytes(os.urandom(max(file.stat().st_size, 100)))


def folder(file: Path) -> None:
    """As unreadable as a file can be made for whoever may read everything."""
    file.unlink()
    file.mkdir()


FILES = (
    "data/journal.sqlite",
    "data/threads.sqlite",
    "data/items.index.sqlite",
    "data/chroma/chroma.sqlite3",
    "traces",
)
"""Small files are in test_small_files.py."""


@pytest.mark.parametrize(
    ("name", "spoil"),
    [(name, cut) for name in FILES]
    + [(name, garbage) for name in ("data/threads.sqlite", "data/chroma/chroma.sqlite3", "traces")]
    + [("data/journal.sqlite", spoil) for spoil in (garbage, empty, folder)],
)
def test_a_spoiled_file_is_named_and_repaired(home: Path, name: str, spoil: Callable[[Path], None]) -> None:
    for file in sorted((home / name).glob("*.jsonl")) if name == "traces" else [home / name]:
        spoil(file)
    for command in (*COMMANDS, *(more for place, more in MORE.items() if Path(name).stem == place)):
        code, told = run(*command)
        assert "Traceback" not in told
        assert code in (0, 1, 2)
        assert code == 0 or told.strip().endswith((".", "`", "other")), told
    if spoil is folder:
        for file in sorted((home / name).glob("*.jsonl")) if name == "traces" else [home / name]:
            shutil.rmtree(file, ignore_errors=True)
    code, told = run("doctor", "--repair")
    assert code == 0, told
    code, told = run("items")
    assert "Buy milk" in told
    assert "the key is in the tin" in told


def test_no_file_is_set_aside_that_a_server_has_open(home: Path) -> None:
    file = home / "data" / "threads.sqlite"
    garbage(file)
    before = file.read_bytes()
    with mark_serving(open_workspace(load_settings())):
        code, told = run("doctor", "--repair")
    assert (code, file.read_bytes() == before) == (1, True)
    assert "The server is running" in told
    assert run("doctor", "--repair")[0] == 0
    assert not file.exists()


@pytest.mark.parametrize("name", ["thread_names.json", "restore.json"])
def test_what_the_disk_does_not_let_be_read_is_not_set_aside(name: str, home: Path) -> None:
    note = home / "data" / name
    note.unlink(missing_ok=True)
    note.mkdir()  # stands for a file that gives EIO
    code, told = run("doctor", "--repair")
    assert (code, f"{name} cannot be read: Is a directory. Check the disk" in told) == (1, True), told
    assert note.exists()
    assert not (home / "data" / "set-aside").exists()


def test_what_is_wrong_with_the_format_note_is_told(home: Path) -> None:
    for spoil in (cut, garbage):
        spoil(home / "data" / "format.json")
        code, told = run("items")
        assert code == 2
        assert "format.json" in told


def test_doctor_tells_what_is_whole_and_what_is_not(home: Path) -> None:
    code, told = run("doctor")
    assert code == 0
    assert told.startswith("All is well: 2 items, 1 context line, 1 conversation, 1 trace;")
    (home / "traces" / "orphan.jsonl").write_text("{")
    memory = open_memory(home / "data", EMBEDDER, Clock(BERLIN, lambda: WEDNESDAY))
    stamp = memory.stamp()
    fill_chroma(memory, [Item(make_item_id(), "past the journal", {}, stamp, stamp)])
    memory.close()
    code, told = run("doctor")
    assert code == 1
    assert "the journal says nothing, the store has “past the journal”" in told
    assert "orphan.jsonl belongs to a conversation that does not exist" in told
    assert told.strip().endswith("1 fault. `ana doctor --repair` repairs what can be repaired.")
    code, told = run("doctor", "--repair", "--json")
    assert code == 0
    assert '"sound": true' in told


def test_everything_out_and_in_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, packed = home / "a.jsonl", home / "b.jsonl", home / "b.zip"
    assert run("export", str(first))[0] == 0
    assert run("backup", str(packed))[0] == 0
    code, told = run("backup", str(packed))
    assert (code, "already exists" in told) == (1, True)
    for existing in (packed, first):
        before = existing.read_bytes()
        code, told = run("export", str(existing))
        assert (code, "already exists" in told, "--force" in told) == (1, True, True)
        assert existing.read_bytes() == before
    assert "is a folder" in run("export", "--force", str(home))[1]
    os.mkfifo(pipe := home / "pipe")  # as /dev/stdout is, which root could replace
    assert "is not a regular file" in run("export", "--force", str(pipe))[1]
    assert pipe.is_fifo()
    wrote = run("export", "--force", str(first))
    assert wrote == (0, f"Wrote 2 items, 1 context line and 3 changes to {first}.\n")
    code, told = run("import", str(packed))
    assert (code, "`ana restore` reads backups" in told) == (1, True)
    monkeypatch.setenv("ANA_DATA_DIR", str(home / "other"))
    code, told = run("import", str(first))
    assert (code, told) == (0, "3 new, 0 were here already.\n")
    assert run("export", str(second))[0] == 0
    assert second.read_bytes() == first.read_bytes()
    assert run("export", "-")[0] == 0
    assert run("ask", "delete the note about the key")[0] == 0
    code, told = run("import", str(first))
    assert "2 were here already" in told
    assert "--replace" in told
    monkeypatch.setenv("TRACES_DIR", str(home / "other traces"))
    code, told = run("restore", str(packed))
    assert code == 0, told
    assert "2 items" in told
    assert "home" in run("threads", "list")[1]
    assert len(list((home / "other traces").glob("*.jsonl"))) == 1
    (home / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    code, told = run("import", str(home / "x.png"))
    assert (code, "Nothing was imported" in told) == (1, True)
    code, told = run("import", str(home / "nowhere"))
    assert code == 1
    assert "Traceback" not in told


def test_old_traces_are_listed_and_deleted(home: Path) -> None:
    (trace,) = (home / "traces").glob("*.jsonl")
    lines = trace.read_text().splitlines()
    trace.write_text("\n".join([lines[0].replace('"ts": "20', '"ts": "19'), *lines[1:]]) + "\n")
    assert "home" in run("traces")[1]
    assert "Buy milk" in run("traces", "--older-than", "30d")[1]
    assert run("traces", "--purge")[0] == 2
    assert run("traces", "--purge", "--older-than", "soon")[0] == 1
    assert run("traces", "--purge", "--older-than", "30d")[1].startswith("1 turn is deleted permanently")
    assert trace.read_text().splitlines() == lines[1:]
    assert run("traces", "--older-than", "4w")[1] == "No trace is older than 4w.\n"
    assert run("threads", "delete", "home", "--yes")[0] == 0
    assert not trace.exists()


def test_a_calendar_out_and_in_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = home / "a.ics"
    assert run("ask", "Dentist on 2026-12-01 at 10:00")[0] == 0
    assert run("export", "--ics", str(path)) == (0, f"Wrote 2 events to {path}.\n")
    code, told = run("export", "--ics", str(path))
    assert (code, "already exists" in told) == (1, True)
    assert run("import", str(path)) == (0, "0 new, 2 were here already.\n")
    code, told = run("export", "--ics", "-")
    assert (code, "Wrote 2 events to standard output." in told) == (0, True)
    monkeypatch.setenv("ANA_DATA_DIR", str(home / "other"))
    code, told = run("import", str(path))
    assert (code, "2 new" in told, "To undo: ana undo" in told) == (0, True, True)


def test_two_exports_at_once_are_each_whole(home: Path) -> None:
    settings = load_settings(folders(home, LLM_PROVIDER="offline"))
    write_export(open_workspace(settings), str(home / "alone.jsonl"))
    export = partial(write_export, open_workspace(settings), str(home / "both.jsonl"), force=True)
    running = [threading.Thread(target=export) for _ in range(4)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    assert (home / "both.jsonl").read_bytes() == (home / "alone.jsonl").read_bytes()
    assert not list(home.glob("both.jsonl.*"))


def test_an_export_that_is_read_slowly_keeps_nobody_waiting(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(folders(home, LLM_PROVIDER="offline"))
    written: list[str] = []

    class Slow(BytesIO):
        def write(self, data: Any) -> int:
            memory = open_memory(home / "data", EMBEDDER, Clock(BERLIN), timeout=1)
            written.append(memory.create(f"meanwhile {len(written)}").id)
            memory.close()
            return len(data)

    monkeypatch.setattr("sys.stdout", SimpleNamespace(buffer=Slow(), isatty=lambda: False))
    write_export(open_workspace(settings), "-")
    assert written


def test_a_backup_of_another_embedder_is_embedded_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = home / "b.zip"
    assert run("backup", str(packed))[0] == 0
    monkeypatch.setattr(WordLlamaEmbeddings, "name", "another")
    assert run("items", "milk")[0] == 2
    code, told = run("restore", str(packed))
    assert code == 0
    assert "Everything was restored from" in told
    assert "before-restore" in told
    assert "milk" in run("items", "milk")[1]


@pytest.mark.filterwarnings("ignore:legacy embedding function config")  # Chroma's own, of its own description
def test_a_backup_whose_model_is_not_here_names_the_command_until_it_is_run(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ANA_EMBEDDINGS", "auto")
    monkeypatch.setenv("ANA_EMBEDDER_DIR", str(trust(write_model(tmp_path / "tiny"), monkeypatch)))
    assert run("reindex", "--embeddings", "minilm")[0] == 0
    assert "All is well" in run("doctor")[1]
    assert run("backup", str(home / "b.zip"))[0] == 0
    assert run("reindex", "--embeddings", "wordllama")[0] == 0
    monkeypatch.setenv("ANA_EMBEDDER_DIR", str(tmp_path / "nothing"))
    remedy = "ana reindex --embeddings wordllama"
    for code, *command in (
        (0, "restore", str(home / "b.zip")),
        (0, "describe"),
        (1, "doctor"),
        (2, "items", "milk"),
        (2, "ask", "note: the bins go out on Thursday"),
    ):
        ended, told = run(*map(str, command))
        assert (ended, told.count(remedy), "uses wordllama" in told) == (code, 1, False), told
    assert run(*remedy.split()[1:])[0] == 0
    assert remedy not in run("describe")[1]
    assert "All is well" in run("doctor")[1]
    assert "milk" in run("items", "milk")[1]


READING = ("threads list", "threads show home", "traces")
"""Commands that read a conversation or its trace."""


def test_an_older_program_says_what_to_do_with_a_newer_folder(home: Path) -> None:
    (home / "data" / "format.json").write_text('{"format": 99, "version": "9.1.0"}')
    writing = ("threads delete home --yes", "threads restore home", "ask --thread home hello")
    for command in (*READING, *writing, "trash", "chat", "items"):
        code, shown = run(*command.split())
        assert code == 2, command
        assert "was written by ana 9.1.0 in format 99; this is ana" in shown
        assert "Install ana 9.1.0 or later, or set ANA_DATA_DIR" in shown


def test_an_older_program_says_what_to_do_with_newer_traces(home: Path) -> None:
    (trace,) = (home / "traces").glob("*.jsonl")
    trace.write_text(trace.read_text().replace('"format": 1', '"format": 2'))
    before = trace.read_bytes()
    for command in (*READING, "doctor"):
        code, shown = run(*command.split())
        assert code == 2, command
        assert "was written by a newer ana in format 2" in shown
        assert "Install the newer one" in shown
    assert run("traces", "--purge", "--older-than", "0d")[0] == 2
    assert trace.read_bytes() == before
