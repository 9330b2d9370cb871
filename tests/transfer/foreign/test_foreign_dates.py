"""A date is placed only where its text names one day on whatever day it is read."""

import csv
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.time.dates import day_of, spell_day
from ana.transfer.reading import read_source
from ana.values import Json
from tests.conftest import BERLIN


@pytest.fixture(scope="module")
def path() -> Iterator[Path]:
    """A file that is written again for each text."""
    with TemporaryDirectory() as folder:
        yield Path(folder) / "Garden.csv"


def read_dates(path: Path, texts: Iterable[str], zone: str = "") -> list[Json]:
    """Return the dates of texts in a file of February 2026; None for those that are kept in words or guessed."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [
                ("TYPE", "CONTENT", "DEADLINE", "TIMEZONE"),
                *(("task", f"a{n}", each, zone) for n, each in enumerate(texts)),
            ]
        )
    os.utime(path, (0, datetime(2026, 2, 3, tzinfo=UTC).timestamp()))
    found = read_source(path, BERLIN)
    assert found
    values, noted = [item.properties.get("deadline") for item in found.items], " ".join(found.notes)
    return [each if day_of(each) and f": a{n}”" not in noted else None for n, each in enumerate(values)]


def read_date(path: Path, text: str, zone: str = "") -> Json:
    """Return the date of a text."""
    (found,) = read_dates(path, [text], zone)
    return found


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
        ("1/13/2026 6:15:00 PM", "2026-01-13T18:15"),
        ("13/1/2026 18:15:30", "2026-01-13T18:15:30"),
    ],
)
def test_one_day_is_read(path: Path, text: str, found: str) -> None:
    assert read_date(path, text) == found


@pytest.mark.parametrize(
    "text",
    [
        "", "tomorrow", "every day", "every 13 Jan 2026", "every day starting 13 Jan 2026", "Tuesday", "13 Jan",
        "the 13th", "1/13", "3/4/2026", "January 2026", "next week", "31 Feb 2026", "2026-02-30",
        "3-4-2026", "3/4/2026 14:00", "13 Jan 2026 - 15 Jan 2026",
        "13-15 Jan 2026", "13 Jan 2026 at 3", "13 Jan 2026 at 25:00", "13 Jan 2026 at 2pm and 4pm", "13 janv. 2026",
        "before 13 Jan 2026", "2026", "0001-01-01T00:00+14:00", "x" * 400_000, "13 Jan 2026" + " " * 1000 + "at 2pm",
    ],
)  # fmt: skip
def test_text_without_one_day_is_not_read(path: Path, text: str) -> None:
    assert read_date(path, text) is None


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("12/28/2026", "2026-03-04T18:15"),
        ("28/12/2026 9:00 am", "2026-04-03T18:15"),
        ("5/5/2026", None),
        ("2026-12-28", None),
    ],
)
def test_one_date_of_a_file_shows_the_order_of_all(path: Path, other: str, found: str | None) -> None:
    assert read_dates(path, ["3/4/2026 6:15 PM", other])[0] == found
    assert read_dates(path, ["3/4/2026 6:15 PM", "12/28/2026", "28/12/2026"])[0] is None


def test_a_time_is_moved_to_the_persons_zone_and_a_day_is_not(path: Path) -> None:
    assert read_date(path, "13 Jan 2026 at 4am", "Asia/Tokyo") == "2026-01-12T20:00"
    assert read_date(path, "13 Jan 2026 at 8am", "Asia/Tokyo") == "2026-01-13"
    assert read_date(path, "13 Jan 2026", "Asia/Tokyo") == "2026-01-13"
    assert read_date(path, "13 Jan 2026", "Nowhere/Land") == "2026-01-13"
    assert read_date(path, "13 Jan 2026 at 8am", "Nowhere/Land") is None


@given(st.dates(date(1950, 1, 1), date(2199, 12, 31)))
def test_every_day_is_found_again(path: Path, day: date) -> None:
    texts = (
        day.isoformat(),
        spell_day(day),
        f"{day.day} {day:%b} {day.year}",
        f"{day.day}.{day.month}.{day.year}",
    )
    assert read_dates(path, texts) == [day.isoformat()] * len(texts)


@given(st.text(st.sampled_from("0123456789-:/. TZJanFeb,atpmevery"), max_size=24))
def test_whatever_the_text_the_answer_is_a_date_or_none(path: Path, text: str) -> None:
    found = read_date(path, text)
    assert found is None or day_of(found)
