"""Stories of what repeats, lived through with the tools: kept once, asked about on other days, done, skipped, moved."""

import json
import re
from datetime import date
from typing import Any

import pytest

from ana.errors import ToolError
from ana.memory.receipts import make_receipt
from ana.memory.undo import find_undoable, undo
from tests.conftest import BERLIN
from tests.memory.conformance import find_due
from tests.stories import Life
from tools.items import update_item

OPEN = {"status": {"$nin": ["done", "cancelled"]}}


@pytest.fixture
def life() -> Life:
    return Life(BERLIN).go("2026-11-27T08:00")


def test_no_swimming_this_week_then_on_another_day_then_from_now_on(life: Life) -> None:
    told = life.keep("Swimming", type="class", repeats="FREQ=WEEKLY;BYDAY=TH", due_date="2026-12-03T15:00")
    id = told["id"]
    skipped = life.go("2026-12-01T09:00").change(id, **{"except": {"$add": ["2026-12-03 (Thursday)"]}})
    assert skipped["next"].startswith("2026-12-10T15:00 (Thursday)")
    assert life.find(**{"$on": "2026-12-03"}) == {}
    moved = life.change(id, moved={"2026-12-10 (Thursday)": "2026-12-11T16:00"})
    assert moved["next"].startswith("2026-12-11T16:00 (Friday), 2026-12-17T15:00 (Thursday)")
    assert life.find(**{"$on": "2026-12-10"}) == {}
    assert life.find(**{"$on": "2026-12-11"}) == {"Swimming": "2026-12-11T16:00 (Friday)"}
    with pytest.raises(ToolError, match="not one of its dates") as caught:
        life.change(id, due_date="2026-12-14T15:00")
    assert '{"moved": {"2026-12-10": "2026-12-14T15:00"}}' in caught.value.hint
    later = life.change(id, repeats="every Monday", due_date="2026-12-14T15:00")
    assert later["next"].startswith("2026-12-14T15:00 (Monday), 2026-12-21T15:00 (Monday)")
    assert life.change(id, due_date="2026-12-14T16:30")["next"].startswith(
        "2026-12-14T16:30 (Monday), 2026-12-21T16:30"
    )


def test_rent_on_the_last_day(life: Life) -> None:
    told = life.keep("Pay the rent", type="task", status="active", repeats="monthly on the last day")
    assert told["next"] == "2026-11-30 (Monday), 2026-12-31 (Thursday), 2027-01-31 (Sunday)"
    early = life.go("2026-11-28T10:00").change(told["id"], status="done")
    assert early["done"].startswith("for 2026-11-30 (Monday); next 2026-12-31")
    late = life.go("2027-02-02T10:00").change(told["id"], status="done", done_for="2026-12-31")
    assert late["done"].startswith("for 2026-12-31 (Thursday); next 2027-01-31")
    assert life.memory.get(told["id"]).properties["repeats"] == "FREQ=MONTHLY;BYMONTHDAY=-1"


def test_a_class_until_june_ends_and_says_so(life: Life) -> None:
    told = life.keep(
        "Spanish",
        type="class",
        repeats="every Monday",
        start_date="2026-11-30T18:00",
        end_date="2026-11-30T19:30",
        until="2027-06-28",
    )
    assert life.find(**{"$on": "2027-06-28"}) == {"Spanish": "2027-06-28T18:00 (Monday)"}
    assert life.find(**{"$on": "2027-07-05"}) == {}
    life.go("2027-07-01T10:00")
    (found,) = life.call("query_items", where={"type": "class"})["items"]
    assert found["ended"] is True
    assert life.memory.get(told["id"]).properties["start_date"] == "2026-11-30T18:00", "the clock writes nothing"


def test_of_what_takes_place_nobody_is_told_what_becomes_of_a_date_that_is_missed(life: Life) -> None:
    told = life.keep("Yoga", type="appointment", repeats="every Tuesday", start_date="2026-12-01T18:30")
    assert told["repeats"] == "every week on Tuesday"
    assert "if_missed" not in told
    closes = life.keep("School closes at 1", repeats="every Friday", due_date="2026-11-27T13:00")
    assert closes["if_missed"] == "passes by itself"


