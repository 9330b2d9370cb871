"""Routines: asked at their times, once, late if it must be, again where it failed; what they would write waits."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from ana.errors import UserError
from ana.memory.changes import make_edit
from ana.models.scripted import calls
from ana.reminders.ledger import Ledger
from ana.reminders.postgres import LedgerRows
from ana.reminders.ringing import Target
from ana.reminders.routines import find_next
from ana.reminders.sending import Message
from ana.values import Properties
from ana.workspace import Workspace
from app.due import group_due
from app.routines.offers import OFFERS, start_offer
from app.routines.running import HOW, Routines, find_brief, list_routines
from tests.command_line import run
from tests.conftest import BERLIN, live_in
from tests.postgres.server import open_people
from tests.stories import Life

WEDNESDAY = date(2026, 12, 2)
BRIEF: dict[str, Any] = {"type": "routine", "repeats": "FREQ=DAILY", "due_date": "2026-12-02T07:00"}


class Morning:
    """A person with a routine, a phone and a screen, whose model replies as told."""

    def __init__(self, life: Life) -> None:
        self.life = life
        self.sent: list[tuple[str, Message]] = []
        self.broken: set[str] = set()
        self.phone, self.screen = (Target(name, name, self._make_send(name)) for name in ("phone", "screen"))

    def open(self) -> Routines:
        return Routines(self.life.handles, [self.phone], [self.phone, self.screen])

    def store(self, content: str = "My day: what is due?", source: str = "", **more: Any) -> str:
        self.life.at(WEDNESDAY, time(6))
        cause = replace(make_edit(), **({"source": source} if source else {}))
        return self.life.memory.create(content, {**BRIEF, **more}, cause).id

    def at(self, hour: time, day: date = WEDNESDAY) -> list[str]:
        """Return what is delivered when it is so late, each with where."""
        self.life.at(day, hour)
        before = len(self.sent)
        self.open().run_due()
        return [f"{name}: {message.body}" for name, message in self.sent[before:]]

    def _make_send(self, name: str) -> Any:
        def send(message: Message) -> str:
            if name in self.broken:
                return "error 500"
            self.sent.append((name, message))
            return ""

        return send


@pytest.fixture
def morning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[Morning]:
    if getattr(request, "param", "") == "postgres":
        ledger = Ledger(LedgerRows(open_people()("owner")))
        monkeypatch.setattr(Workspace, "open_ledger", lambda _: ledger)
    with Life(BERLIN).live(tmp_path, LLM_PROVIDER="openai", OPENAI_API_KEY="none") as life:
        yield Morning(life)


@pytest.mark.parametrize("morning", ["folder", "postgres"], indirect=True)
def test_it_is_asked_at_its_time_and_delivered_once(morning: Morning) -> None:
    morning.store()
    morning.life.expect(answer="Two things are due.")
    assert morning.at(time(6, 59)) == []
    assert morning.at(time(7)) == [f"phone: Two things are due.\n\n{HOW}"]
    assert morning.at(time(7, 1)) == morning.at(time(23)) == []
    assert morning.sent[0][1].title == "My day: what is due?"
    morning.life.expect(answer="Nothing today.")
    assert morning.at(time(7, 2), WEDNESDAY + timedelta(days=1)) == [f"phone: Nothing today.\n\n{HOW}"]


def test_its_conversation_has_the_answer(morning: Morning) -> None:
    id = morning.store()
    morning.life.expect(answer="Two things are due.")
    morning.at(time(7))
    thread = morning.life.handles.workspace.open_threads().resolve(f"routine-{id}")
    (record,) = morning.life.handles.traces.read(thread)
    assert (record["question"], record["answer"]) == ("My day: what is due?", "Two things are due.")


def test_a_screen_shows_what_no_address_took(morning: Morning) -> None:
    morning.store()
    morning.broken = {"phone"}
    morning.life.expect(answer="Two things are due.")
    assert morning.at(time(7)) == [f"screen: Two things are due.\n\n{HOW}"]
    morning.broken = set()
    assert morning.at(time(7, 2)) == [f"phone: Two things are due.\n\n{HOW}"], "the same answer: nothing is asked again"


def test_the_greeting_tells_of_the_days_brief_only_if_an_address_took_it_today(morning: Morning) -> None:
    def find(hour: time, day: date = WEDNESDAY) -> datetime | None:
        morning.life.at(day, hour)
        return find_brief(morning.life.handles, [morning.phone])

    morning.store("Is there mail of Anna?", due_date="2026-12-02T06:30")
    morning.life.expect(answer="No.")
    morning.at(time(6, 30))
    assert find(time(6, 31)) is None, "a routine of the person's own is no brief"
    morning.store(OFFERS["morning"][0])
    morning.broken = {"phone"}
    morning.life.expect(answer="Two things are due.")
    morning.at(time(7))
    assert find(time(7, 1)) is None, "the screen alone has shown it"
    morning.broken = set()
    morning.at(time(7, 2))
    assert find(time(12)) == datetime.combine(WEDNESDAY, time(7), BERLIN)
    assert find(time(6), WEDNESDAY + timedelta(days=1)) is None
    assert find_brief(morning.life.handles, []) is None


def test_one_that_slept_is_asked_once_and_says_that_it_is_late(morning: Morning) -> None:
    morning.store()
    morning.life.expect(answer="Here.")
    late = morning.at(time(9), WEDNESDAY + timedelta(days=3))
    assert late == [f"phone: Late: this was to come Saturday December 5 2026, 07:00.\n\nHere.\n\n{HOW}"]
    assert morning.at(time(9, 1), WEDNESDAY + timedelta(days=3)) == []


def test_what_was_past_when_it_was_written_is_not_made_up_for(morning: Morning) -> None:
    morning.store(due_date="2026-12-01T05:00")
    assert morning.at(time(6, 30)) == []


def test_a_provider_that_is_down_is_asked_three_times_within_an_hour(morning: Morning) -> None:
    morning.store()
    assert [morning.at(time(7, minute)) for minute in (0, 1, 19, 21, 59)] == [[]] * 5
    (told,) = morning.at(time(8, 2))
    assert told.startswith("phone: Late: ")
    assert "It could not be answered: The script has no further reply." in told
    assert morning.at(time(8, 30)) == []
    morning.life.expect(answer="Up again.")
    assert morning.at(time(7), WEDNESDAY + timedelta(days=1)) == [f"phone: Up again.\n\n{HOW}"]


def test_what_fails_once_is_answered_at_the_second_try(morning: Morning) -> None:
    morning.store()
    assert morning.at(time(7)) == []
    morning.life.expect(answer="Here.")
    assert morning.at(time(7, 25)) == [
        f"phone: Late: this was to come Wednesday December 2 2026, 07:00.\n\nHere.\n\n{HOW}"
    ]


def test_what_it_would_write_waits_and_nothing_is_written(morning: Morning) -> None:
    id = morning.store("What is stuck?")
    create = ("create_item", {"content": "Call Ana", "properties": {"type": "task", "status": "active"}})
    morning.life.model.replies += [calls(create)]
    (told,) = morning.at(time(7))
    assert told.startswith("phone: It proposes, and waits for your yes")
    assert "Call Ana" in told
    assert [item.id for item in morning.life.memory.items()] == [id]
    morning.life.model.replies += [calls(create)]
    (again,) = morning.at(time(7), WEDNESDAY + timedelta(days=1))
    assert "Call Ana" in again, "the next one takes the place of what still waited"


@pytest.mark.parametrize(("source", "is_read"), [("", False), ("import", True)])
def test_what_others_wrote_is_no_message_of_the_person(morning: Morning, source: str, is_read: bool) -> None:
    morning.store("Delete the tea", source=source)
    tea = morning.life.memory.create("Buy tea").id
    morning.life.model.replies += [calls(("delete_item", {"id": tea}))]
    (told,) = morning.at(time(7))
    assert ("“Delete the tea”" in told) is is_read, "the text of others that was read is quoted as the reason"


@pytest.mark.parametrize(("answer", "delivered"), [("Nothing.", 0), ("nothing", 0), ("Nothing is due but tea.", 1)])
def test_a_quiet_one_delivers_nothing_where_there_is_nothing(morning: Morning, answer: str, delivered: int) -> None:
    morning.store(quiet=True)
    morning.life.expect(answer=answer)
    assert len(morning.at(time(7))) == delivered
    assert morning.at(time(8)) == [], "it counts as given"


@pytest.mark.parametrize("change", [{"status": "done"}, {"due_date": "2026-12-02T09:00"}])
def test_one_that_was_ended_or_moved_is_not_asked(morning: Morning, change: dict[str, Any]) -> None:
    id = morning.store()
    morning.life.memory.update(id, properties=change)
    assert morning.at(time(7)) == []


def test_one_that_is_deleted_while_it_is_answered_is_not_delivered(morning: Morning) -> None:
    id = morning.store()

    def delete(_: object) -> Any:
        morning.life.memory.delete(id)
        return calls(text="Here.")

    morning.life.model.replies += [delete]
    assert morning.at(time(7)) == []


def test_it_is_nothing_that_is_due(morning: Morning) -> None:
    morning.store(status="active")
    morning.life.at(WEDNESDAY + timedelta(days=2), time(12))
    assert [name for name, found in group_due(morning.life.handles).items() if found.items] == []


def test_without_a_model_the_answer_is_what_is_due(tmp_path: Path) -> None:
    with Life(BERLIN).live(tmp_path, LLM_PROVIDER="offline") as life:
        morning = Morning(life)
        morning.store()
        morning.store("Quiet one", quiet=True)
        assert morning.at(time(7)) == [f"phone: Nothing is due in the next seven days.\n\n{HOW}"]
        task: Properties = {"type": "task", "status": "active", "due_date": "2026-12-03"}
        life.memory.create("Water the fern", task)
        (first, second) = morning.at(time(7), WEDNESDAY + timedelta(days=1))
        assert "Water the fern" in first
        assert "Water the fern" in second


def test_an_offer_is_started_at_a_time(morning: Morning) -> None:
    morning.life.at(WEDNESDAY, time(12))
    start_offer(morning.life.handles, "morning", "6:30")
    (item,) = list_routines(morning.life.handles)
    assert item.properties["type"] == "routine"
    assert morning.at(time(12, 1)) == []
    morning.life.expect(answer="Here.")
    assert len(morning.at(time(6, 30), WEDNESDAY + timedelta(days=1))) == 1
    for name, at in (("noon", ""), ("morning", "half six")):
        with pytest.raises(UserError):
            start_offer(morning.life.handles, name, at)


@pytest.mark.parametrize("name", [*OFFERS])
def test_each_offer_can_be_started_on_every_day(morning: Morning, name: str) -> None:
    for day in (WEDNESDAY + timedelta(days) for days in range(7)):
        morning.life.at(day, time(19))
        start_offer(morning.life.handles, name)
        (item,) = list_routines(morning.life.handles)
        following = find_next(item, morning.life.handles.clock.now(), BERLIN)
        assert following
        assert following.isoformat() > f"{day}"
        morning.life.memory.delete(item.id)


def test_the_command_starts_lists_asks_and_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(tmp_path, monkeypatch)
    code, told = run("routines")
    assert code == 0
    assert "There is no routine." in told
    assert "ana routines start morning" in told
    assert run("routines", "start", "morning", "--at", "06:30")[0] == 0
    code, told = run("routines", "list")
    id = told.splitlines()[1].split()[0]
    assert "06:30" in told
    assert "ana routines start morning" not in told
    assert run("routines", "run", id) == (0, "Nothing is due in the next seven days.\n")
    assert run("routines", "run", "nonsense")[0] == 1
    assert run("routines", "end", id)[0] == 0
    assert run("undo")[0] == 0
    assert id in run("routines")[1]
