"""A date is placed only where its text names one day on whatever day it is read."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.time.dates import day_of, spell_day
from ana.transfer.foreign.dates import read_date
from tests.conftest import BERLIN


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-01-13", "2026-01-13"),
        (" 2026-01-13 ", "2026-01-13"),
        ("13 Jan 2026", "2026-01-13"),
        ("Jan 13 2026", "2026-01-13"),
        ("January 13, 2026", "2026-01-13"),
        ("Tue, 13 Jan 2026", "2026-01-13"),
        ("13.1.2026", "2026-01-13"),
        ("1/13/2026", "2026-01-13"),
        ("2026-01-13T14:00", "2026-01-13T14:00"),
        ("2026-01-13 14:00:30", "2026-01-13T14:00:30"),
        ("2026-01-13T14:00:00Z", "2026-01-13T15:00"),
        ("2026-01-12T23:00:00+00:00", "2026-01-13"),
        ("13 Jan 2026 at 14:00", "2026-01-13T14:00"),
        ("13 Jan 2026 14:00", "2026-01-13T14:00"),
        ("Jan 13 2026 @ 2pm", "2026-01-13T14:00"),
        ("14:00 13 Jan 2026", "2026-01-13T14:00"),
        ("13 Jan 2026 noon", "2026-01-13T12:00"),
    ],
)
def test_one_day_is_read(text: str, found: str) -> None:
    assert read_date(text, BERLIN, BERLIN) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "tomorrow", "every day", "every 13 Jan 2026", "every day starting 13 Jan 2026", "Tuesday", "13 Jan",
        "the 13th", "1/13", "3/4/2026", "January 2026", "next week", "31 Feb 2026", "2026-02-30",
        "13 Jan 2026 - 15 Jan 2026",
        "13-15 Jan 2026", "13 Jan 2026 at 3", "13 Jan 2026 at 25:00", "13 Jan 2026 at 2pm and 4pm", "13 janv. 2026",
        "before 13 Jan 2026", "2026", "0001-01-01T00:00+14:00", "x" * 1_000_000, "13 Jan 2026" + " " * 1000 + "at 2pm",
    ],
)  # fmt: skip
def test_text_without_one_day_is_not_read(text: str) -> None:
    assert read_date(text, BERLIN, BERLIN) is None


def test_a_time_is_moved_to_the_persons_zone_and_a_day_is_not() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    assert read_date("13 Jan 2026 at 4am", tokyo, BERLIN) == "2026-01-12T20:00"
    assert read_date("13 Jan 2026 at 8am", tokyo, BERLIN) == "2026-01-13"
    assert read_date("13 Jan 2026", tokyo, BERLIN) == "2026-01-13"
    assert read_date("13 Jan 2026", None, BERLIN) == "2026-01-13"
    assert read_date("13 Jan 2026 at 8am", None, BERLIN) is None


@given(st.dates(date(1950, 1, 1), date(2199, 12, 31)))
def test_every_day_is_found_again(day: date) -> None:
    for text in (
        day.isoformat(),
        spell_day(day),
        f"{day.day} {day:%b} {day.year}",
        f"{day.day}.{day.month}.{day.year}",
    ):
        assert read_date(text, BERLIN, BERLIN) == day.isoformat()


@given(st.text(st.sampled_from("0123456789-:/. TZJanFeb,atpmevery"), max_size=24))
def test_whatever_the_text_the_answer_is_a_date_or_none(text: str) -> None:
    found = read_date(text, BERLIN, BERLIN)
    assert found is None or day_of(found)