def test_plants_ten_days_after_they_were_watered(life: Life) -> None:
    plants = {"type": "task", "status": "active", "repeats": "every 10 days", "repeat_from": "done"}
    told = life.keep("Water the plants", due_date="2026-12-01", **plants)
    assert (told["next"], told["if_missed"]) == ("2026-12-01 (Tuesday)", "waits until it is done")
    done = life.go("2026-12-04T10:00").change(told["id"], status="done")
    assert done["done"] == "for 2026-12-04 (Friday); next 2026-12-14 (Monday)"
    assert "Nothing changed" in life.go("2026-12-04T18:00").change(told["id"], status="done")["done"]
    yesterday = life.go("2026-12-20T18:00").change(told["id"], status="done", done_for="2026-12-19")
    assert yesterday["done"] == "for 2026-12-19 (Saturday); next 2026-12-29 (Tuesday)"


def test_every_second_weekend_is_a_span(life: Life) -> None:
    span = {"start_date": "2026-11-28", "end_date": "2026-11-29"}
    with pytest.raises(ToolError, match="lasts longer"):
        life.keep("Jan has the kids", type="event", repeats="every second weekend", **span)
    life.keep("Jan has the kids", type="event", repeats="FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", **span)
    on_sunday = {"start_date": {"$lte": "2026-12-13"}, "end_date": {"$gte": "2026-12-13"}}
    assert life.find(**on_sunday) == {"Jan has the kids": "2026-12-12 (Saturday)"}
    between = {"start_date": {"$lte": "2026-12-08"}, "end_date": {"$gte": "2026-12-08"}}
    assert life.find(**between) == {}, "both conditions must hold for the same weekend"


def test_every_second_weekend_as_a_recurrence_begins_on_saturdays_alone(life: Life) -> None:
    span = {"start_date": "2026-11-28", "end_date": "2026-11-29"}
    life.keep("Jan has the kids", recurrence="every second weekend", **span)
    days = ("2026-11-29", "2026-11-30", "2026-12-06", "2026-12-12", "2026-12-13", "2026-12-14")
    assert [day for day in days if life.find(**{"$on": day})] == ["2026-11-29", "2026-12-12", "2026-12-13"]
    life.keep("Shifts", recurrence="every weekend", start_date="2026-11-28T18:00", end_date="2026-11-28T23:00")
    assert "Shifts" in life.find(**{"$on": "2026-11-29"})


@pytest.mark.parametrize("due", [{}, {"due_date": "2026-11-27"}])
def test_hours_without_minutes_are_whole_hours_unless_a_date_has_minutes(life: Life, due: dict[str, str]) -> None:
    hours = {"repeats": "FREQ=DAILY;BYHOUR=8,14,20", "missed": "waits"}
    told = life.go("2026-11-27T07:30").keep("Antibiotic", **hours, **due)
    assert told["next"].startswith("2026-11-27T08:00 (Friday), 2026-11-27T14:00")
    told = life.keep("Drops", **hours, due_date="2026-11-27T08:30")
    assert told["next"].startswith("2026-11-27T08:30 (Friday), 2026-11-27T14:30")


def test_a_rule_in_words_is_told_when_it_changes_and_when_a_date_does_not_fit(life: Life) -> None:
    id = life.keep("Bins", due_date="2026-12-01T18:00", recurrence="every Tuesday evening")["id"]
    told = life.change(id, recurrence="every second Tuesday evening")
    assert told["repeats"] == "every 2 weeks on Tuesday"
    assert told["next"].startswith("2026-12-01T18:00 (Tuesday), 2026-12-15")
    with pytest.raises(ToolError, match="it repeats every second Tuesday evening"):
        life.change(id, due_date="2026-12-02T18:00")


def test_a_receipt_shows_a_moment_with_another_offset_in_the_zone_of_the_person(life: Life) -> None:
    told = life.keep("Call", due_date="2026-11-23T19:24:00Z", span=["2026-11-23T20:00+01:00"])
    assert told["properties"]["due_date"] == "2026-11-23T19:24:00Z (Monday 20:24 in Europe/Berlin)"
    (entry,) = life.memory.history()
    assert make_receipt(entry.change, BERLIN)["after"]["properties"] == {
        "due_date": "2026-11-23T20:24:00+01:00",
        "span": ["2026-11-23T20:00+01:00"],
    }


