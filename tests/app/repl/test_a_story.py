"""What repeats, told and asked about at the REPL: it opens with what is on, and with nothing else."""

import io
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from app.repl.repl import Repl
from tests.stories import STORIES, THREAD, TOLD, ZONES, Life, Story, list_days

NAMES = [story.__name__ for story in STORIES]


def choose_days(story: Story) -> list[date]:
    """Return the days that are asked about here: of the ten around each change its own, and the first with something.

    tests/graph/test_stories.py asks about all of them.
    """
    chosen = set()
    for begin in range(0, len(story.days), 10):
        around = story.days[begin : begin + 10]
        chosen |= {around[5], next((day for day in around if story.on(day)), around[0])}
    return sorted(chosen | ({story.days[0]} if story.change else set()))


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


@pytest.fixture(params=ZONES)
def at_repl(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Typed]:
    with Life(ZoneInfo(request.param)).live(tmp_path) as life:
        yield Typed(life, monkeypatch, capsys)


@pytest.mark.parametrize("tell", STORIES, ids=NAMES)
def test_a_story_is_told_typed_and_opens_the_repl_on_its_days(
    at_repl: Typed, tell: Callable[[ZoneInfo], Story]
) -> None:
    life, story = at_repl.life, tell(at_repl.life.zone)
    life.expect(*(("create_item", {"content": content, "properties": kept}) for content, kept in story.items.items()))
    told = at_repl.type(story.message)
    assert all(f"  + “{content}” (" in told for content in story.items)
    for day in choose_days(story):
        life.at(day)
        said = [message for message in (say_change(life, story, day), say_done(life, story, day)) if message]
        if said:
            assert "  ~ " in at_repl.type(*said)
        expected = [
            f"  {content}{f' ({each[1:]})' if each else ''}"
            for content, times in story.on(day).items()
            for each in times
        ]
        assert list_today(at_repl.type("/due")) == expected, f"what the REPL opens with on {day}"
    life.expect(("query_items", {"where": {"$on": str(day)}}), answer="That is all.")
    assert "· looked for" in at_repl.type("what is on today?")


def say_change(life: Life, story: Story, day: date) -> str:
    """Let the model change what a story says on its first day, and return what is typed; nothing on another."""
    if not story.change or day != story.days[0]:
        return ""
    message, content, properties = story.change
    life.expect(("update_item", {"id": life.find_id(content), "properties": properties}))
    return message


def say_done(life: Life, story: Story, day: date) -> str:
    """Let the model note that what was to be done before a day was, and return what is typed; nothing without any."""
    named, said = [], []
    for content in story.items if story.is_done else ():
        before = (day - timedelta(days=n) for n in range(1, (day - TOLD).days + 1))
        last = next((each for each in before if content in story.on(each)), None)
        item = life.memory.get(id := life.find_id(content))
        moment = f"{last}{story.on(last)[content][-1]}" if last else None
        if moment and item.properties.get("status") != "done" and item.properties.get("done_for") != moment:
            said.append(content)
            named.append(("update_item", {"id": id, "properties": {"status": "done", "done_for": moment}}))
    if not named:
        return ""
    life.expect(*named)
    return f"{' and '.join(said)}: done each time"


def list_today(told: str) -> list[str]:
    """Return the lines of today among those with which the REPL opens."""
    lines = told.splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith("Today")), len(lines))
    rest = lines[first + 1 :]
    return rest[: next((n for n, line in enumerate(rest) if not line.startswith(" ")), len(rest))]


def test_plants_that_were_watered_come_again_ten_days_later(at_repl: Typed) -> None:
    life, due = at_repl.life, date(2026, 9, 5)
    kept = {"type": "task", "status": "active", "repeats": "FREQ=DAILY;INTERVAL=10", "repeat_from": "done"}
    life.expect(("create_item", {"content": "Water the plants", "properties": kept | {"due_date": str(due)}}))
    at_repl.type("the plants want water ten days after they had some, next on Saturday")
    for late in (0, 2, 1):
        life.at(due)
        assert list_today(at_repl.type("/due")) == ["  Water the plants"]
        done = due + timedelta(days=late)
        life.at(done, time(20))
        life.expect(("update_item", {"id": life.find_id("Water the plants"), "properties": {"status": "done"}}))
        told = at_repl.type("I have watered the plants")
        due = done + timedelta(days=10)
        assert f"next {due:%a} {due.day} {due:%b}" in told


def test_hours_that_are_logged_are_told_by_day(at_repl: Typed) -> None:
    life = at_repl.life
    life.expect(("create_item", {"content": "Acme: hours", "properties": {"hours": 0}}))
    at_repl.type("log my hours for Acme")
    id, days = life.find_id("Acme: hours"), [day for n, day in enumerate(list_days(life.zone)) if n % 10 == 5]
    for n, day in enumerate(days, 1):
        life.at(day, time(18))
        life.expect(("update_item", {"id": id, "properties": {"hours": {"$add": n}}}))
        assert "  ~ “Acme: hours”" in at_repl.type(f"{n} hours for Acme today")
    life.at(days[-1], time(23))
    since = str(days[0])
    life.expect(("history", {"since": since, "text": "acme"}), answer="See the line above.")
    at_repl.type("how many hours until now?")
    (last,) = life.handles.traces.read(life.handles.workspace.open_threads().resolve(THREAD))[-1:]
    assert last["steps"][0]["observation"]["sums"]["hours"]["by"] == 1 + 2 + 3


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
