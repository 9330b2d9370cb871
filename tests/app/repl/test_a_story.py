"""A journey, told at the REPL."""

import io
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.repl.repl import Repl
from tests.stories import THREAD, Life


class Typed:
    """Somebody at the REPL of a life.

    Args:
        life: Theirs.
        patch: Sets what the program reads.
        capsys: What it prints.
    """

    def __init__(self, life: Life, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.life, self._patch, self._capsys = life, patch, capsys
        patch.setattr("ana.handles.open_handles", lambda *_, **__: life.handles)

    def type(self, *lines: str) -> str:
        """Open the REPL, type these lines and leave; return what it printed."""
        self._patch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        Repl(self.life.handles.workspace, THREAD).run()
        told = self._capsys.readouterr().out
        assert "could not" not in told
        return told


@pytest.fixture
def at_repl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Typed]:
    with Life(ZoneInfo("America/New_York")).live(tmp_path) as life:
        yield Typed(life, monkeypatch, capsys)


def test_a_journey_is_told_at_the_repl_and_what_was_said_at_home_is_shown_with_both_times(at_repl: Typed) -> None:
    life, home = at_repl.life, at_repl.life.zone
    life.at(date(2026, 9, 7))
    life.expect(("create_item", {"content": "Call", "properties": {"start_date": "2026-09-08T12:00"}}))
    at_repl.type("call on Tuesday at noon")
    told = at_repl.type("/zone", "/zone Freiburg", "/zone Asia/Dubai", "/zone", "/due")
    assert f"Your time zone is {home}." in told
    assert "There is no time zone 'Freiburg'. One is called Europe/Berlin." in told
    assert f"Your time zone is Asia/Dubai now; it was {home}." in told
    assert "Your time zone is Asia/Dubai." in told
    there = datetime(2026, 9, 8, 12, tzinfo=home).astimezone(ZoneInfo("Asia/Dubai"))
    city = str(home).rpartition("/")[2].replace("_", " ")
    assert f"{there:%H:%M} (12:00 in {city})" in " ".join(told.split())