def test_what_is_written_is_checked_with_the_right_form(life: Life) -> None:
    for properties in (
        {"repeats": "FREQ=SECONDLY"},
        {"repeats": "now and then"},
        {"repeats": ["weekly"]},
        {"repeats": "weekly", "repeat_from": "then"},
        {"repeats": "weekly", "missed": "maybe"},
        {"repeats": "weekly", "except": ["next week"]},
        {"repeats": "weekly", "moved": {"2026-12-01": "soon"}},
        {"repeats": "every Tuesday", "repeat_from": "done"},
        {"repeats": "every Friday", "due_date": "2026-12-01"},
        {"repeats": "every Friday", "due_date": "2026-12-04", "except": ["2026-12-05"]},
        {"repeats": "every Friday", "due_date": "2026-12-04", "also": ["next week"]},
        {"repeats": "every Friday", "due_date": "2026-12-04", "except": ["2026-12-11"], "also": ["2026-12-11"]},
    ):
        with pytest.raises(ToolError) as caught:
            life.keep("Thing", **properties)
        assert caught.value.hint
    assert life.memory.count() == 0


def test_an_extra_lesson_is_found_rings_out_and_is_taken_away_again(life: Life) -> None:
    told = life.keep("Swimming", type="class", repeats="every Thursday", due_date="2026-12-03T15:00")
    id = told["id"]
    added = life.change(id, also={"$add": ["2026-12-01T10:00 (Tuesday)"]})
    assert added["next"].startswith("2026-12-01T10:00 (Tuesday), 2026-12-03T15:00 (Thursday), 2026-12-10T15:00")
    assert life.find(**{"$on": "2026-12-01"}) == {"Swimming": "2026-12-01T10:00 (Tuesday)"}
    assert [each.content for each in find_due(life.memory, date(2026, 12, 1), date(2026, 12, 1)).items] == ["Swimming"]
    assert life.go("2026-12-02T09:00").find() == {"Swimming": "2026-12-03T15:00 (Thursday)"}
    assert life.find(**{"$on": "2026-12-02"}) == {}
    with pytest.raises(ToolError, match="2026-12-01 is in also") as caught:
        life.change(id, **{"except": {"$add": ["2026-12-01"]}})
    assert '{"also": {"$remove": [DATE]}}' in caught.value.hint
    life.change(id, also={"$remove": ["2026-12-01T10:00"]})
    assert life.find(**{"$on": "2026-12-01"}) == {}


def test_single_dates_are_done_one_by_one_and_then_it_is_over(life: Life) -> None:
    told = life.keep(
        "Blood test", type="task", status="active", due_date="2026-12-01", also=["2026-12-15", "2026-12-08"]
    )
    id = told["id"]
    assert told["repeats"] == "on single dates"
    assert told["next"] == "2026-12-01 (Tuesday), 2026-12-08 (Tuesday), 2026-12-15 (Tuesday)"
    assert life.find(**{"$on": "2026-12-15"}) == {"Blood test": "2026-12-15 (Tuesday)"}
    done = life.go("2026-12-01T09:00").change(id, status="done")
    assert done["done"] == "for 2026-12-01 (Tuesday); next 2026-12-08 (Tuesday), 2026-12-15 (Tuesday)"
    with pytest.raises(ToolError, match="not one of its dates: it repeats on single dates"):
        life.change(id, due_date="2026-12-09")
    early = life.go("2026-12-07T09:00").change(id, status="done", done_for="2026-12-15")
    assert early["done"] == "for 2026-12-15 (Tuesday); next 2026-12-08 (Tuesday)"
    life.go("2026-12-08T09:00").change(id, status="done")
    properties = life.memory.get(id).properties
    assert (properties["status"], properties["due_date"]) == ("done", "2026-12-08")
    undo(life.memory, find_undoable(life.memory))
    assert life.find(**OPEN) == {"Blood test": "2026-12-08 (Tuesday)"}


