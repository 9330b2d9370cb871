"""What ana keeps can be read by its owner alone, whichever command comes first."""

import os
import stat
from pathlib import Path

import pytest

from ana.settings import load_settings
from ana.workspace import open_workspace
from ana.workspace.private import find_exposed
from app.cli.doctor import diagnose
from tests.app.conftest import Run
from tests.conftest import folders
from tests.forks import run_forked
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
    script = "import os, sys; os.umask(0o022); from app.cli.main import main; main()"
    env = folders(home / "ana", LLM_PROVIDER="offline") | {"LOG_LEVEL_DEPS": "DEBUG"}
    done = run_forked("-c", script, *arguments, given="/quit\n", cwd=home, env=env)
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


def test_what_others_could_read_is_closed_and_told_once(home: Path) -> None:
    run(home, "ask", "note: buy milk")
    for path in (home / "ana").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (home / "ana").chmod(0o755)
    assert "Others on this machine could read" in run(home, "items")[1]
    assert [path for path in exposed(home / "ana") if path != str(home / "ana")] == []
    assert "Others on this machine" not in run(home, "items")[1]


def test_what_is_not_ours_is_left_alone(ana: Run, tmp_path: Path) -> None:
    shared, logs, target = tmp_path / "tmp", tmp_path / "var", tmp_path / "public.txt"
    for folder in (shared, logs):
        folder.mkdir()
    shared.chmod(0o1777)
    logs.chmod(0o755)
    for path in (logs / "syslog", logs / "ana.log", target):
        path.write_text("x")
        path.chmod(0o644)
    tool = tmp_path / "data" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    (tmp_path / "data" / "link").symlink_to(target)
    tool.write_text("x")
    tool.chmod(0o755)
    assert ana("items", TRACES_DIR=str(shared), LOG_FILE_PATH=str(logs / "ana.log")).returncode == 0
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (shared, logs, logs / "syslog", target, tool)}
    assert modes == {"tmp": 0o1777, "var": 0o755, "syslog": 0o644, "public.txt": 0o644, "tool": 0o755}
    assert stat.S_IMODE((logs / "ana.log").stat().st_mode) == 0o600


def test_a_folder_with_other_files_keeps_its_mode_and_that_is_told_at_first(ana: Run, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    (data / "thesis.tex").write_text("x")
    (data / "thesis.tex").chmod(0o644)
    data.chmod(0o755)
    told = f"The data folder {data} holds other files too, so its mode is left as it is"
    assert told in ana("ask", "note: buy milk").stderr
    assert stat.S_IMODE(data.stat().st_mode) == 0o755
    assert exposed(data) == [str(data), str(data / "thesis.tex")]
    assert told not in ana("items").stderr
    assert told in ana("doctor").stdout
    (data / "thesis.tex").unlink()
    ana("items")
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_doctor_names_what_only_another_can_close(ana: Run, tmp_path: Path) -> None:
    ana("ask", "note: buy milk")
    (tmp_path / "data" / "last_thread").write_text("x")
    (tmp_path / "data" / "last_thread").chmod(0o644)
    settings = load_settings(folders(tmp_path, LLM_PROVIDER="offline"))
    assert find_exposed(open_workspace(settings)) == [tmp_path / "data" / "last_thread"]
    notes = diagnose(open_workspace(settings)).notes
    assert f"{tmp_path / 'data' / 'last_thread'} can be read by others, and only its owner can change that." in notes
