"""When an item rings: moments, distances before its date, and each occurrence of what repeats."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ana.errors import ToolError
from ana.memory.item import Item
from ana.reminders.reading import REMIND_FORM, check_remind, read_reminders, tell_ringing, tell_time
from ana.values import Json
from tests.conftest import BERLIN, WEDNESDAY

TUESDAY = {"due_date": "2026-12-01T16:30"}
DAY = {"due_date": "2026-12-01"}


def make_item(properties: dict[str, Json]) -> Item:
    return Item("a", "Call", properties, "", "")


def ring(properties: dict[str, Json], first: str = "2026-11-01", days: int = 60, zone: ZoneInfo = BERLIN) -> list[str]:
    since = datetime.fromisoformat(first).replace(tzinfo=zone)
    return [
        f"{each.moment.astimezone(zone):%Y-%m-%dT%H:%M}"
        for each in read_reminders(make_item(properties), zone, since, since + timedelta(days))
    ]


@pytest.mark.parametrize(
    ("remind", "expected"),
    [
        ("2026-12-01T16:30", ["2026-12-01T16:30"]),
        ("2026-12-01T15:30Z", ["2026-12-01T16:30"]),
        ("2026-11-30", ["2026-11-30T09:00"]),
        ("30 minutes before", ["2026-12-01T16:00"]),
        ("an hour before", ["2026-12-01T15:30"]),
        ("2 hours before", ["2026-12-01T14:30"]),
        ("1 day before", ["2026-11-30T16:30"]),
        ("the day before at 8:00", ["2026-11-30T08:00"]),
        ("2 weeks before", ["2026-11-17T16:30"]),
        ("the evening before", ["2026-11-30T18:00"]),
        ("evening before at 20:15", ["2026-11-30T20:15"]),
        ("On the day  at 07:00", ["2026-12-01T07:00"]),
        ("on the day", ["2026-12-01T09:00"]),
        ("at the time", ["2026-12-01T16:30"]),
        (["1 day before", "30 minutes before"], ["2026-11-30T16:30", "2026-12-01T16:00"]),
        (["1 day before", "24 hours before", "nonsense"], ["2026-11-30T16:30"]),
    ],
)
def test_the_forms_of_remind(remind: Json, expected: list[str]) -> None:
    assert ring({"remind": remind, **TUESDAY}) == expected


@pytest.mark.parametrize(
    "remind", ["1 day before", "the evening before", "on the day", "2026-12-01T08:00", "1 week before"]
)
def test_a_day_without_a_time_rings_in_the_morning_or_the_evening(remind: str) -> None:
    assert ring({"remind": remind, **DAY})[0][11:] in ("09:00", "18:00", "08:00")


@pytest.mark.parametrize(
    "remind",
    [
        *(
            "soon",
            "",
            5,
            True,
            {"a": "b"},
            ["in time"],
            "30 minutes after",
            "-1 day before",
            "30 minutes before at 9:00",
        ),
        *("99999 weeks before", "3 evenings before", "on the day at 25:00", "2026-13-01", "1 day before at 9", None),
    ],
)
def test_what_cannot_be_read_rings_nothing(remind: Json) -> None:
    assert ring({"remind": remind, **TUESDAY}) == []


def test_hours_before_a_day_ring_nothing() -> None:
    assert ring({"remind": "2 hours before", **DAY}) == []
    assert ring({"remind": "at the time", **DAY}) == []


@pytest.mark.parametrize("remind", ["soon", 5, ["1 day before", "in time"], "on the day at 25:00"])
def test_what_cannot_be_read_is_refused_where_it_is_written(remind: Json) -> None:
    with pytest.raises(ToolError) as told:
        check_remind({"remind": remind})
    assert told.value.hint == REMIND_FORM


@pytest.mark.parametrize("remind", [None, "at the time", ["2026-12-01T16:30"], {"$add": ["1 day before"]}])
def test_what_can_be_read_is_taken(remind: Json) -> None:
    check_remind({"remind": remind})
    check_remind({})


@pytest.mark.parametrize("form", [part for part in REMIND_FORM.split('"') if "before" in part or "at " in part])
def test_the_forms_that_are_told_are_read(form: str) -> None:
    if "distance" not in form and "takes" not in form:
        assert len(ring({"remind": form.strip(), **TUESDAY})) == 1, form


@pytest.mark.parametrize("status", ["done", "Cancelled", "completed"])
def test_what_is_done_does_not_ring(status: str) -> None:
    assert ring({"remind": "1 day before", "status": status, **TUESDAY}) == []


def test_without_a_date_only_moments_ring() -> None:
    assert ring({"remind": ["1 day before", "2026-12-01T16:30"]}) == ["2026-12-01T16:30"]


def test_each_occurrence_rings() -> None:
    weekly: dict[str, Json] = {"type": "event", "start_date": "2026-11-06T13:00", "repeats": "FREQ=WEEKLY;BYDAY=FR"}
    assert ring({**weekly, "remind": "the evening before"}, days=20) == [
        *("2026-11-05T18:00", "2026-11-12T18:00", "2026-11-19T18:00")
    ]
    left_out: dict[str, Json] = {"except": ["2026-11-13"], "moved": {"2026-11-20": "2026-11-19"}}
    assert ring({**weekly, **left_out, "remind": "1 hour before"}, days=20) == ["2026-11-06T12:00", "2026-11-19T12:00"]
    alone: dict[str, Json] = {"start_date": "2026-11-06T13:00", "also": ["2026-11-09T15:00", "2026-11-04"]}
    assert ring({**alone, "remind": "1 hour before"}, days=20) == [
        *("2026-11-04T12:00", "2026-11-06T12:00", "2026-11-09T14:00")
    ]


def test_a_series_that_began_long_ago_rings_now() -> None:
    daily: dict[str, Json] = {"type": "event", "start_date": "2019-01-01T07:00", "repeats": "FREQ=DAILY"}
    assert ring({**daily, "remind": "10 minutes before"}, days=2) == ["2026-11-01T06:50", "2026-11-02T06:50"]


def test_a_time_that_the_clock_skips_rings_as_much_later() -> None:
    night: dict[str, Json] = {"due_date": "2026-03-30", "remind": "1 day before at 02:30"}
    assert ring(night, "2026-03-20") == ["2026-03-29T03:30"]
    twice: dict[str, Json] = {"due_date": "2026-10-25T12:00", "remind": "on the day at 02:30"}
    assert ring(twice, "2026-10-20") == ["2026-10-25T02:30"]
    over: dict[str, Json] = {"due_date": "2026-03-29T12:00", "remind": ["1 day before", "24 hours before"]}
    assert ring(over, "2026-03-20") == ["2026-03-28T11:00", "2026-03-28T12:00"]


def test_times_are_told_in_words() -> None:
    assert tell_time(datetime(2026, 12, 1, 16, 30, tzinfo=BERLIN)) == "Tuesday December 1 2026, 16:30"
    assert tell_time(datetime(2026, 12, 1, tzinfo=BERLIN).date()) == "Tuesday December 1 2026"


def test_where_it_rings_is_named_with_the_time() -> None:
    told = tell_ringing(make_item({"remind": "2026-01-08T09:00"}), WEDNESDAY, BERLIN, ["ntfy", "mail"])
    assert told == "Rings Thursday January 8 2026, 09:00 by ntfy, mail, while ana runs."
