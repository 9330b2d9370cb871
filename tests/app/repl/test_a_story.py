"""School that closes early on Fridays, told at the REPL: it opens with it on each Friday and on no other day."""

import io
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.repl.repl import Repl
from tests.stories import THREAD, ZONES, Life, list_days

FRIDAYS = {"type": "note", "repeats": "FREQ=WEEKLY;BYDAY=FR", "due_date": "2026-09-04T13:00"}
TODAY = "Today:\n  School closes at 13:00 (13:00)\n"


@pytest.mark.parametrize("zone", ZONES)
def test_a_repl_that_is_opened_on_a_friday_says_when_school_closes(
    zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Life(ZoneInfo(zone)).live(tmp_path) as life:
        monkeypatch.setattr("ana.handles.open_handles", lambda *_, **__: life.handles)

        def type_lines(*lines: str) -> str:
            monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
            Repl(life.handles.workspace, THREAD).run()
            return capsys.readouterr().out

        life.expect(("create_item", {"content": "School closes at 13:00", "properties": FRIDAYS}))
        told = type_lines("From now on school closes at 1 on Fridays")
        assert "  + School closes at 13:00 (" in told
        for day in list_days(life.zone)[:10]:
            life.at(day)
            told = type_lines("/due")
            friday = day + timedelta(days=(4 - day.weekday()) % 7)
            assert (TODAY in told) == (day == friday)
            assert ("Next seven days:\n  School closes at 13:00" in told) == (day != friday)
            assert "Overdue" not in told
        life.at(friday)
        life.expect(("query_items", {"where": {"$on": str(friday), "status": {"$nin": ["done", "cancelled"]}}}))
        assert "School closes at 13:00" in type_lines("anything today?")
