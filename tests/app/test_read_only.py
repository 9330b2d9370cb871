"""A data folder that cannot be written is read, and not one byte of it changes; whatever would write says so.

The system's refusal is imitated inside the process, because root may write anywhere: test_full_disk.py has a real one.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.upkeep import Upkeep
from ana.backends.chroma.read_only import ReadOnlyChromaBackend, ReadOnlyUpkeep, copy_folder
from ana.errors import StoreBusy, StoreReadOnly
from ana.handles import open_data_folder
from ana.locks import OwnerLock, keep_out_writers
from ana.settings import PROJECT, load_settings
from ana.workspace import open_workspace
from tests.app.conftest import Done
from tests.conftest import EMBEDDER, folders
from tests.forks import run_forked

READING = (
    ("items",),
    ("items", "--why", "milk"),
    ("due",),
    ("history",),
    ("describe",),
    ("trash",),
    ("threads", "list"),
    ("threads", "show", "work"),
    ("approve",),
    ("traces",),
    ("doctor",),
    ("export", "-"),
)
WRITING = (
    ("ask", "note: not to be written"),
    ("ask", "--thread", "work", "note: not to be written"),
    ("undo",),
    ("reindex",),
    ("doctor", "--repair"),
    ("threads", "delete", "work", "--yes"),
    ("traces", "--older-than", "0d", "--purge"),
    ("trash", "--older-than", "0d", "--purge"),
    ("trash", "--older-than", "0d", "--purge", "--with-conversations", "--yes"),
    ("serve",),
    ("dev",),
    ("users", "add", "anna"),
    ("users", "token", "owner"),
    ("mcp",),
)

READER = """
    import errno, os, sys

    folder, may = sys.argv.pop(1), os.access
    writes = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.truncate", "os.symlink", "os.link"}

    def is_inside(path):
        return isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(folder)

    def access(path, mode, **more):
        return not (mode & os.W_OK and is_inside(path)) and may(path, mode, **more)

    def refuse(event, given):
        writing = event in writes or event == "sqlite3.connect"
        if event == "open" and isinstance(given[2], int):
            writing = given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writing and is_inside(given[0]):
            raise OSError(errno.EROFS, "Read-only file system", given[0])

    os.access = access
    sys.addaudithook(refuse)
    from app.cli.main import main

    main()
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with an item, a line, a deleted item and a conversation."""
    env = folders(tmp_path, LLM_PROVIDER="offline")
    run_forked("-m", "app.cli", "ask", "--thread", "work", "note: buy milk", env=env)
    with open_data_folder(open_workspace(load_settings(env)), "a test") as handles:
        handles.memory.append_line("Likes tea")
        handles.memory.delete(handles.memory.create("gone", {}).id)
    return tmp_path


def read(home: Path, *arguments: str, given: str = "") -> Done:
    env = folders(home, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT)) | {"LOG_FILE_PATH": str(home / "log")}
    return run_forked("-c", READER, str(home / "data"), *arguments, given=given, cwd=home, env=env)


def fingerprint(folder: Path) -> dict[str, tuple[int, int, str]]:
    """What every file holds, its permissions and when it was written."""
    files = {path: path.stat() for path in sorted(folder.rglob("*"))}
    return {
        str(path): (at.st_mode, at.st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path, at in files.items()
    }


@pytest.fixture
def unchanged(home: Path) -> Iterator[None]:
    before = fingerprint(home / "data")
    yield
    assert fingerprint(home / "data") == before


@pytest.mark.usefixtures("unchanged")
def test_everything_can_be_read(home: Path) -> None:
    shown = {}
    for command in READING:
        done = read(home, *command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        assert "is read-only: it can be looked at, and nothing is stored." in done.stderr
        shown[command] = done.stdout
    assert "milk" in shown[("items",)]
    assert "gone" in shown[("trash",)]
    assert "milk" in shown[("threads", "show", "work")]
    assert "Likes tea" in shown[("export", "-")]
    assert "1 turn" in shown[("threads", "list")]


@pytest.mark.usefixtures("unchanged")
def test_what_would_write_says_so(home: Path) -> None:
    for command in WRITING:
        done = read(home, *command)
        assert done.returncode == 1, (command, done.stdout, done.stderr)
        assert "is read-only: nothing was changed." in done.stderr, (command, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("unchanged")
def test_the_prompt_shows_and_refuses(home: Path) -> None:
    typed = ("/items", "/context", "/transcript", "note: no", "/context delete 0", "/threads other")
    done = read(home, "chat", "--thread", "work", given="\n".join(typed))
    assert done.returncode == 0, done.stderr
    for shown in ("buy milk", "Likes tea", "> note: no\nThe data folder", "> /context delete 0\nThe data folder"):
        assert shown in done.stdout, (shown, done.stdout)


@pytest.mark.usefixtures("unchanged")
def test_a_backup_of_it_is_complete(home: Path) -> None:
    assert read(home, "backup", str(home / "b.zip")).returncode == 0
    env = folders(home / "elsewhere", LLM_PROVIDER="offline")
    assert run_forked("-m", "app.cli", "restore", str(home / "b.zip"), env=env).returncode == 0
    assert "buy milk" in run_forked("-m", "app.cli", "items", env=env).stdout


def test_the_copy_that_is_read_holds_nothing_of_other_people(tmp_path: Path) -> None:
    (tmp_path / "data" / "people" / "eve").mkdir(parents=True)
    (tmp_path / "data" / "people" / "eve" / "threads.sqlite").write_text("hers")
    (tmp_path / "data" / "threads.sqlite").write_text("his")
    copy_folder(tmp_path / "data", tmp_path / "copy")
    assert [each.name for each in (tmp_path / "copy").rglob("*")] == ["threads.sqlite"]


def test_work_that_was_cut_short_is_named(home: Path) -> None:
    (home / "data" / "restore.json").write_text("{}")
    done = read(home, "items")
    assert done.returncode == 1
    assert "a restore or a repair of it was cut short" in done.stderr


def test_a_reader_waits_for_a_writer(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path / "lock", "The folder")
    lock.acquire()
    with pytest.raises(StoreBusy, match="is being written"), keep_out_writers(tmp_path / "lock", "The folder", 0.05):
        pass
    lock.release()
    with keep_out_writers(tmp_path / "lock", "The folder", 0.05), keep_out_writers(tmp_path / "lock", "It", 0.05):
        pass


READS = {"get_many", "scan", "count", "query", "find_change", "entries", "latest", "turns", "next_line_number"}
READS |= {"hold", "hold_in_order", "reading", "alone", "close", "embedder_name"}
READS |= {"look_up", "position", "deletions", "find_similar", "list_keys", "list_values"}


READS_FOR_UPKEEP = {"embedder", "describe", "read_vectors", "report_to", "hold_closed", "find_damage", "examine"}
READS_FOR_UPKEEP |= {"back_up"}


@pytest.mark.parametrize(
    ("kind", "refusing", "reads"),
    [(ChromaBackend, ReadOnlyChromaBackend, READS), (Upkeep, ReadOnlyUpkeep, READS_FOR_UPKEEP)],
)
def test_every_method_of_the_backend_and_its_upkeep_reads_or_is_refused(
    kind: type, refusing: type, reads: set[str]
) -> None:
    public = {name for name in dir(kind) if not name.startswith("_")}
    refused = {name for name in vars(refusing) if not name.startswith("_")} - reads
    assert public == reads | refused


def test_a_backend_refuses_although_the_folder_has_become_writable(home: Path) -> None:
    backend = ReadOnlyChromaBackend(home / "data", EMBEDDER)
    with pytest.raises(StoreReadOnly, match="was read-only when it was opened"):
        backend.take_line_number()
    backend.close()
