"""`ana history`, `ana undo` and /undo."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import pytest

from ana.errors import UserError
from ana.handles import open_data
from ana.memory.changes import Cause
from ana.settings import Settings, load_settings
from ana.time.clock import Clock
from ana.workspace import open_workspace
from app.cli.history import find_entries, parse_since, show_entries
from app.undo import undo_turn
from tests.app.conftest import Run
from tests.chroma import open_memory
from tests.conftest import BERLIN, EMBEDDER, folders


def filled(settings: Settings) -> str:
    memory = open_memory(settings.ana_data_dir, EMBEDDER, Clock(BERLIN))
    item = memory.create("Dentist", {"due_date": "2026-01-08"}, Cause("a/0", "t", "a")).id
    memory.update(item, None, {"due_date": "2026-01-09"}, Cause("b/0", "t", "b"))
    memory.append_line("Prefers tea", Cause("b/1", "t", "b"))
    memory.update(item, None, {"due_date": "2026-01-10"}, Cause("c/0", "t", "c"))
    memory.close()
    return item


def undo_alone(settings: Settings, turn: str, *, override: bool) -> bool:
    with open_data(open_workspace(settings), "ana undo") as handles:
        return undo_turn(handles.memory, turn, override=override)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(folders(tmp_path))


def test_history_tells_what_was_done_the_newest_first(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    item = filled(settings)
    assert [entry.turn for entry in find_entries(open_workspace(settings), None, None)] == ["c", "b", "b", "a"]
    assert [entry.turn for entry in find_entries(open_workspace(settings), item, "yesterday")] == ["c", "b", "a"]
    assert find_entries(open_workspace(settings), None, "tomorrow") == []
    with pytest.raises(UserError, match="does not name a day"):
        find_entries(open_workspace(settings), None, "whenever")
    (learned,) = find_entries(open_workspace(settings), "0", None)
    show_entries([replace(learned, ts="2026-01-07T23:30:00.000001+00:00")], Clock(BERLIN))
    shown = capsys.readouterr().out
    assert "+ learned: “Prefers tea”" in shown
    assert "2026-01-08 00:30" in shown
    show_entries([], Clock(BERLIN))
    assert "Nothing has been changed." in capsys.readouterr().out


def test_a_conflict_is_shown_and_not_overwritten(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    item = filled(settings)
    assert not undo_alone(settings, "b", override=False)
    told = capsys.readouterr().out
    assert "Nothing was taken back" in told
    assert "ana undo --turn b --force" in told
    assert undo_alone(settings, "b", override=True)
    assert "~ “Dentist” (due Sat 10 Jan -> Thu 8 Jan)" in capsys.readouterr().out
    memory = open_memory(settings.ana_data_dir, EMBEDDER, Clock(BERLIN))
    assert memory.get(item).properties == {"due_date": "2026-01-08"}
    assert memory.lines() == {}
    with pytest.raises(UserError, match="already"):
        undo_turn(memory, "b")
    memory.close()


@pytest.mark.parametrize("answer", [True, False, None])
def test_in_a_terminal_a_conflict_is_asked_about(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, answer: bool | None
) -> None:
    item = filled(settings)
    monkeypatch.setattr("sys.stdin", StringIO())
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)

    def confirm(question: str, default: bool = False) -> bool:
        if answer is None:
            raise click.Abort  # Ctrl-C
        return answer

    monkeypatch.setattr("click.confirm", confirm)
    assert undo_alone(settings, "b", override=False) is bool(answer)
    memory = open_memory(settings.ana_data_dir, EMBEDDER, Clock(BERLIN))
    assert memory.get(item).properties == {"due_date": "2026-01-08" if answer else "2026-01-10"}
    memory.close()


def test_the_commands(ana: Run) -> None:
    said = "new task: Buy milk tomorrow\n/undo\n/undo\nnote: the key is blue\nundo that\nundo the dentist\n"
    shown = ana("chat", given=said).stdout
    assert "Taken back:\n  - “Buy milk" in shown
    assert "ana undo" not in shown
    assert "There is nothing to take back." in shown
    assert "- “the key is blue”" in shown.rpartition("> undo that")[2]
    assert "I changed nothing" in shown.rpartition("> undo the dentist")[2]
    last = json.loads(ana("history", "--json").stdout.splitlines()[0])
    assert last["op"] == "delete"
    assert ana("undo").returncode == 1
    assert "the key is blue" in ana("undo", "--turn", last["turn"]).stdout


def test_undo_in_a_conversation_is_of_that_conversation(ana: Run) -> None:
    given = (
        "new task: Buy milk tomorrow\n/reset\n/undo\nnew task: Buy bread\nundo\n/items\n/redo\n/redo\n/undo\n/redo\n"
    )
    shown = ana("chat", given=given).stdout
    elsewhere = "There is nothing to take back in this conversation. The last change was made in conversation "
    assert elsewhere in shown.partition("/reset")[2].partition("buy bread")[0]
    taken, items, again, twice, *_, last = shown.partition("> undo")[2].split("\n> /")
    assert "Taken back:\n  - “Buy bread”" in taken
    assert "/redo brings it back." in taken
    assert "Buy milk" in items
    assert "Buy bread" not in items
    assert "Brought back:\n  + “Buy bread”" in again
    assert "There is nothing to bring back." in twice
    assert "Brought back:\n  + “Buy bread”" in last


@pytest.mark.parametrize(
    ("since", "day"),
    [("monday", "2026-01-05"), ("wednesday", "2025-12-31"), ("friday", "2026-01-02"), ("today", "2026-01-07")],
)
def test_a_weekday_in_history_is_the_one_that_was(since: str, day: str) -> None:
    clock = Clock(ZoneInfo("UTC"), lambda: datetime(2026, 1, 7, 9, tzinfo=UTC))
    assert parse_since(since, clock).startswith(day)
