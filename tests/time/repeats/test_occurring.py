"""Occurrences: month ends, changes of the clock, ends, exceptions, what is moved, and what comes next."""

import time
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.time.repeats import find_next_after, find_present, iter_between, read_repeat, waits
from ana.values import Properties
from tests.examples import examples

BERLIN = ZoneInfo("Europe/Berlin")
AHEAD = date(2030, 1, 1)


def list_dates(
    properties: dict[str, Any], first: str = "2026-01-01", last: date = AHEAD, zone: ZoneInfo = BERLIN
) -> list[str]:
    repeat = read_repeat(properties, zone)
    assert repeat
    found = iter_between(repeat, date.fromisoformat(first), last)
    return [each.dates[repeat.keys[0].name] for _, each in zip(range(6), found, strict=False)]


def test_a_day_that_a_month_does_not_have_is_its_last() -> None:
    rent = {"repeats": "FREQ=MONTHLY;BYMONTHDAY=31", "due_date": "2027-01-31"}
    assert list_dates(rent)[:4] == ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"]
    assert list_dates({"repeats": "monthly", "due_date": "2026-12-30"})[:4] == [
        "2026-12-30",
        "2027-01-30",
        "2027-02-28",
        "2027-03-30",
    ]
    twice = {"repeats": "FREQ=MONTHLY;BYMONTHDAY=15,31", "due_date": "2027-02-15"}
    assert list_dates(twice)[:4] == ["2027-02-15", "2027-02-28", "2027-03-15", "2027-03-31"]


def test_a_birthday_on_29_february_is_on_the_28th_in_other_years() -> None:
    found = list_dates({"repeats": "FREQ=YEARLY", "due_date": "2024-02-29"}, "2024-01-01")
    assert found == ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"]


def test_a_time_that_the_clock_skips_is_later_on_that_day_alone() -> None:
    night = {"repeats": "daily", "due_date": "2026-03-28T02:30"}
    assert list_dates(night)[:3] == ["2026-03-28T02:30", "2026-03-29T03:30", "2026-03-30T02:30"]


def test_a_time_that_comes_twice_is_the_first() -> None:
    repeat = read_repeat({"repeats": "daily", "due_date": "2026-10-24T02:30"}, BERLIN)
    assert repeat
    second = next(iter_between(repeat, date(2026, 10, 25), date(2026, 10, 25)))
    assert isinstance(second.start, datetime)
    assert second.start.astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_the_time_on_the_wall_stays_over_a_change_of_the_clock() -> None:
    for zone, first in (("America/New_York", "2026-03-07T08:00"), ("Australia/Lord_Howe", "2026-10-03T08:00")):
        found = list_dates({"repeats": "daily", "due_date": first}, zone=ZoneInfo(zone))
        assert [each[11:] for each in found[:3]] == ["08:00"] * 3


def test_a_date_with_a_zone_keeps_it_and_is_counted_in_the_persons() -> None:
    call = {"repeats": "FREQ=WEEKLY;BYDAY=MO", "due_date": "2026-03-23T08:00+01:00"}
    assert list_dates(call)[:2] == ["2026-03-23T08:00+01:00", "2026-03-30T08:00+02:00"]


def test_a_series_of_another_zone_keeps_its_time_there() -> None:
    call = {"repeats": "FREQ=WEEKLY;BYDAY=MO", "start_date": "2026-03-02T10:00", "end_date": "2026-03-02T11:00"}
    there = call | {"zone": "America/New_York", "except": ["2026-03-23"], "moved": {"2026-03-30": "2026-03-31T20:00"}}
    # for three weeks in March the two are five hours apart instead of six
    assert list_dates(there, "2026-03-01")[:4] == [
        "2026-03-02T10:00-05:00",
        "2026-03-09T10:00-04:00",
        "2026-03-16T10:00-04:00",
        "2026-03-31T20:00-04:00",
    ]
    # the day that is asked for is the person's
    assert list_dates(there, "2026-04-01", date(2026, 4, 1)) == ["2026-03-31T20:00-04:00"]
    assert list_dates(call | {"zone": "floating"})[0] == "2026-03-02T10:00"
    assert list_dates({"repeats": "daily", "due_date": "2026-03-02", "zone": "Asia/Tokyo"})[0] == "2026-03-02"


def test_a_span_keeps_its_length() -> None:
    weekend = {"repeats": "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA", "start_date": "2026-11-28", "end_date": "2026-11-29"}
    repeat = read_repeat(weekend, BERLIN)
    assert repeat
    found = [*iter_between(repeat, date(2026, 12, 13), date(2026, 12, 13))]
    assert [each.dates for each in found] == [{"start_date": "2026-12-12", "end_date": "2026-12-13"}]


