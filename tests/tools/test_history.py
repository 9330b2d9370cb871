"""What was done can be asked: of a day, of an item, of words, with what numbers grew by."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.errors import ToolError
from ana.memory.changes import Cause, make_edit
from ana.memory.memory import Memory
from ana.memory.sources import IMPORT
from ana.memory.undo import undo
from ana.models.scripted import calls
from ana.settings import Settings
from ana.time.clock import Clock
from ana.tracing.files import TraceFiles
from tests.conftest import BERLIN, EMBEDDER, THREAD, MakeAssistant
from tools.call import CallContext
from tools.history import MOST_ENTRIES, history


class Diary:
    """A memory in which things are done at given moments."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 8, tzinfo=UTC)
        clock = Clock(BERLIN, lambda: self.now)
        self.memory = Memory(InMemoryBackend(EMBEDDER), clock)
        self.call = CallContext(self.memory, clock)
        self.turn = 0

    def at(self, moment: str) -> Cause:
        """Go to a moment in Berlin, and return the cause of what is done in a new turn."""
        self.now = datetime.fromisoformat(moment).replace(tzinfo=BERLIN).astimezone(UTC)
        self.turn += 1
        return Cause(f"key-{self.turn}", THREAD, f"turn-{self.turn}")

    def ask(self, **asked: str) -> dict[str, Any]:
        found: dict[str, Any] = history.invoke(asked | {"call": self.call})
        return found

    def tell_changes(self, **asked: str) -> list[str]:
        """Return the changes in words, the newest first."""
        turns = self.ask(**asked)["turns"]
        return [f"{verb}: {words}" for turn in turns for change in turn["changes"] for verb, words in tell(change)]


def tell(change: dict[str, str]) -> list[tuple[str, str]]:
    return [(verb, words) for verb, words in change.items() if verb not in ("id", "was")]


@pytest.fixture
def diary() -> Diary:
    diary = Diary()
    fig = diary.memory.create("Water the fig tree", {"status": "active"}, diary.at("2026-01-05T09:00")).id
    acme = diary.memory.create("Acme: hours", {"hours": 2}, diary.at("2026-01-06T09:00")).id
    diary.memory.update(fig, None, {"status": "done"}, diary.at("2026-01-06T23:59"))
    diary.memory.update(acme, None, {"hours": 4.5}, diary.at("2026-01-07T00:00"))
    diary.memory.append_line("Has a fig tree", make_edit())
    diary.memory.delete(fig, diary.at("2026-01-07T12:00"))
    return diary


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"since": "2026-01-07", "until": "2026-01-07"}, ["deleted", "created", "changed"]),
        ({"since": "2026-01-06", "until": "2026-01-06"}, ["changed", "created"]),
        ({"since": "2026-01-06 (Tuesday)", "until": "2026-01-06T09:00"}, ["created"]),
        ({"since": "2026-01-08"}, []),
        ({"until": "2026-01-05"}, ["created"]),
        ({}, ["deleted", "created", "changed", "changed", "created", "created"]),
    ],
)
def test_a_day_is_the_persons_whole_day(diary: Diary, asked: dict[str, str], told: list[str]) -> None:
    assert [line.split(":")[0] for line in diary.tell_changes(**asked)] == told
    assert diary.ask(**asked)["total"] == len(told)


def test_each_change_is_told_from_what_to_what_with_its_turn(diary: Diary) -> None:
    (turn,) = diary.ask(since="2026-01-06T20:00", until="2026-01-06")["turns"]
    (change,) = turn["changes"]
    assert turn["at"] == "2026-01-06T23:59 (Tuesday)"
    assert change["changed"] == "“Water the fig tree” (active -> done)"
    assert [turn.get("by") for turn in diary.ask(since="2026-01-07")["turns"]] == [None, "edit", None]


def test_words_find_what_was_done_with_them(diary: Diary) -> None:
    fig = ["deleted: “Water the fig tree” (done)", "changed: “Water the fig tree” (active -> done)"]
    assert diary.tell_changes(text="fig tree watering", since="2026-01-06") == [
        fig[0],
        "created: learned: “Has a fig tree”",
        fig[1],
    ]
    assert diary.tell_changes(text="water the FIG TREE", since="2026-01-06") == fig
    assert diary.tell_changes(text="bicycle") == diary.tell_changes(text="!") == []


