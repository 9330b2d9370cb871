"""What a receipt says: what became of what, whole values, one line for a record."""

from datetime import datetime
from typing import Any

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.memory.changes import Change, make_edit
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.receipts import combine_receipts, describe_change, describe_difference, make_receipt, word_change
from ana.time.clock import Clock
from ana.values import Properties
from tests.conftest import BERLIN, EMBEDDER


def receipt(
    before: Properties | None, after: Properties | None, was: str = "Trip", now: str = "Trip"
) -> dict[str, Any]:
    records = [
        None if each is None else {"content": content, "properties": each, "updated_at": "2026-11-20T08:00:00Z"}
        for each, content in ((before, was), (after, now))
    ]
    op = "create" if before is None else "delete" if after is None else "update"
    return {"op": op, "kind": "item", "id": "abcd2345", "before": records[0], "after": records[1]}


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (None, {"type": "task", "due_date": "2026-11-27"}, "+ “Trip” (task, due Fri 27 Nov)"),
        (None, {"due_date": "2027-01-08T15:00"}, "+ “Trip” (due Fri 8 Jan 2027 15:00)"),
        ({"due_date": "2026-11-25"}, {"due_date": "2026-11-26"}, "~ “Trip” (due Wed 25 Nov -> Thu 26 Nov)"),
        ({"status": "active"}, {"status": "done"}, "~ “Trip” (active -> done)"),
        ({}, {"status": "done"}, "~ “Trip” (done)"),
        ({"due_date": "2026-11-25", "who": "Bo"}, {}, "~ “Trip” (no due, no who)"),
        ({"hours": 9.75}, {"hours": 12.75}, "~ “Trip” (hours 9.75 -> 12.75)"),
        ({"items": ["map", "hat"]}, {"items": ["hat", "goggles"]}, "~ “Trip” (items + goggles, - map)"),
        ({"items": ["a", "b"]}, {"items": ["b", "a"]}, "~ “Trip” (items a, b -> b, a)"),
        (None, {"items": ["a" * 60, "b" * 38, "c", "d"]}, f"+ “Trip” (items {'a' * 60}, {'b' * 38} and 2 more)"),
        (None, {"items": ["a" * 60, "b" * 39]}, f"+ “Trip” (items {'a' * 60} and 1 more)"),
        (None, {"items": ["a" * 101]}, "+ “Trip” (items [101])"),
        ({"start_date": "2026-11-25"}, None, "- “Trip” (start date Wed 25 Nov)"),
        ({"note": "x" * 200}, {"note": "y"}, "~ “Trip” (note [200] -> y)"),
        ({}, {"moved": {"2026-12-09": "2026-12-10"}}, "~ “Trip” (moved Wed 9 Dec -> Thu 10 Dec)"),
        (
            {"moved": {"2026-12-09": "2026-12-10"}},
            {"moved": {"2026-12-09": "2026-12-10", "2026-12-16": "2026-12-17T16:00"}},
            "~ “Trip” (moved Wed 16 Dec -> Thu 17 Dec 16:00)",
        ),
        (
            {},
            {"moved": {f"2027-01-{day:02}T18:30": f"2027-01-{day + 1:02}T18:30" for day in (5, 12, 19, 26)}},
            "~ “Trip” (moved Tue 5 Jan 2027 18:30 -> Wed 6 Jan 2027 18:30, "
            "Tue 12 Jan 2027 18:30 -> Wed 13 Jan 2027 18:30 and 2 more)",
        ),
        ({"moved": {"2026-12-09": "2026-12-10"}}, {"moved": {}}, "~ “Trip” (again Wed 9 Dec)"),
        ({}, {"except": ["2026-12-04"]}, "~ “Trip” (without Fri 4 Dec)"),
        ({"except": ["2026-12-04"]}, {"except": ["2026-12-11"]}, "~ “Trip” (without Fri 11 Dec, again Fri 4 Dec)"),
        (None, {"also": ["2026-12-04", "2026-12-05T10:00"]}, "+ “Trip” (also Fri 4 Dec, Sat 5 Dec 10:00)"),
        ({"also": ["2026-12-04"]}, {"also": ["2026-12-11"]}, "~ “Trip” (also Fri 11 Dec, without Fri 4 Dec)"),
        ({"also": ["2026-12-04"]}, {}, "~ “Trip” (without Fri 4 Dec)"),
    ],
)
def test_a_receipt_tells_what_became_of_what(before: Any, after: Any, said: str) -> None:
    assert describe_change(receipt(before, after)) == said


