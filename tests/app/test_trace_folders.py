"""Where traces are kept: below the data folder of their conversations, unless the settings name a folder."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from ana.settings import PROJECT, Settings, load_settings
from ana.workspace import open_workspace
from app.cli import doctor
from app.cli.doctor import diagnose
from tests.app.conftest import Run
from tests.conftest import THREAD, folders


def settings_of(path: Path) -> Settings:
    return load_settings({"ANA_DATA_DIR": str(path), "LOG_FILE_PATH": str(path / "log"), "LLM_PROVIDER": "offline"})


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.jsonl"))


def test_doctor_names_the_traces_that_an_early_version_left_in_the_project(
    ana: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, project = tmp_path / "data", tmp_path / "project"
    assert ana("ask", "--thread", THREAD, "hello", ANA_DATA_DIR=str(data), TRACES_DIR="").returncode == 0
    (project / "traces").mkdir(parents=True)
    (data / "traces" / f"{THREAD}.jsonl").rename(project / "traces" / f"{THREAD}.jsonl")
    (project / "traces" / "f0000000-0000-4000-8000-000000000000.jsonl").write_text("{}\n")
    monkeypatch.setattr(doctor, "PROJECT", project)
    told = f"{project / 'traces'} holds 1 trace of conversations that are here; move them here too."
    assert told in diagnose(open_workspace(settings_of(data))).notes


def test_traces_are_below_the_data_folder_unless_named(tmp_path: Path) -> None:
    assert settings_of(tmp_path).traces_dir == tmp_path / "traces"
    assert load_settings({}).traces_dir == PROJECT / ".data" / "traces"
    assert load_settings({"TRACES_DIR": "mine", "ANA_DATA_DIR": str(tmp_path)}).traces_dir == PROJECT / "mine"


def test_purge_backup_and_restore_keep_to_their_own_folder(ana: Run, tmp_path: Path) -> None:
    def run(data: str, *arguments: str) -> str:
        done = ana(*arguments, **folders(tmp_path) | {"ANA_DATA_DIR": str(tmp_path / data), "TRACES_DIR": ""})
        assert done.returncode == 0, done.stderr
        return done.stdout

    for data in ("mine", "other"):
        run(data, "ask", "--thread", data, "note: buy milk")
    run("other", "backup", "other.zip")
    run("other", "traces", "--older-than", "0d", "--purge")
    assert (len(names(tmp_path / "mine" / "traces")), len(names(tmp_path / "other" / "traces"))) == (1, 0)
    run("other", "restore", "other.zip")
    assert (len(names(tmp_path / "mine" / "traces")), len(names(tmp_path / "other" / "traces"))) == (1, 1)
    assert "1 trace;" in run("other", "doctor")


def test_a_backup_and_a_purge_of_the_owner_leave_others_alone_and_the_backup_says_so(ana: Run, tmp_path: Path) -> None:
    env = {"ANA_DATA_DIR": str(tmp_path / "data"), "TRACES_DIR": ""}
    assert ana("ask", "note: buy milk", **env).returncode == 0
    assert "people" not in ana("backup", "alone.zip", **env).stdout
    for person in ("eve", "bob"):
        (tmp_path / "data" / "people" / person).mkdir(parents=True)
        (tmp_path / "data" / "people" / person / "journal.sqlite").write_text("theirs")
    said = ana("backup", "one.zip", **env).stdout
    assert said.endswith("It does not contain the data of other people in people/: bob, eve.\n")
    with ZipFile(tmp_path / "one.zip") as file:
        assert [name for name in file.namelist() if "people" in name] == []
    purge = ("trash", "--purge", "--older-than", "0d", "--with-conversations", "--yes")
    assert ana(*purge, **env).returncode == 0
    assert (tmp_path / "data" / "people" / "eve" / "journal.sqlite").read_text() == "theirs"
