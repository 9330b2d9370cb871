"""Dates from phrases: the day that is meant, or an error that says what is understood."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from ana.errors import ToolError
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.conftest import BERLIN
from tools.call import CallContext
from tools.catalog import TOOLS
from tools.dates import resolve_date

SUNDAY = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)


def resolve(memory: Memory, phrase: str, after: str | None = None) -> dict[str, Any]:
    call = CallContext(memory, Clock(BERLIN, lambda: SUNDAY))
    found: dict[str, Any] = resolve_date.invoke({"phrase": phrase, "after": after, "call": call})
    assert found.pop("phrase") == phrase.strip()
    return found


@pytest.mark.parametrize(
    ("phrase", "date", "weekday"),
    [
        ("tomorrow", "2026-11-23", "Monday"),
        ("on Friday", "2026-11-27", "Friday"),
        ("Friday week", "2026-12-04", "Friday"),
        ("the day after tomorrow", "2026-11-24", "Tuesday"),
        ("in 6 weeks", "2027-01-03", "Sunday"),
        ("in 90 days", "2027-02-20", "Saturday"),
        ("three weeks from Friday", "2026-12-18", "Friday"),
        ("the third Friday in March", "2027-03-19", "Friday"),
        ("the first Monday of February", "2027-02-01", "Monday"),
        ("end of the month", "2026-11-30", "Monday"),
        ("January 13", "2027-01-13", "Wednesday"),
        ("13 January 2028", "2028-01-13", "Thursday"),
        ("February 29", "2028-02-29", "Tuesday"),
        ("2027-03-01", "2027-03-01", "Monday"),
        ("christmas eve", "2026-12-24", "Thursday"),
        ("second Tuesday of March 2027", "2027-03-09", "Tuesday"),
        ("the 2nd Tuesday of March next year", "2027-03-09", "Tuesday"),
        ("last Friday in June, 2028", "2028-06-30", "Friday"),
        ("fifth Monday of March 2027", "2027-03-29", "Monday"),
        ("the first Monday of next month", "2026-12-07", "Monday"),
        ("last Friday of the month", "2026-11-27", "Friday"),
        ("Christmas 2028", "2028-12-25", "Monday"),
        ("13 March of 2028", "2028-03-13", "Monday"),
        ("13 March next year", "2027-03-13", "Saturday"),
        ("end of 2028", "2028-12-31", "Sunday"),
        ("10 days ago", "2026-11-12", "Thursday"),
    ],
)
def test_a_phrase_is_the_day_it_names(memory: Memory, phrase: str, date: str, weekday: str) -> None:
    assert resolve(memory, phrase) == {"date": date, "weekday": weekday}


@pytest.mark.parametrize(
    ("phrase", "date", "time"),
    [
        ("tomorrow at 9:30", "2026-11-23", "09:30"),
        ("in 6 weeks at half past two", "2027-01-03", "14:30"),
        ("the day after tomorrow at noon", "2026-11-24", "12:00"),
        ("Dec 4, 7pm", "2026-12-04", "19:00"),
        ("in half an hour", "2026-11-22", "11:00"),
        ("in 20 hours", "2026-11-23", "06:30"),
    ],
)
def test_a_time_of_day_comes_with_it(memory: Memory, phrase: str, date: str, time: str) -> None:
    found = resolve(memory, phrase)
    assert (found["date"], found["time"]) == (date, time)


@pytest.mark.parametrize(
    ("phrase", "after", "date", "other"),
    [
        ("next Wednesday", "2026-11-27", "2026-12-02", "2026-12-09 (Wednesday)"),
        ("next Friday", None, "2026-11-27", "2026-12-04 (Friday)"),
        ("next Fri at 14:30", "2026-11-23", "2026-12-04", "2026-11-27 (Friday)"),
    ],
)
def test_next_weekday_has_two_readings(memory: Memory, phrase: str, after: str | None, date: str, other: str) -> None:
    found = resolve(memory, phrase, after)
    assert (found["date"], found["or"]) == (date, other)
    assert "both" in found["note"]


@pytest.mark.parametrize("phrase", ["next Sunday", "Friday", "this Friday", "Friday next week", "next month"])
def test_other_phrases_have_one_reading(memory: Memory, phrase: str) -> None:
    assert "or" not in resolve(memory, phrase)


def test_a_stretch_has_a_last_day(memory: Memory) -> None:
    found = {"date": "2026-11-28", "weekday": "Saturday", "last": "2026-11-29", "last_weekday": "Sunday"}
    assert resolve(memory, "next weekend") == found


@pytest.mark.parametrize(
    ("phrase", "date"),
    [
        ("Monday", "2026-12-07"),
        ("two weeks later", "2026-12-18"),
        ("3 days earlier", "2026-12-01"),
        ("in 3 days", "2026-12-07"),
        ("tomorrow", "2026-12-05"),
    ],
)
def test_it_counts_from_another_day(memory: Memory, phrase: str, date: str) -> None:
    assert resolve(memory, phrase, "2026-12-04")["date"] == date


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("nächsten Freitag", "is not understood"),
        ("second to last Friday of March", "'second to' is not understood"),
        ("in 3 business days", "is not understood"),
        ("every Friday", "is not understood"),
        ("every first Monday of March", "is not understood"),
        ("fifth Sunday of March 2027", "is not understood"),
        ("February 30", "is not understood"),
        ("tomorrow and Friday", "more than one day"),
        ("", "no day"),
        ("at 5pm", "no day"),
        ("Friday 28 November", "2026-11-28 is a Saturday"),
    ],
)
def test_a_phrase_of_which_anything_is_left_is_refused(memory: Memory, phrase: str, why: str) -> None:
    with pytest.raises(ToolError, match=re.escape(why)) as refused:
        resolve(memory, phrase)
    assert "Understood" in refused.value.hint or "Ask which" in refused.value.hint


def test_a_day_to_count_from_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(ToolError, match="'soon' is not an ISO date"):
        resolve(memory, "Monday", "soon")


def test_models_are_offered_it() -> None:
    assert set(TOOLS["resolve_date"].args) == {"phrase", "after"}