def test_numbers_are_added_up_and_what_was_undone_is_not(diary: Diary) -> None:
    grown = {"hours": {"by": 2.5, "from": 2, "to": 4.5}}
    assert diary.ask(text="acme", since="2026-01-07")["sums"] == grown
    assert diary.ask(text="acme")["sums"] == grown, "what it began with is no growth"
    undo(diary.memory, "turn-4")
    assert "sums" not in diary.ask(text="acme")
    assert diary.ask(text="acme")["turns"][0]["by"] == "undo"
    assert "sums" not in diary.ask(text="fig")
    task = diary.memory.create("Sort the cellar", {"priority": 2, "done": True}, make_edit())
    assert "sums" not in diary.ask(id=task.id)


def test_a_mean_is_told_from_what_to_what_and_not_as_an_amount(diary: Diary) -> None:
    plots = [diary.memory.create(f"Plot {name}", {}, make_edit()).id for name in "AB"]
    for mean in (5.5, 5.75):
        diary.memory.update(plots[0], None, {"mean_ph": mean}, make_edit())
    assert diary.ask(text="plot")["sums"] == {"mean_ph": {"by": 5.75, "from": None, "to": 5.75}}
    diary.memory.update(plots[1], None, {"mean_ph": 6}, make_edit())
    assert diary.ask(text="plot")["sums"] == {"mean_ph": {"by": 11.75, "items": 2}}


def test_an_items_earlier_text_is_told_whole(diary: Diary) -> None:
    first = "Packing list\n" + "socks\n" * 200
    note = diary.memory.create(first, {}, diary.at("2026-01-08T09:00")).id
    diary.memory.update(note, "Packing list\nshoes", None, diary.at("2026-01-08T10:00"))
    (changed,), (created,) = (turn["changes"] for turn in diary.ask(id=note)["turns"])
    assert (changed["was"], "was" in created) == (first, False)
    assert "was" not in diary.ask(since="2026-01-08T10:00")["turns"][0]["changes"][0]


def test_much_is_cut_and_counted(diary: Diary) -> None:
    for n in range(MOST_ENTRIES):
        diary.memory.create(f"Note {n}", {}, make_edit())
        diary.now += timedelta(seconds=1)
    found = diary.ask()
    assert (found["total"], found["truncated"]) == (MOST_ENTRIES + 6, True)
    assert sum(len(turn["changes"]) for turn in found["turns"]) == MOST_ENTRIES
    assert (diary.ask(text="note")["total"], diary.ask(text="note")["truncated"]) == (MOST_ENTRIES, False)


@pytest.mark.parametrize("given", [{"since": "yesterday"}, {"until": "2026-02-30"}, {"since": "2026-01-06 (Monday)"}])
def test_what_is_no_date_is_refused_with_the_form(diary: Diary, given: dict[str, str]) -> None:
    with pytest.raises(ToolError) as error:
        diary.ask(**given)
    assert error.value.hint


def test_the_first_and_the_last_day_there_is_are_bounds_like_others(diary: Diary) -> None:
    assert diary.ask(since="0001-01-01", until="9999-12-31")["total"] == 6


def test_a_model_is_told_what_it_did(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant = make_assistant(
        *(calls(("create_item", {"content": "Acme: hours", "properties": {"hours": 3}})), "Logged."),
        *(calls(("history", {"text": "acme"})), "You logged 3 hours."),
    )
    assistant.ask("3 hours for acme", THREAD)
    answer = assistant.ask("how many hours for acme?", THREAD)
    assert answer.answer == "You logged 3 hours."
    (step,) = TraceFiles(settings.traces_dir).read(THREAD)[-1]["steps"]
    assert step["observation"]["turns"][0]["changes"][0]["created"] == "“Acme: hours” (hours 3)"


def test_of_a_record_that_others_told_it_is_said_who() -> None:
    diary = Diary()
    mine = diary.memory.create("Read", {}, diary.at("2026-01-05T09:00")).id
    others = diary.memory.create("The assistant forgets", {}, make_edit(source=IMPORT)).id
    diary.memory.delete(others, diary.at("2026-01-05T10:00"))
    changes = [change for turn in diary.ask()["turns"] for change in turn["changes"]]
    assert [(change["id"], change.get("source")) for change in changes] == [
        (others, IMPORT),
        (others, IMPORT),
        (mine, None),
    ]