@pytest.mark.parametrize(
    ("now", "said"),
    [("Trip\nto Oslo", "~ “Trip” (+ “to Oslo”)"), ("Journey", "~ “Trip” -> “Journey”"), ("Trip\n", "~ “Trip”")],
)
def test_a_receipt_tells_what_became_of_a_title(now: str, said: str) -> None:
    assert describe_change(receipt({}, {}, "Trip", now)) == said


def test_a_receipt_of_a_long_line_shows_the_place_that_changed() -> None:
    line = "Lessons cost 37 from April 2027, until then 35, for the twins Mia and Jack together "
    told = describe_change(receipt({}, {}, f"{line}58, until then 55", f"{line}55"))
    start = "…35, for the twins Mia and Jack together"
    assert told.endswith(f"(“{start} 58, until then 55” -> “{start} 55”)")


def test_a_receipt_tells_the_first_line_below_the_title_that_is_another() -> None:
    told = describe_change(receipt({}, {}, "Trip\nto Oslo\nby train", "Trip\nto Rome\nby bus"))
    assert told == "~ “Trip” (“to Oslo” -> “to Rome”)"


def test_a_rule_is_told_in_words_and_one_without_words_as_it_is() -> None:
    friday, second = {"repeats": "FREQ=WEEKLY;BYDAY=FR"}, {"repeats": "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;UNTIL=20270630"}
    assert describe_change(receipt(None, {**friday})) == "+ “Trip” (repeats every week on Friday)"
    told = describe_change(receipt({**friday}, {**second}))
    assert told == "~ “Trip” (repeats every week on Friday -> every 2 weeks on Friday until 2027-06-30)"
    workday = "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"
    assert describe_change(receipt(None, {"repeats": workday})) == f"+ “Trip” (repeats “{workday}”)"
    assert describe_change(receipt(None, {"recurrence": "when it rains"})) == "+ “Trip” (recurrence “when it rains”)"


def test_several_changes_of_one_item_are_one_line_and_one_that_is_as_it_was_has_none() -> None:
    steps = [receipt(None, {"n": 1}), receipt({"n": 1}, {"n": 2}), receipt({"n": 2}, {"n": 3, "done": True})]
    assert [describe_change(each) for each in combine_receipts(steps)] == ["+ “Trip” (n 3, done true)"]
    assert [describe_change(each) for each in combine_receipts(steps[1:])] == ["~ “Trip” (n 1 -> 3, done true)"]
    assert combine_receipts([receipt({"n": 1}, {"n": 2}), receipt({"n": 2}, {"n": 1})]) == []
    assert combine_receipts([receipt(None, {}), receipt({}, None)]) == []


def test_a_date_that_is_not_left_out_any_more_is_told() -> None:
    left_out = receipt({"except": ["2026-12-03"], "due_date": "2026-12-08"}, {"due_date": "2026-12-03"})
    assert word_change(left_out) == "Changed: “Trip” (due Tue 8 Dec -> Thu 3 Dec, again Thu 3 Dec)"