def test_an_end_that_is_given_takes_away_what_was_added_after_it(life: Life) -> None:
    told = life.keep("Course", type="course", repeats="every Thursday", due_date="2026-12-03", also=["2027-01-09"])
    life.change(told["id"], until="2026-12-31")
    assert "also" not in life.memory.get(told["id"]).properties
    life.change(told["id"], also=["2027-01-09"])
    assert life.find(**{"$on": "2027-01-09"}) == {"Course": "2027-01-09 (Saturday)"}


def test_one_of_several_times_of_a_day_that_is_done_early_leaves_the_others(life: Life) -> None:
    id = life.keep(
        "Ramipril", due_date="2026-11-28", type="task", status="active", repeats="FREQ=DAILY;BYHOUR=8,14,20"
    )["id"]
    life.change(id, status="done", done_for="2026-11-28T14:00")
    assert life.memory.get(id).properties["except"] == ["2026-11-28T14:00"]


def test_an_older_item_is_read_where_it_is_clear(life: Life) -> None:
    told = life.keep("Gym", recurrence="every Monday", due_date="2026-11-30", type="appointment")
    assert life.find(**{"$on": "2026-12-07"}) == {"Gym": "2026-12-07 (Monday)"}
    unread = life.keep("Walk", recurrence="when it rains", due_date="2026-11-30")
    assert "not read as a rule" in unread["note"]
    life.go("2026-11-30T20:00").change(told["id"], status="done")
    properties = life.memory.get(told["id"]).properties
    assert (properties["repeats"], properties.get("recurrence")) == ("FREQ=WEEKLY;BYDAY=MO", None)


def test_an_overdue_task_that_is_found_on_a_later_day_says_since_when_it_is_open(life: Life) -> None:
    life.keep("Bins", type="task", status="active", repeats="every Tuesday", due_date="2026-12-01")
    (found,) = life.go("2026-12-08T08:00").call("query_items", where={"$on": "2026-12-08"})["items"]
    assert (found["properties"]["due_date"], found["open_since"]) == ("2026-12-08 (Tuesday)", "2026-12-01 (Tuesday)")


def test_the_last_time_ends_a_series_and_cancelling_one_date_is_told_apart(life: Life) -> None:
    told = life.keep(
        "Course homework", type="task", status="active", repeats="FREQ=WEEKLY;COUNT=2", due_date="2026-11-30"
    )
    life.go("2026-11-30T20:00").change(told["id"], status="done")
    last = life.go("2026-12-07T20:00").change(told["id"], status="done")
    assert "the series has ended" in last["done"]
    assert life.memory.get(told["id"]).properties["status"] == "done"
    other = life.keep("Yoga", status="active", repeats="every Friday")
    assert "except" in life.change(other["id"], status="cancelled")["note"]


MEDICINE = {"type": "task", "status": "active", "repeats": "FREQ=DAILY;BYHOUR=7,13,19", "missed": "waits"}


@pytest.mark.parametrize("other", [{}, {"end": "2026-12-07T10:00"}])
def test_a_time_from_which_no_rule_counts_is_not_lost(life: Life, other: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="not from 'start'") as refused:
        life.keep("Choir", start="2026-12-07T09:00", repeats="every Monday", **other)
    assert 'start_date "2026-12-07T09:00"' in str(refused.value.hint)
    kept = life.keep("Choir", start_date="2026-12-07T09:00", repeats="every Monday", remind="2026-12-07T08:00")
    assert kept["properties"]["start_date"].startswith("2026-12-07T09:00")
    assert "due_date" in life.keep("Pills", remind="2026-12-07T08:00", repeats="every day")["properties"]
    assert "due_date" in life.keep("Bins", opened="2026-11-07T09:00", repeats="every day at 7:30")["properties"]


def test_what_is_passed_over_unmarked_is_told_with_how_many_from_when_to_when(life: Life) -> None:
    id = life.go("2026-12-02T06:00").keep("Antibiotic", due_date="2026-12-02", **MEDICINE)["id"]
    done = life.go("2026-12-06T07:30").change(id, status="done")
    assert done["done"].startswith("for 2026-12-06T07:00 (Sunday); next 2026-12-06T13:00 (Sunday)")
    assert done["passed_over"] == {
        "count": 12,
        "from": "2026-12-02T07:00 (Wednesday)",
        "to": "2026-12-05T19:00 (Saturday)",
        "note": "These were not marked as done: tell the user.",
    }
    assert "passed_over" not in life.go("2026-12-06T13:10").change(id, status="done")
    later = life.go("2026-12-08T08:00").change(id, status="done", done_for="2026-12-07T19:00")
    assert later["passed_over"]["count"] == 3