def test_what_is_left_out_moved_and_past_its_end() -> None:
    bins = {
        "repeats": "every tuesday",
        "due_date": "2026-12-01T18:00",
        "except": ["2026-12-08"],
        "moved": {"2026-12-15": "2026-12-14"},
        "until": "2026-12-29",
    }
    assert list_dates(bins) == ["2026-12-01T18:00", "2026-12-14T18:00", "2026-12-22T18:00", "2026-12-29T18:00"]
    assert list_dates(bins | {"until": "2026-12-29T12:00"})[-1] == "2026-12-22T18:00"


def test_moving_one_of_several_times_of_a_day_keeps_the_others() -> None:
    medicine = {"repeats": "FREQ=DAILY;BYHOUR=8,20", "due_date": "2026-11-23T08:00", "until": "2026-11-24"}
    once = ["2026-11-23T08:00", "2026-11-23T20:00", "2026-11-24T08:00", "2026-11-24T20:00"]
    assert list_dates(medicine) == once
    assert list_dates(medicine | {"moved": {"2026-11-24": "2026-11-24T10:00"}}) == [
        *once[:2],
        "2026-11-24T10:00",
        once[3],
    ]
    assert list_dates(medicine | {"moved": {"2026-11-24T20:00": "2026-11-25"}}) == [*once[:3], "2026-11-25T20:00"]
    whole = medicine | {"moved": {"2026-11-24": "2026-11-26"}}
    assert list_dates(whole) == [*once[:2], "2026-11-26T08:00", "2026-11-26T20:00"], "a day moves with all its times"


def test_the_first_date_counts_even_where_the_rule_does_not_name_it() -> None:
    assert list_dates({"repeats": "every friday", "due_date": "2026-12-01"})[:2] == ["2026-12-01", "2026-12-04"]


def test_dates_beside_a_rule_count_before_its_first_and_after_its_end() -> None:
    choir = {"repeats": "every tuesday", "due_date": "2026-12-08T18:00", "until": "2026-12-15"}
    assert list_dates(choir | {"also": ["2026-12-04T10:00", "2026-12-08", "2027-01-05"]}) == [
        *("2026-12-04T10:00", "2026-12-08T18:00", "2026-12-15T18:00", "2027-01-05T18:00")
    ]
    whole_day = {"due_date": "2026-12-08", "also": ["2026-12-24T18:00", "2026-12-10"]}
    assert list_dates(whole_day) == ["2026-12-08", "2026-12-10", "2026-12-24"]
    twice = {"repeats": "FREQ=DAILY;BYHOUR=8,20", "due_date": "2026-11-23T08:00", "until": "2026-11-23"}
    assert list_dates(twice | {"also": ["2026-11-25"]})[2:] == ["2026-11-25T08:00", "2026-11-25T20:00"]


def test_single_dates_need_no_rule_and_one_that_cannot_be_read_takes_none_away() -> None:
    alone: Properties = {"start_date": "2026-12-08", "end_date": "2026-12-09", "also": ["2026-12-20", "soon"]}
    repeat = read_repeat(alone, BERLIN)
    assert repeat
    assert [each.dates for each in iter_between(repeat, date(2026, 12, 10), AHEAD)] == [
        {"start_date": "2026-12-20", "end_date": "2026-12-21"}
    ]
    assert list_dates({"repeats": "when it rains", "due_date": "2026-12-08", "also": ["2026-12-20"]}) == [
        *("2026-12-08", "2026-12-20")
    ]


def test_a_day_that_is_left_out_leaves_what_was_added_at_another_time() -> None:
    fridays = {
        "repeats": "every friday",
        "due_date": "2026-11-27T15:00",
        "until": "2026-12-11",
        "except": ["2026-12-04"],
    }
    kept = ["2026-11-27T15:00", "2026-12-11T15:00"]
    assert list_dates(fridays | {"also": ["2026-12-04T17:00"]}) == [kept[0], "2026-12-04T17:00", kept[1]]
    assert list_dates(fridays | {"also": ["2026-12-04"]}) == kept
    assert list_dates(fridays | {"also": ["2026-12-04T15:00"]}) == kept
    assert list_dates(fridays | {"except": ["2026-12-04", "2026-12-04T17:00"], "also": ["2026-12-04T17:00"]}) == kept


def test_a_date_that_was_added_can_be_moved() -> None:
    moved = {
        "due_date": "2026-12-08T18:00",
        "also": ["2026-12-10T09:00"],
        "moved": {"2026-12-10T09:00": "2026-12-11T10:00"},
    }
    assert list_dates(moved) == ["2026-12-08T18:00", "2026-12-11T10:00"]


def test_three_times_a_day() -> None:
    medicine = {"repeats": "FREQ=DAILY;BYHOUR=8,14,20", "due_date": "2026-11-23T14:00"}
    assert list_dates(medicine)[:4] == ["2026-11-23T14:00", "2026-11-23T20:00", "2026-11-24T08:00", "2026-11-24T14:00"]