def test_dates_that_were_marked_one_by_one_in_a_turn_are_not_passed_over() -> None:
    medicine: Properties = {"type": "task", "status": "active", "repeats": "FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0"}
    first = medicine | {"due_date": "2026-11-27T14:00", "done_for": "2026-11-27T08:00"}
    second = medicine | {"due_date": "2026-11-27T20:00", "done_for": "2026-11-27T14:00"}
    third = medicine | {"due_date": "2026-11-28T08:00", "done_for": "2026-11-27T20:00"}
    later = medicine | {"due_date": "2026-11-29T08:00", "done_for": "2026-11-28T20:00"}
    marked = [receipt(first, second), receipt(second, third)]
    (line,) = map(describe_change, combine_receipts(marked))
    assert line == "~ “Trip” (done for Fri 27 Nov 14:00, Fri 27 Nov 20:00, next Sat 28 Nov 08:00)"
    (line,) = map(describe_change, combine_receipts([*marked, receipt(third, later)]))
    marks = "done for Fri 27 Nov 14:00, Fri 27 Nov 20:00, Sat 28 Nov 20:00"
    assert line == f"~ “Trip” ({marks}, 2 before it not marked, next Sun 29 Nov 08:00)"


@pytest.mark.parametrize("zone", ["", "+01:00", "-09:00"])
def test_a_receipt_tells_how_many_dates_were_passed_over(zone: str) -> None:
    medicine: Properties = {"type": "task", "status": "active", "repeats": "FREQ=DAILY;BYHOUR=8,14,20;BYMINUTE=0"}
    before = medicine | {"due_date": f"2026-11-27T14:00{zone}", "done_for": f"2026-11-27T08:00{zone}"}
    after = medicine | {"due_date": f"2026-11-29T14:00{zone}", "done_for": f"2026-11-29T08:00{zone}"}
    said = "5 before it not marked"
    assert said in word_change(receipt(before, after))
    assert said not in word_change(receipt(after, before)), "taken back"
    assert said not in word_change(receipt(before | {"missed": "passes"}, after | {"missed": "passes"}))


def test_what_is_gone_or_came_back_is_told_so() -> None:
    item = Item("a", "Buy milk", {}, "", "")
    assert describe_difference(item, None) == "“Buy milk” is no longer there"
    assert describe_difference(None, item) == "“Buy milk” is there again"


def test_what_is_called_as_before_is_told_with_what_differs() -> None:
    old, now = (Item("a", "Buy milk", {"status": status}, "", "") for status in ("active", "done"))
    assert describe_difference(old, now) == "“Buy milk” was changed (active -> done)"


def test_records_that_are_called_the_same_are_told_with_their_dates() -> None:
    days: dict[str, Properties] = {day: {"start_date": f"2026-12-{day}"} for day in ("11", "12")}
    changes = [receipt(old, {**old, "status": "cancelled"}) | {"id": day} for day, old in days.items()]
    assert [describe_change(each) for each in combine_receipts(changes)] == [
        "~ “Trip” (start date Fri 11 Dec, cancelled)",
        "~ “Trip” (start date Sat 12 Dec, cancelled)",
    ]
    assert [describe_change(each) for each in combine_receipts(changes[:1])] == ["~ “Trip” (cancelled)"]


def test_a_tick_tells_which_dates_were_marked_and_how_many_are_left() -> None:
    clock = Clock(BERLIN, lambda: datetime(2026, 12, 3, 9, tzinfo=BERLIN))
    memory, by = Memory(InMemoryBackend(EMBEDDER), clock), make_edit()
    doses: Properties = {"due_date": "2026-12-01", "repeats": "FREQ=DAILY", "until": "2026-12-05", "missed": "waits"}
    made = memory.create("Antibiotic", doses)

    def mark(day: int) -> Change:
        return memory.update(made.id, properties={"status": "done", "done_for": f"2026-12-0{day}"}, cause=by)

    (told,) = combine_receipts(make_receipt(mark(day)) for day in (1, 2))
    assert describe_change(told) == "~ “Antibiotic” (done for Tue 1 Dec, Wed 2 Dec, next Thu 3 Dec, 3 left)"
