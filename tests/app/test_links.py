"""Links planted in ana's folders: nothing is written through one, and a person may still keep folders elsewhere."""

import io
import logging
import os
import shutil
import stat
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ana.logs import set_up_logging
from ana.own_files import DATABASES, FOLDERS, LINKABLE, NOTES
from ana.settings import load_settings
from tests.app.test_damage import ana as run
from tests.app.test_small_files import lived_in
from tests.conftest import folders
from tests.terminal import Terminal

__all__ = ["lived_in"]

VICTIM = "the person's own words\n"
QUICK = (
    *(["items"], ["ask", "--thread", "home", "note: the bins go out"], ["ask", "note: buy milk"], ["threads", "list"]),
    *(["chat"], ["cost"]),
)
SLOW = (["doctor"], ["doctor", "--repair"], ["reindex"], ["trash", "--purge", "--older-than", "0d"])
SELDOM = ("restore.json", "rebuilding.json", "purging", *DATABASES)
"""Files that the slow commands write."""

STOPPING = ("format.json", "generation", "lock", "lock.owner", *SELDOM)
"""Files without which no command goes on; links in the place of all others are planted together."""

REFUSED = "is a symbolic link, and ana writes through none in its own folders. Delete the link;"

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file of the person's own, which nothing may change."""
    victim = tmp_path / "victim"
    victim.write_text(VICTIM)
    victim.chmod(0o644)
    yield victim
    assert victim.read_text() == VICTIM
    assert stat.S_IMODE(victim.stat().st_mode) == 0o644


def plant(link: Path, target: Path) -> None:
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def run_all(capsys: Shown, monkeypatch: pytest.MonkeyPatch, commands: Iterable[list[str]] = QUICK) -> str:
    """Run commands, each of which may fail with a sentence, and return what they print."""
    told = ""
    for command in commands:
        monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
        code, said = run(capsys, *command)
        assert "Traceback" not in said
        assert code in (0, 1, 2), said
        told += said
    return told


@pytest.mark.parametrize(
    "names", [*((name,) for name in STOPPING), tuple(sorted({*NOTES} - {*STOPPING}))], ids="+".join
)
def test_nothing_is_written_through_a_link_in_the_place_of_a_file(
    home: Path, victim: Path, names: tuple[str, ...], capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = (*QUICK, *SLOW) if names[0] in SELDOM else QUICK
    for target in (victim, victim.with_name("nobody")):
        for name in names:
            plant(home / "data" / name, target)
        run_all(capsys, monkeypatch, commands)
    assert not victim.with_name("nobody").exists()


def test_nothing_is_written_through_a_link_deeper_in_the_folders(
    home: Path, victim: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = home / "traces" / f"{uuid.uuid5(uuid.NAMESPACE_URL, 'ana:thread:home')}.jsonl"
    assert trace.exists()
    inside = [
        trace,
        *(home / "data" / "chroma").glob("*/data_level0.bin"),
        *(home / "data" / "chroma").glob("*/length.bin"),
    ]
    (home / "data" / "locks").mkdir(exist_ok=True)
    inside += [home / "data" / "locks" / f"{trace.stem}{suffix}" for suffix in (".lock", ".owner")]
    for link in inside:
        plant(link, victim)
        told = run_all(capsys, monkeypatch, (*QUICK, ["doctor"]))
        assert REFUSED in told or "in its own folders. No record" in told
        link.unlink(missing_ok=True)


@pytest.mark.parametrize("name", [name for name in FOLDERS if name not in (*LINKABLE, "traces")])
def test_a_folder_that_is_a_link_is_refused_with_the_next_step(home: Path, name: str, capsys: Shown) -> None:
    (home / "elsewhere").mkdir(mode=0o755)
    (home / "elsewhere" / "photo.jpg").write_text(VICTIM)
    (home / "elsewhere" / "photo.jpg").chmod(0o644)
    shutil.rmtree(home / "data" / name, ignore_errors=True)
    (home / "data" / name).symlink_to(home / "elsewhere")
    for command in (["items"], ["ask", "hello"], ["doctor", "--repair"]):
        code, told = run(capsys, *command)
        assert code == 1
        assert told.startswith(f"{home / 'data' / name} {REFUSED}")
    assert [path.name for path in (home / "elsewhere").iterdir()] == ["photo.jpg"]
    assert stat.S_IMODE((home / "elsewhere" / "photo.jpg").stat().st_mode) == 0o644
    (home / "data" / name).unlink()
    assert "buy milk" in run(capsys, "items")[1]


def test_folders_that_a_setting_names_may_be_links(
    home: Path, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("data", "traces", "log"):
        (home / name).rename(tmp_path / f"real {name}")
        (home / name).symlink_to(tmp_path / f"real {name}")
    (tmp_path / "disk").mkdir()
    shutil.move(home / "data" / "chroma", tmp_path / "disk" / "chroma")
    (home / "data" / "chroma").symlink_to(tmp_path / "disk" / "chroma")
    (home / "data" / "backups").symlink_to(tmp_path / "disk")
    (home / "log" / "ana.log").rename(tmp_path / "the log")
    (home / "log" / "ana.log").symlink_to(tmp_path / "the log")
    before = (tmp_path / "the log").stat().st_size
    for command in (*QUICK, *SLOW):
        monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
        logging.getLogger("ana").warning("a line")
        code, told = run(capsys, *command)
        assert code == 0, told
    assert (tmp_path / "the log").stat().st_size > before
    assert "the bins go out" in run(capsys, "items")[1]
    assert (tmp_path / "disk" / "chroma" / "chroma.sqlite3").exists()


def test_traces_and_a_log_in_their_own_place_are_no_links(
    tmp_path: Path, victim: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.settings.PROJECT", tmp_path)
    monkeypatch.setattr("ana.settings.is_checkout", lambda: True)
    for name in ("TRACES_DIR", "LOG_FILE_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LLM_PROVIDER", "offline")
    monkeypatch.setenv("ANA_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    (tmp_path / "elsewhere").mkdir()
    for link in (tmp_path / "data" / "traces", tmp_path / "logs"):
        link.symlink_to(tmp_path / "elsewhere")
        code, told = run(capsys, "items")
        assert (code, told.startswith(f"{link} {REFUSED}")) == (1, True)
        link.unlink()
    (tmp_path / "logs").mkdir()
    plant(tmp_path / "logs" / "ana.log", victim)
    set_up_logging(load_settings({"LOG_FILE_PATH": "", "LLM_PROVIDER": "offline"}))
    logging.getLogger("ana").warning("a line")
    assert "ana.log is a symbolic link" in capsys.readouterr().err
    for handler in list(logging.root.handlers):
        if isinstance(handler, logging.FileHandler):
            logging.root.removeHandler(handler)
            handler.close()


def test_typed_lines_are_not_written_through_a_link(home: Path, victim: Path) -> None:
    plant(home / "data" / "typed", victim)
    terminal = Terminal(folders(home, LLM_PROVIDER="offline"))
    try:
        terminal.until("Delete the link;")
    finally:
        terminal.close()
    assert os.readlink(home / "data" / "typed") == str(victim)
