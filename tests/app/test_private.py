"""What ana keeps can be read by its owner alone, whichever command comes first."""

import os
import stat
from pathlib import Path

import pytest

from ana.settings import load_settings
from ana.workspace import open_workspace
from app.cli.doctor import diagnose
from tests.app.conftest import Run
from tests.command_line import run_here
from tests.conftest import folders
from tests.servers import own_serving

FIRST = (
    ("ask", "--thread", "work", "note: buy milk"),
    ("chat",),
    ("doctor",),
    ("export", "out.jsonl"),
    ("backup", "new/b.zip"),
    ("threads", "list"),
)


def exposed(path: Path) -> list[str]:
    """Files and folders below a folder that others may read, links apart."""
    found = [path, *path.rglob("*")]
    return [str(each) for each in found if stat.S_IMODE(each.lstat().st_mode) & 0o077 and not each.is_symlink()]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that others may read, as one's home may be."""
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    return home


def run(home: Path, *arguments: str) -> tuple[int, str]:
    """Run a command where what is written may be read by others unless it is said otherwise."""
    env = folders(home / "ana", LLM_PROVIDER="offline") | {"LOG_LEVEL_DEPS": "DEBUG"}
    before = os.umask(0o022)
    try:
        done = run_here(*arguments, given="/quit\n", cwd=home, env=env)
    finally:
        os.umask(before)
    return done.returncode, done.stderr


@pytest.mark.parametrize("first", FIRST, ids=lambda first: first[0])
def test_everything_is_private_whichever_command_comes_first(home: Path, first: tuple[str, ...]) -> None:
    run(home, *first)
    assert run(home, "ask", "note: buy bread")[0] == 0
    assert not [path for path in exposed(home) if path != str(home)]


def test_everything_is_private_if_the_server_comes_first(home: Path) -> None:
    before = os.umask(0o022)
    try:
        with own_serving(folders(home / "ana", LLM_PROVIDER="offline"), home / "log") as server:
            import httpx

            assert httpx.post(f"{server.url}/ask", json={"question": "note: buy milk"}, timeout=60).status_code == 200
    finally:
        os.umask(before)
    assert (home / "ana" / "data" / "journal.sqlite").exists()
    assert not exposed(home / "ana")


def test_what_others_could_look_into_is_closed_and_told_once(home: Path) -> None:
    run(home, "ask", "note: buy milk")
    (home / "ana" / "data").chmod(0o755)
    told = f"Others on this machine could look into {home / 'ana' / 'data'}; now only you can."
    assert told in run(home, "items")[1]
    assert stat.S_IMODE((home / "ana" / "data").stat().st_mode) == 0o700
    assert told not in run(home, "items")[1]


def test_folders_that_others_use_are_left_alone(ana: Run, tmp_path: Path) -> None:
    shared, logs = tmp_path / "tmp", tmp_path / "var"
    for folder in (shared, logs):
        folder.mkdir()
    shared.chmod(0o1777)
    logs.chmod(0o755)
    for path in (logs / "syslog", logs / "ana.log"):
        path.write_text("x")
        path.chmod(0o644)
    assert ana("items", TRACES_DIR=str(shared), LOG_FILE_PATH=str(logs / "ana.log")).returncode == 0
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (shared, logs, logs / "syslog")}
    assert modes == {"tmp": 0o1777, "var": 0o755, "syslog": 0o644}
    assert stat.S_IMODE((logs / "ana.log").stat().st_mode) == 0o600


def test_doctor_names_what_only_another_can_close(ana: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ana("ask", "note: buy milk")
    (tmp_path / "data").chmod(0o755)
    settings = load_settings(folders(tmp_path, LLM_PROVIDER="offline"))
    notes = diagnose(open_workspace(settings)).notes
    assert f"{tmp_path / 'data'} can be read by others, and only its owner can change that." in notes
