"""How an item moves on: which occurrence is meant by done, and the dates of the next."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ana.time.repeats import Repeat, advance, find_done_occurrence, read_repeat

BERLIN = ZoneInfo("Europe/Berlin")
BINS = {"repeats": "every tuesday", "due_date": "2026-11-24T18:00", "type": "task"}
MEDICINE = {"repeats": "FREQ=DAILY;BYHOUR=8,14,20", "due_date": "2026-11-23T08:00", "type": "task"}
RENT = {"repeats": "FREQ=MONTHLY;BYMONTHDAY=-1", "due_date": "2026-11-30", "done_for": "2026-10-31", "type": "task"}


def read(properties: dict[str, Any]) -> Repeat:
    repeat = read_repeat(properties, BERLIN)
    assert repeat
    return repeat


@pytest.mark.parametrize(
    ("properties", "now", "done"),
    [
        (BINS, "2026-11-24T07:00", "2026-11-24T18:00"),
        (BINS, "2026-12-01T07:00", "2026-12-01T18:00"),
        (BINS, "2026-12-03T07:00", "2026-12-01T18:00"),
        (BINS, "2026-11-22T07:00", "2026-11-24T18:00"),
        (BINS | {"due_date": "2026-12-01T18:00", "done_for": "2026-11-24T18:00"}, "2026-11-24T20:00", None),
        (
            BINS | {"due_date": "2026-12-01T18:00", "done_for": "2026-11-24T18:00"},
            "2026-11-30T20:00",
            "2026-12-01T18:00",
        ),
        (MEDICINE, "2026-11-23T08:10", "2026-11-23T08:00"),
        (MEDICINE, "2026-11-25T14:10", "2026-11-25T14:00"),
        (MEDICINE | {"due_date": "2026-11-23T14:00", "done_for": "2026-11-23T08:00"}, "2026-11-23T08:30", None),
        (RENT, "2026-11-28T10:00", "2026-11-30"),
        (RENT, "2026-11-01T10:00", None),
    ],
)
def test_done_means_the_occurrence_of_the_day_the_latest_or_the_next(
    properties: dict[str, Any], now: str, done: str | None
) -> None:
    found = find_done_occurrence(read(properties), datetime.fromisoformat(now).replace(tzinfo=BERLIN))
    assert (found and found.dates["due_date"]) == done


def test_the_next_dates_keep_their_distance_and_form() -> None:
    span = read({"repeats": "FREQ=WEEKLY;BYDAY=SA", "start_date": "2026-11-28", "end_date": "2026-11-29T18:00"})
    assert advance(span, span.first) == {"start_date": "2026-12-05", "end_date": "2026-12-06T18:00"}


def test_a_month_end_and_a_time_that_the_clock_skips_move_nothing_that_follows() -> None:
    rent = read({"repeats": "FREQ=MONTHLY;BYMONTHDAY=31", "due_date": "2027-01-31"})
    assert advance(rent, rent.first) == {"due_date": "2027-02-28"}
    later = read({"repeats": "FREQ=MONTHLY;BYMONTHDAY=31", "due_date": "2027-02-28"})
    assert advance(later, later.first) == {"due_date": "2027-03-31"}
    night = read({"repeats": "FREQ=DAILY", "due_date": "2026-03-28T02:30"})
    assert advance(night, night.first) == {"due_date": "2026-03-29T02:30"}


def test_a_series_of_another_zone_moves_on_by_the_clock_there() -> None:
    own = {"repeats": "FREQ=DAILY", "start_date": "2026-03-07T22:30", "zone": "America/New_York"}
    assert advance(read(own), read(own).first) == {"start_date": "2026-03-08T22:30"}


def test_what_counts_from_when_it_was_done() -> None:
    fig = read({"repeats": "every 10 days", "repeat_from": "done", "due_date": "2026-12-01"})
    assert advance(fig, fig.first, date(2026, 12, 4)) == {"due_date": "2026-12-14"}
    filter_ = read({"repeats": "every 3 months", "repeat_from": "done", "due_date": "2026-11-20T09:00"})
    assert advance(filter_, filter_.first, date(2026, 11, 30)) == {"due_date": "2027-02-28T09:00"}


def test_a_series_ends() -> None:
    course = read({"repeats": "FREQ=WEEKLY;BYDAY=MO", "due_date": "2027-06-28", "until": "2027-06-30"})
    assert advance(course, course.first) is None
    counted = read({"repeats": "FREQ=DAILY;COUNT=2", "due_date": "2027-06-28"})
    assert advance(counted, counted.first) == {"due_date": "2027-06-29", "repeats": "FREQ=DAILY", "until": "2027-06-29"}


def test_what_a_rule_took_from_its_first_date_is_written_when_it_moves_on() -> None:
    older = read({"recurrence": "monthly", "due_date": "2027-01-31"})
    assert advance(older, older.first) == {
        "due_date": "2027-02-28",
        "repeats": "FREQ=MONTHLY;BYMONTHDAY=31",
        "recurrence": None,
    }


def test_what_was_added_stays_until_it_is_over_and_goes_on_where_the_rule_has_ended() -> None:
    also = ["2026-11-20T09:00", "2026-11-26T09:00", "2027-01-02T09:00"]
    weekly = BINS | {"repeats": "FREQ=WEEKLY;BYDAY=TU", "until": "2026-12-01"}
    bins = read(weekly | {"also": also})
    assert advance(bins, bins.first) == {"due_date": "2026-12-01T18:00", "also": also[1:]}
    assert advance(bins, bins.also[0]) == {"due_date": "2026-11-24T18:00", "also": also[1:]}
    last = read(weekly | {"due_date": "2026-12-01T18:00", "also": also[1:]})
    ended = {"repeats": None, "recurrence": None, "until": None, "also": None}
    assert advance(last, last.first) == {"due_date": also[2]} | ended
    assert advance(last, last.also[-1]) is None


def test_of_single_dates_the_next_is_the_items_own() -> None:
    alone = read({"start_date": "2026-11-24", "end_date": "2026-11-25", "also": ["2026-11-30", "2026-12-24"]})
    assert advance(alone, alone.first) == {
        "start_date": "2026-11-30",
        "end_date": "2026-12-01",
        "also": ["2026-12-24"],
    }
    left_out = read({"due_date": "2026-11-24", "also": ["2026-11-20", "2026-12-24"], "except": ["2026-11-24"]})
    assert advance(left_out, left_out.first, is_skipped=True) == {"due_date": "2026-12-24", "also": ["2026-11-20"]}