def test_a_date_that_was_left_out_moved_or_passed_by_itself_is_not_passed_over(life: Life) -> None:
    bins = life.keep("Bins", type="task", status="active", repeats="every Tuesday", due_date="2026-12-01")["id"]
    early = life.go("2026-12-01T09:00").change(bins, status="done", done_for="2026-12-08")
    assert "passed_over" not in early, "it stays on the first"
    life.change(bins, **{"except": {"$add": ["2026-12-15"]}, "moved": {"2026-12-22": "2026-12-23"}})
    done = life.go("2026-12-23T09:00").change(bins, status="done")
    assert (done["done"][:14], done["passed_over"]["count"]) == ("for 2026-12-23", 1)
    choir = life.keep("Choir", type="event", repeats="every Tuesday", due_date="2026-12-29")["id"]
    assert "passed_over" not in life.go("2027-01-12T20:00").change(choir, status="done")


def test_the_end_of_a_span_moves_along_and_is_told(life: Life) -> None:
    span = {"start_date": "2026-12-03T15:00", "end_date": "2026-12-03T16:30"}
    told = life.keep("Swimming", type="class", repeats="every Thursday", **span)
    assert told["next"].startswith("2026-12-03T15:00 (Thursday) to 16:30, 2026-12-10T15:00 (Thursday) to 16:30")
    moved = life.change(told["id"], moved={"2027-02-04": "2027-02-05T17:00"})
    assert moved["moved"] == {"2027-02-04": "2027-02-05T17:00 (Friday) to 18:30"}
    assert moved["next"].startswith("2026-12-03T15:00 (Thursday) to 16:30, ")
    days = {"start_date": "2026-12-05", "end_date": "2026-12-06"}
    kids = life.keep("Jan has the kids", type="event", repeats="FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", **days)
    assert kids["next"].startswith("2026-12-05 (Saturday) to 2026-12-06 (Sunday), 2026-12-19 (Saturday)")


@pytest.mark.parametrize("end", [{}, {"end_date": "2026-12-01T18:00"}])
def test_an_end_that_is_given_for_the_occurrence_that_was_shown_is_that_of_each(
    life: Life, end: dict[str, str]
) -> None:
    start = "2026-12-01T14:00"
    id = life.keep("Carer", type="event", repeats="FREQ=WEEKLY;BYDAY=TU,TH", start_date=start, **end)["id"]
    life.go("2026-12-08T20:00")
    assert life.find(type="event") == {"Carer": "2026-12-10T14:00 (Thursday)"}
    told = life.change(id, end_date="2026-12-10T19:00")
    assert told["next"].startswith("2026-12-10T14:00 (Thursday) to 19:00, 2026-12-15T14:00 (Tuesday) to 19:00")
    assert life.memory.get(id).properties["end_date"] == "2026-12-01T19:00"
    assert "2026-12-10T14:00 (Thursday) to 2026-12-11 (Friday)" in life.change(id, end_date="2026-12-11")["next"]


@pytest.mark.parametrize("end", ["2026-12-14T08:00", "2026-12-21T08:00"])
def test_an_end_at_which_the_next_begins_is_that_of_the_one_before(life: Life, end: str) -> None:
    kept = life.keep(
        "On call",
        type="event",
        repeats="FREQ=WEEKLY;BYDAY=MO",
        start_date="2026-12-07T08:00",
        end_date="2026-12-14T07:00",
    )
    for _ in range(2):  # the second time it is the same as before
        life.change(kept["id"], end_date=end)
        assert life.memory.get(kept["id"]).properties["end_date"] == "2026-12-14T08:00"
        end = "2026-12-14T08:00"


@pytest.mark.parametrize("rule", ["repeats", "recurrence"])
def test_a_series_is_finished_for_good_in_one_call(life: Life, rule: str) -> None:
    told = life.keep("Antibiotic", type="task", status="active", due_date="2026-12-02", **{rule: "every day"})
    ended = life.go("2026-12-05T09:00").change(told["id"], status="done", repeats=None)
    assert ended["done"] == "It is closed for good and repeats no more."
    assert life.memory.get(told["id"]).properties == {"type": "task", "status": "done", "due_date": "2026-12-02"}
    assert life.find(**{"$on": "2026-12-06"}) == {}


