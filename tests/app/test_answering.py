"""/done and /snooze: what rang last is answered, wherever it rang; a date that repeats is marked as on the page."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ana.errors import AnaError, NotFound, UserError
from ana.handles import DataHandles, open_data
from ana.memory.changes import make_edit
from ana.memory.memory import Memory
from ana.memory.routines import ROUTINE
from ana.memory.undo import find_undoable, undo
from ana.reminders.ledger import RingKey
from ana.reminders.ringing import Target
from ana.reminders.sending import Message
from ana.time.clock import Clock
from ana.values import Properties
from ana.workspace import load_workspace
from app.answering import answer, mark_done
from app.reminding import make_ringer
from tests.conftest import BERLIN, live_in


class Day:
    """A person's day with a clock that is moved, and a phone."""

    def __init__(self, handles: DataHandles) -> None:
        self.now = datetime(2026, 12, 1, 11, 0, tzinfo=UTC)
        clock = Clock(BERLIN, lambda: self.now)
        self.memory = Memory(handles.memory.backend, clock)
        self.handles = replace(handles, clock=clock, memory=self.memory)
        self.rung: list[Message] = []

    def after(self, **more: float) -> list[str]:
        """Return what rings when so much time has gone by, by a program that was just started."""
        self.now += timedelta(**more)
        before = len(self.rung)
        make_ringer(self.handles, [Target("phone", "phone", self._take)]).ring()
        return [message.title for message in self.rung[before:]]

    def say(self, act: str) -> str:
        return answer(self.handles, None, act, "thread")

    def _take(self, message: Message) -> str:
        self.rung.append(message)
        return ""


@pytest.fixture
def day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Day]:
    live_in(tmp_path, monkeypatch)
    with open_data(load_workspace(), "a test") as handles:
        yield Day(handles)


def test_done_answers_what_rang_last_and_undo_there_takes_it_back(day: Day) -> None:
    day.memory.create("tea", {"remind": "2026-12-01T12:30"})
    id = day.memory.create("call Anna", {"remind": "2026-12-01T13:00"}).id
    assert day.after(hours=1) == ["tea", "call Anna"]
    assert day.say("done") == "Changed: “call Anna” (done)"
    assert day.memory.get(id).properties["status"] == "done"
    with pytest.raises(NotFound, match="is over"):  # and not the one before it
        day.say("done")
    undo(day.memory, find_undoable(day.memory, "thread"))
    assert day.say("done") == "Changed: “call Anna” (done)"


def test_snooze_says_when_it_rings_again_and_what_rang_late_is_answered_too(day: Day) -> None:
    id = day.memory.create(
        "pill", {"due_date": "2026-12-01T13:00", "repeats": "FREQ=DAILY", "remind": "at the time"}
    ).id
    day.after(hours=1)
    assert day.say("10 minutes") == "“pill” rings again Tuesday December 1 2026, 13:10."
    assert day.after(minutes=10) == ["pill"]
    assert day.say("friday at 8") == "“pill” rings again Friday December 4 2026, 08:00."
    assert day.say("1 hour").endswith("14:10.")
    assert day.after(hours=1) == ["pill"]
    day.say("done")
    assert day.memory.get(id).properties["done_for"] == "2026-12-01T13:00"
    assert day.after(hours=22, minutes=50) == ["pill"], "the next day's"


def test_what_is_no_time_ahead_and_what_never_rang_is_told(day: Day) -> None:
    with pytest.raises(UserError, match="No reminder has rung yet"):
        day.say("done")
    id = day.memory.create("brief", {"type": ROUTINE}).id
    day.handles.workspace.open_ledger().note_delivered("conversation", RingKey(id, "2026-12-01T07:00:00.000000"))
    with pytest.raises(UserError, match="No reminder has rung yet"):
        day.say("done")
    day.memory.create("call Anna", {"remind": "2026-12-01T13:00"})
    day.after(hours=1)
    for phrase in ("soon", "yesterday"):
        with pytest.raises(UserError, match="is no time"):
            day.say(phrase)


@pytest.mark.parametrize(
    ("properties", "done_for"),
    [
        ({"due_date": "2026-12-02", "repeats": "FREQ=WEEKLY", "remind": "the evening before"}, "2026-12-02"),
        ({"due_date": "2026-12-01T20:00", "repeats": "FREQ=DAILY", "missed": "passes"}, "2026-12-01T20:00"),
        ({"start_date": "2026-12-01T20:00", "repeats": "FREQ=DAILY", "zone": "Asia/Tokyo"}, "2026-12-01T20:00"),
        ({"due_date": "2026-12-01T20:00", "repeats": "FREQ=DAILY;INTERVAL=3", "repeat_from": "done"}, "2026-12-01"),
    ],
)
def test_done_marks_the_date_that_rang(day: Day, properties: Properties, done_for: str) -> None:
    id = day.memory.create("it", {"remind": "at the time", "status": "open", **properties}, make_edit()).id
    while not day.after(hours=1):
        assert day.now < datetime(2026, 12, 3, tzinfo=UTC)
    day.say("done")
    assert day.memory.get(id).properties["done_for"] == done_for
    with pytest.raises(AnaError):
        day.say("done")


def test_what_counts_from_when_it_was_done_counts_from_today_also_where_an_older_date_is_shown(day: Day) -> None:
    rule: Properties = {"due_date": "2026-11-20", "repeats": "FREQ=DAILY;INTERVAL=3", "repeat_from": "done"}
    id = day.memory.create("water the fig", rule).id
    day.memory.change_all([id], mark_done(day.handles, "2026-11-20"), make_edit())
    assert day.memory.get(id).properties["due_date"] == "2026-12-04"
