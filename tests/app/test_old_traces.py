"""Traces that were kept in the project go to the data folder of their conversations, once, and none is lost."""

import os
import shutil
from pathlib import Path

import pytest

from ana.handles import open_handles
from ana.models.scripted import ScriptedModel
from ana.settings import PROJECT, Settings, load_settings
from ana.workspace import open_workspace
from app import old_traces
from app.cli.doctor import diagnose
from app.old_traces import move_old_traces
from app.turn import open_assistant
from tests.app.conftest import Run
from tests.conftest import folders

THREADS = [f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b00{n}" for n in range(4)]


def settings_of(path: Path) -> Settings:
    return load_settings({"ANA_DATA_DIR": str(path), "LOG_FILE_PATH": str(path / "log"), "LLM_PROVIDER": "offline"})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The old folder: traces of two data folders with two conversations each, and one of a deleted conversation."""
    old = tmp_path / "traces"
    for number, name in enumerate(("one", "two")):
        settings = settings_of(tmp_path / name).model_copy(update={"traces_dir": old})
        handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=["Hello."] * 2))
        with open_assistant(handles) as assistant:
            for thread in THREADS[2 * number : 2 * number + 2]:
                assistant.ask("hello", thread)
    (old / "f0000000-0000-4000-8000-000000000000.jsonl").write_text("{}\n")
    return old


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.jsonl"))


def test_each_data_folder_gets_its_own(old: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = {path.name: path.read_bytes() for path in old.iterdir()}
    for number, name in enumerate(("one", "two")):
        move_old_traces(open_workspace(settings_of(tmp_path / name)), old)
        assert names(tmp_path / name / "traces") == THREADS[2 * number : 2 * number + 2]
        new = tmp_path / name / "traces"
        assert capsys.readouterr().err == f"The traces of 2 conversations are now in {new}; they were in {old}.\n"
        assert all(path.read_bytes() == kept[path.name] for path in new.iterdir())
        move_old_traces(open_workspace(settings_of(tmp_path / name)), old)
        assert capsys.readouterr().err == "", "once"
    assert names(old) == ["f0000000-0000-4000-8000-000000000000"]


def test_a_folder_that_the_settings_name_stays(old: Path, tmp_path: Path) -> None:
    named = settings_of(tmp_path / "one").model_copy(update={"traces_dir": old})
    move_old_traces(open_workspace(named), old)
    assert len(names(old)) == 5
    assert not (tmp_path / "one" / "traces").exists()


@pytest.mark.parametrize("disks", ["one disk", "two disks"])
def test_a_move_cut_short_anywhere_goes_on(
    disks: str, old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {path.stem: path.read_bytes() for path in old.iterdir()}
    left = [0]

    def cut(operation: object) -> object:
        def run(*arguments: object, **more: object) -> object:
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return operation(*arguments, **more)  # type: ignore[operator]  # one of the functions below

        return run

    def replace(file: Path, to: Path) -> Path:
        if disks == "two disks":
            raise OSError(18, "Invalid cross-device link")
        return file.rename(to)

    monkeypatch.setattr(Path, "replace", replace)
    for name in ("rename", "mkdir", "unlink"):
        monkeypatch.setattr(Path, name, cut(getattr(Path, name)))
    monkeypatch.setattr(shutil, "copy2", cut(shutil.copy2))
    monkeypatch.setattr(os, "fsync", cut(os.fsync))
    for steps in range(40):
        left[0] = steps
        try:
            move_old_traces(open_workspace(settings_of(tmp_path / "one")), old)
        except KeyboardInterrupt:
            there = {path.stem for folder in (old, tmp_path / "one" / "traces.new") for path in folder.glob("*.jsonl")}
            assert there == whole.keys()
            continue
        break
    assert steps > 2
    new = tmp_path / "one" / "traces"
    assert {path.stem: path.read_bytes() for path in new.iterdir()} == {id: whole[id] for id in THREADS[:2]}
    assert names(old) == [*THREADS[2:], "f0000000-0000-4000-8000-000000000000"]


def test_conversations_that_cannot_be_read_stop_no_command(old: Path, tmp_path: Path) -> None:
    (tmp_path / "one" / "threads.sqlite").write_bytes(b"noise" * 1000)
    move_old_traces(open_workspace(settings_of(tmp_path / "one")), old)
    assert len(names(old)) == 5
    assert not (tmp_path / "one" / "traces").exists()


def test_doctor_names_what_is_left(old: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(tmp_path / "one")
    move_old_traces(open_workspace(settings), old)
    monkeypatch.setattr(old_traces.list_old_traces, "__defaults__", (old,))
    assert f"{old} holds 3 traces of another data folder or of no thread." in diagnose(open_workspace(settings)).notes


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
