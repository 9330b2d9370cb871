"""A person's own files in ana's folders, called nearly as ours are: no command touches them."""

import stat
from pathlib import Path

import pytest

from tests.command_line import run
from tests.conftest import live_in

OWN = (
    *("data/restored-photos/beach.jpg", "data/restored-x", "data/restored-01234567/x", "data/photo.jpg"),
    *("data/my.index.sqlite", "data/items.index.sqlite.copy", "data/journal.sqlite.bak", "data/threads.sqlite2"),
    *("data/chroma-notes.txt", "data/chromatic/scale", "data/chroma.old/chroma.sqlite3", "data/chroma.new/x"),
    *("data/chroma.part/x", "data/set-aside/mine/letter", "data/thread_names.json.old", "data/traces.new.zip"),
    *("data/chroma/readme.txt", "traces/list.jsonl", "log/ana.log.txt", "log/ana.logs"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    live_in(tmp_path, monkeypatch)
    for said in ("note: buy milk", "note: the key is in the tin"):
        assert run("ask", said, "--thread", "home")[0] == 0
    (trace,) = (tmp_path / "traces").iterdir()
    for name in (*OWN, f"traces/{trace.name}.bak"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine: buy milk")
        (tmp_path / name).chmod(0o644)
    return tmp_path


def read_own(home: Path) -> dict[str, int]:
    """Return the mode of each of the person's files that is there and holds what it held."""
    found = (path for path in home.rglob("*") if path.is_file() and not path.is_symlink())
    texts = ((path, path.read_bytes()) for path in found if path.stat().st_size < 100)
    mine = (path for path, text in texts if text == b"mine: buy milk")
    return {str(path.relative_to(home)): stat.S_IMODE(path.stat().st_mode) for path in mine}


def test_no_command_touches_what_is_called_nearly_as_ours(home: Path) -> None:
    before = read_own(home)
    assert len(before) == len(OWN) + 1
    commands = (
        *(["items"], ["doctor"], ["doctor", "--repair"], ["reindex"], ["threads", "list"], ["cost"]),
        *(["backup", str(home / "b.zip")], ["restore", str(home / "b.zip")], ["items"]),
        *(["ask", "delete the note about the milk"], ["threads", "delete", "home", "--yes"]),
    )
    for command in commands:
        code, told = run(*command)
        assert code == 0, (command, told)
        assert read_own(home) == before, command
    for file in (home / "data" / "chroma").glob("*/*.bin"):
        file.write_bytes(bytes(2000))
    (home / "data" / "journal.sqlite").write_bytes(b"damaged")
    (home / "data" / "generation").write_text("another start of the machine")
    assert run("doctor", "--repair")[0] == 0
    assert "key is in the tin" in run("items")[1]
    moved = before.keys() - read_own(home).keys()
    assert moved <= {"data/chroma/readme.txt"}, "what is in Chroma's folder is set aside with it"
    assert not moved or list((home / "data" / "set-aside").glob("*/chroma/readme.txt"))


def test_a_purge_leaves_a_persons_own_where_it_is(home: Path) -> None:
    before = read_own(home)
    assert run("ask", "delete the note about the milk")[0] == 0
    run("threads", "delete", "home", "--yes")
    code, told = run("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes")
    assert code == 0, told
    assert "1 item" in told
    assert read_own(home).keys() == before.keys()