@pytest.mark.parametrize(
    "properties",
    [
        {"due_date": "2026-12-01"},
        {"repeats": "sometimes", "due_date": "2026-12-01"},
        {"repeats": "FREQ=SECONDLY", "due_date": "2026-12-01"},
        {"repeats": ["weekly"], "due_date": "2026-12-01"},
        {"repeats": "weekly"},
        {"repeats": "weekly", "due_date": "someday"},
        {"repeats": "weekly", "end_date": "2026-12-01"},
        {"recurrence": "when the moon is full", "due_date": "2026-12-01"},
        {"repeats": None, "recurrence": "weekly", "due_date": "2026-12-01"},
        {"except": ["2026-12-01"], "until": "2027-01-01", "due_date": "2026-12-01"},
        {"also": ["guitar"], "due_date": "2026-12-01"},
        {"also": ["2026-12-01"]},
    ],
)
def test_what_cannot_be_read_repeats_nothing(properties: dict[str, Any]) -> None:
    assert read_repeat(properties, BERLIN) is None


def test_the_recurrence_of_older_items_is_read() -> None:
    older = {"recurrence": "every second Tuesday evening", "due_date": "2026-12-01T18:00"}
    assert list_dates(older)[:2] == ["2026-12-01T18:00", "2026-12-15T18:00"]


def test_of_what_counts_from_when_it_was_done_only_the_first_is_known() -> None:
    fig = {"repeats": "every 10 days", "repeat_from": "done", "due_date": "2026-12-01"}
    assert list_dates(fig) == ["2026-12-01"]


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"type": "task"}, True),
        ({"type": "birthday", "status": "active"}, False),
        ({"type": "class"}, False),
        ({"status": "active"}, True),
        ({}, False),
        ({"repeat_from": "done"}, True),
        ({"type": "task", "missed": "passes"}, False),
        ({"type": "event", "missed": "waits"}, True),
    ],
)
def test_what_has_to_be_done_waits_and_what_happens_passes(properties: dict[str, Any], expected: bool) -> None:
    assert waits(properties) is expected


def test_the_present_occurrence_of_what_waits_is_the_first_and_of_what_passes_the_next() -> None:
    friday = {"repeats": "every friday", "due_date": "2026-11-27T13:00"}
    now = datetime(2026, 12, 4, 12, tzinfo=BERLIN)
    for properties, expected in ((friday | {"type": "task"}, "2026-11-27T13:00"), (friday, "2026-12-04T13:00")):
        repeat = read_repeat(properties, BERLIN)
        assert repeat
        present = find_present(repeat, now)
        assert present
        assert present.dates["due_date"] == expected
    repeat = read_repeat(friday | {"until": "2026-12-01"}, BERLIN)
    assert repeat
    assert find_present(repeat, now) is None


def test_a_rule_without_an_end_and_ten_thousand_exceptions_are_bounded() -> None:
    left_out = [str(date(2026, 11, 27) + timedelta(days=n)) for n in range(10_000)]
    daily = read_repeat({"repeats": "daily", "due_date": "2026-11-27", "except": [*left_out]}, BERLIN)
    assert daily
    begin = time.perf_counter()
    assert find_next_after(daily, datetime(2026, 11, 27, tzinfo=BERLIN)) is None
    hourly = read_repeat(
        {"repeats": f"FREQ=DAILY;BYHOUR={','.join(map(str, range(24)))}", "due_date": "2000-01-01T00:00"}, BERLIN
    )
    assert hourly
    assert len([*iter_between(hourly, date.min, date.max)]) == 5000
    assert time.perf_counter() - begin < 5


RULES = (
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH",
    "FREQ=WEEKLY;INTERVAL=3;BYDAY=SU,MO;WKST=SU",
    "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=YEARLY;INTERVAL=2",
    "FREQ=DAILY;BYHOUR=8,20",
)


@settings(max_examples=examples(200))
@given(rule=st.sampled_from(RULES), first=st.dates(date(2020, 1, 1), date(2024, 1, 1)), ahead=st.integers(0, 2000))
def test_a_window_has_what_counting_from_the_first_date_has(rule: str, first: date, ahead: int) -> None:
    repeat = read_repeat({"repeats": rule, "due_date": f"{first}T09:00"}, BERLIN)
    assert repeat
    begin, end = first + timedelta(days=ahead), first + timedelta(days=ahead + 90)
    every = [each.start for each in iter_between(repeat, first, end)]
    found = [each.start for each in iter_between(repeat, begin, end)]
    midnight = datetime(begin.year, begin.month, begin.day, tzinfo=BERLIN)
    assert found == [each for each in every if isinstance(each, datetime) and each >= midnight]
