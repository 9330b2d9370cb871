"""`ana history`, `ana undo` and /undo."""

import json
from pathlib import Path

import pytest

from ana.clock import Clock
from ana.errors import UserError
from ana.settings import Settings, load_settings
from ana.store.journal import Cause
from ana.store.memory import Memory
from app.history import entries, show_entries, take_back, undone
from tests.app.test_cli import Run, ana  # noqa: F401 - a fixture
from tests.conftest import BERLIN, EMBEDDER, folders


def filled(settings: Settings) -> str:
    memory = Memory(settings.ana_data_dir, EMBEDDER, Clock(BERLIN))
    item = memory.create("Dentist", {"due_date": "2026-01-08"}, Cause("a/0", "t", "a")).id
    memory.update(item, None, {"due_date": "2026-01-09"}, Cause("b/0", "t", "b"))
    memory.append_line("Prefers tea", Cause("b/1", "t", "b"))
    memory.update(item, None, {"due_date": "2026-01-10"}, Cause("c/0", "t", "c"))
    memory.close()
    return item


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(folders(tmp_path))


def test_history_tells_what_was_done_the_newest_first(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    item = filled(settings)
    assert [entry.turn for entry in entries(settings, None, None)] == ["c", "b", "b", "a"]
    assert [entry.turn for entry in entries(settings, item, "yesterday")] == ["c", "b", "a"]
    assert entries(settings, None, "tomorrow") == []
    with pytest.raises(UserError, match="names no day"):
        entries(settings, None, "whenever")
    show_entries(entries(settings, "0", None))
    assert "+ learned: Prefers tea" in capsys.readouterr().out
    show_entries([])
    assert "Nothing has been changed." in capsys.readouterr().out


def test_a_conflict_is_shown_and_not_overwritten(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    item = filled(settings)
    assert not undone(settings, "b", override=False)
    told = capsys.readouterr().out
    assert "Nothing was taken back" in told
    assert "ana undo --turn b --force" in told
    assert undone(settings, "b", override=True)
    assert "~ Dentist (due Thursday 2026-01-08)" in capsys.readouterr().out
    memory = Memory(settings.ana_data_dir, EMBEDDER, Clock(BERLIN))
    assert memory.items.known(item).properties == {"due_date": "2026-01-08"}
    assert memory.lines() == {}
    with pytest.raises(UserError, match="already"):
        take_back(memory, "b")
    memory.close()


def test_the_commands(ana: Run) -> None:  # noqa: F811
    assert ana("undo").returncode == 1
    said = "add buy milk tomorrow\n/undo\n/undo\nundo that\n"
    shown = ana("chat", given=said).stdout
    assert "Taken back:\n  - Buy milk" in shown
    assert "There is nothing to take back." in shown
    assert "/undo" in shown.rpartition("> undo that")[2]
    ana("ask", "note: the key is in the tin")
    assert json.loads(ana("history", "--json").stdout.splitlines()[0])["op"] == "create"
    done = ana("undo")
    assert (done.returncode, done.stdout) == (0, "Taken back:\n  - The key is in the tin (note)\n")


def test_trash(ana: Run) -> None:  # noqa: F811
    assert ana("trash").stdout == "The trash is empty.\n"
    ana("ask", "add buy milk tomorrow")
    ana("ask", "delete the milk")
    id = ana("trash", "list").stdout.splitlines()[1].split()[0]
    assert "+ Buy milk" in ana("trash", "restore", id).stdout
    assert ana("trash", "restore", id).returncode == 1
    ana("ask", "delete the milk")
    assert ana("trash", "--purge").stderr == "0 items are forgotten for ever.\n"
    assert ana("trash", "--purge", "--older-than", "soon").returncode == 1
    assert ana("trash", "--purge", "--older-than", "0d").stderr == "1 items are forgotten for ever.\n"
    assert ana("trash").stdout == "The trash is empty.\n"