def test_a_question_about_a_day_on_which_a_series_is_left_out_says_so(life: Life) -> None:
    id = life.keep("Choir", type="event", repeats="every Tuesday", due_date="2026-12-01T19:00")["id"]
    life.change(id, **{"except": {"$add": ["2026-12-08"]}})
    for where in ({"$on": "2026-12-08"}, {"due_date": "2026-12-08 (Tuesday)", "type": "event"}):
        assert "Choir: left out on 2026-12-08 (Tuesday)." in life.call("query_items", where=where)["note"]
    for where in ({"$on": "2026-12-15"}, {"$on": "2026-12-08", "type": "task"}, {"type": "event"}):
        assert "left out" not in life.call("query_items", where=where).get("note", "")


def test_what_comes_more_than_once_in_a_range_says_so(life: Life) -> None:
    life.keep("Take medicine", type="task", status="active", repeats="FREQ=DAILY;BYHOUR=8,20", due_date="2026-11-23")
    life.keep("Choir", type="event", repeats="every Thursday", due_date="2026-11-26")
    week = {"$on": {"$gte": "2026-11-23", "$lte": "2026-11-29"}}
    found = life.go("2026-11-23T07:00").call("query_items", where=week)["items"]
    assert {item["content"]: item.get("more_dates") for item in found} == {"Take medicine": 13, "Choir": None}
    asked = life.call("query_items", text="What's due this week?")["items"]
    assert {item["content"]: item.get("more_dates") for item in asked} == {"Take medicine": 13, "Choir": None}
    assert not any("then" in item for item in asked)
    open_ended = life.call("query_items", where={"due_date": {"$gte": "2026-11-23"}})["items"]
    assert not any("more_dates" in item for item in open_ended)


def test_a_few_more_dates_in_a_range_are_told_by_name_as_they_are(life: Life) -> None:
    span = {"start_date": "2026-12-01T14:00", "end_date": "2026-12-01T18:00"}
    id = life.keep("Carer", type="event", repeats="FREQ=WEEKLY;BYDAY=TU,TH", **span)["id"]
    life.change(id, **{"except": {"$add": ["2026-12-03"]}, "moved": {"2026-12-08": "2026-12-09T15:00"}})
    fortnight = {"$on": {"$gte": "2026-12-01", "$lte": "2026-12-13"}}
    (found,) = life.call("query_items", where=fortnight)["items"]
    assert found["more_dates"] == 2
    assert found["then"] == "2026-12-09T15:00 (Wednesday) to 19:00, 2026-12-10T14:00 (Thursday) to 18:00"


def test_of_dates_in_a_range_those_before_the_one_that_is_shown_are_counted_apart(life: Life) -> None:
    given: dict[str, Any] = {"type": "habit", "status": "active", "repeats": "daily", "missed": "passes"}
    life.keep("Take vitamin D", due_date="2026-12-09T08:00", **given)
    days = {"$on": {"$gte": "2026-12-09", "$lte": "2026-12-11"}}
    (found,) = life.go("2026-12-09T12:00").call("query_items", where=days)["items"]
    assert (found["properties"]["due_date"], found["earlier_dates"], found["more_dates"]) == (
        "2026-12-10T08:00 (Thursday)",
        1,
        1,
    )
    assert found["then"] == "2026-12-11T08:00 (Friday)"


def test_what_was_left_out_or_moved_long_ago_is_forgotten_when_it_moves_on(life: Life) -> None:
    given: dict[str, Any] = {"type": "task", "status": "active", "repeats": "every Tuesday", "due_date": "2026-12-01"}
    id = life.keep("Bins", **given)["id"]
    life.change(id, **{"except": ["2026-12-08", "2026-12-29"], "moved": {"2026-12-15": "2026-12-16"}})
    for day in ("2026-12-01", "2026-12-16"):
        life.go(f"{day}T09:00").change(id, status="done")
    assert life.memory.get(id).properties["except"] == ["2026-12-29"], "the one before the date that was done"
    told = life.go("2026-12-22T09:00").change(id, status="done")
    assert life.memory.get(id).properties.get("moved") is None
    assert life.memory.get(id).properties["due_date"] == "2027-01-05"
    assert "again" not in json.dumps(told)
    undo(life.memory, find_undoable(life.memory))
    kept = life.memory.get(id).properties
    assert (kept["moved"], kept["except"]) == ({"2026-12-15": "2026-12-16"}, ["2026-12-29"])


def test_one_date_at_another_time_is_changed_as_the_tool_and_its_hint_show_it(life: Life) -> None:
    id = life.keep("Choir", type="class", repeats="FREQ=WEEKLY;BYDAY=FR", due_date="2026-12-04T18:00")["id"]
    with pytest.raises(ToolError) as caught:
        life.change(id, moved={"2026-12-04": "at 3"})
    for text in (str(update_item.args["properties"]["description"]), caught.value.hint):
        shown = " ".join(text.split())
        assert re.search(r'"moved": {\S+: "[-\d]+T15:00"}', shown), "a date with another time is shown"
    life.change(id, moved={"2026-12-04": "2026-12-04T15:00"})
    assert life.find(**{"$on": "2026-12-04"}) == {"Choir": "2026-12-04T15:00 (Friday)"}
    assert life.find(**{"$on": "2026-12-11"}) == {"Choir": "2026-12-11T18:00 (Friday)"}


WEEK = {"$on": {"$gte": "2026-11-23", "$lte": "2026-11-29"}}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (WEEK, ["2026-11-25 (Wednesday)", "2026-11-26 (Thursday)"]),
        (WEEK | {"status": "done"}, ["2026-11-25 (Wednesday)", "2026-11-26 (Thursday)"]),
        ({"due_date": "2026-11-25"}, ["2026-11-25 (Wednesday)"]),
        (
            {"status": "done", "updated_at": {"$gte": "2026-11-23", "$lte": "2026-11-29"}},
            ["2026-11-25 (Wednesday)", "2026-11-26 (Thursday)"],
        ),
        (WEEK | OPEN, []),
        (WEEK | {"topic": "bins"}, []),
        ({"$on": {"$gte": "2026-11-28", "$lte": "2026-11-29"}}, []),
        ({"topic": "pills"}, []),
    ],
)
def test_the_dates_that_were_done_in_a_week_are_told_when_the_week_is_asked_for(
    life: Life, where: dict[str, Any], found: list[str]
) -> None:
    life.go("2026-11-25T07:00")
    pill = life.keep("Pill", topic="pills", status="active", repeats="every day", due_date="2026-11-25")["id"]
    life.change(pill, status="done")
    life.go("2026-11-26T07:00").change(pill, status="done")
    life.go("2026-11-27T07:00").change(pill, status="done")
    undo(life.memory, find_undoable(life.memory))
    told = life.call("query_items", where=where).get("done_then", [])
    assert [day for each in told for day in each["done_for"]] == found
    assert {each["content"] for each in told} <= {"Pill"}


def test_a_date_that_was_passed_over_is_told_to_be_past(life: Life) -> None:
    pill = life.keep("Pill", status="active", repeats="every day", due_date="2026-11-27")["id"]
    life.go("2026-11-28T09:00").change(pill, status="done")
    with pytest.raises(ToolError) as error:
        life.change(pill, status="done", done_for="2026-11-27")
    assert "has moved on" in str(error.value)
    assert "an item of its own" in error.value.hint


def test_a_number_given_again_for_another_date_is_told_as_not_added_up(life: Life) -> None:
    lesson = {"due_date": "2026-12-02T17:00", "repeats": "every Wednesday", "price": 35}
    id = life.go("2026-12-01T08:00").keep("Lesson", **lesson)["id"]
    first = life.go("2026-12-02T18:00").change(id, status="done", paid=35)
    assert "note" not in first
    second = life.go("2026-12-09T18:00").change(id, status="done", paid=35)
    assert second["note"] == 'paid was 35 already; to add it up over dates: {"$add": 35}.'
    assert "note" not in life.go("2026-12-16T18:00").change(id, status="done", paid={"$add": 35})
