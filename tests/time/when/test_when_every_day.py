"""The regular phrases on the days of thirteen months, counted here by walking the calendar a day at a time."""

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest

from ana.time.clock import WEEKDAYS
from ana.time.dates import spell_day
from ana.time.when import read_due_question, resolve
from tests.examples import LONG

DAY = timedelta(days=1)
EVERY = [date(2027, 12, 1) + n * DAY for n in range(400)]
TODAYS = [day for n, day in enumerate(EVERY) if LONG or n % 10 == 0 or not 1 < day.day < 28]
"""In `make test` every day at the turn of a month, and each tenth of the others."""

AROUND = [EVERY[0] + n * DAY for n in range(-40, 480)][:: 1 if LONG else 5]
SHORT = {"Monday": "Mon", "Tuesday": "Tues", "Wednesday": "Wed", "Thursday": "Thurs", "Friday": "Fri"}


def meaning(text: str, today: date) -> tuple[date, date]:
    (mention,) = resolve(text, today)
    return mention.first, mention.last


def first_where(start: date, step: timedelta, holds: Callable[[date], bool]) -> date:
    while not holds(start):
        start += step
    return start


def week_of(day: date) -> list[date]:
    monday = first_where(day, -DAY, lambda each: each.strftime("%A") == "Monday")
    return [monday + n * DAY for n in range(7)]


@pytest.mark.parametrize("name", WEEKDAYS)
def test_weekdays(name: str) -> None:
    def is_named(day: date) -> bool:
        return day.strftime("%A") == name

    for today in TODAYS:
        coming = first_where(today + DAY, DAY, is_named)
        past = first_where(today - DAY, -DAY, is_named)
        (this,) = filter(is_named, week_of(today))
        (following,) = filter(is_named, week_of(today + 7 * DAY))
        expected = {name: coming, f"on {name}": coming, f"this {name}": this, f"next {name}": following}
        expected |= {f"last {name}": past, f"{name} next week": following, name.upper(): coming}
        if short := SHORT.get(name):
            expected |= {short: coming, f"by {short}": coming, f"next {short}": following, f"last {short}": past}
        for text, day in expected.items():
            assert meaning(text, today) == (day, day), (text, today)


def test_weeks_and_weekends() -> None:
    for today in TODAYS:
        for which, shift in (("last", -7), ("this", 0), ("next", 7)):
            week = week_of(today + shift * DAY)
            assert meaning(f"{which} week", today) == (week[0], week[6])
            assert meaning(f"{which} weekend", today) == (week[5], week[6])
            assert meaning(f"end of {which} week", today) == (week[6], week[6])
            assert meaning(f"beginning of {which} week", today) == (week[0], week[0])
            assert read_due_question(f"what's due {which} week?", today) == (week[0], week[6])


def test_months() -> None:
    for today in TODAYS:
        first = first_where(today, -DAY, lambda day: day.day == 1)
        following = first_where(today + DAY, DAY, lambda day: day.day == 1)
        last = following - DAY
        assert meaning("this month", today) == (first, last)
        assert meaning(f"in {today:%B}", today) == (first, last)
        assert meaning("end of the month", today) == (last, last)
        assert meaning("beginning of next month", today) == (following, following)
        assert meaning("next month", today)[0] == following
        assert meaning("last month", today)[1] == first - DAY


def test_distances() -> None:
    for today in TODAYS:
        assert meaning("today", today) == (today, today)
        assert meaning("tomorrow", today) == (today + DAY, today + DAY)
        assert meaning("yesterday", today) == (today - DAY, today - DAY)
        for n in (1, 2, 7, 30):
            later, earlier = today + n * DAY, today - n * DAY
            assert meaning(f"in {n} days", today) == (later, later)
            assert meaning(f"{n} days ago", today) == (earlier, earlier)
            assert meaning(f"in the next {n} days", today) == (today, later)
            assert meaning(f"in {n} weeks", today) == (today + 7 * n * DAY,) * 2


def formats(day: date) -> Iterator[str]:
    """The ways of writing a day in full."""
    suffix = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    for month in (f"{day:%B}", f"{day:%b}", f"{day:%b}".lower()):
        yield f"{month} {day.day}, {day.year}"
        yield f"{month} {day.day}{suffix} {day.year}"
        yield f"{day.day} {month} {day.year}"
        yield f"the {day.day}{suffix} of {month} {day.year}"
        yield f"{day:%a}, {day.day} {month} {day.year}"
    yield spell_day(day)
    yield from (f"{day}", f"{day}T09:30", f"{day} ({day:%A})", f"{day:%Y/%m/%d}")
    yield from (f"{day:%m/%d/%Y}", f"{day.month}/{day.day}/{day.year}", f"{day:%m/%d/%y}")
    yield from (f"{day:%d.%m.%Y}", f"{day.day}.{day.month}.{day.year}")


def test_days_written_in_full_mean_themselves() -> None:
    for day in AROUND:
        for text in formats(day):
            assert meaning(text, EVERY[200]) == (day, day), text
            assert meaning(f"due {text}, I think", EVERY[200]) == (day, day), text


def test_days_without_a_year_are_the_next_from_today_on() -> None:
    for today in TODAYS:
        for ahead in (0, 1, 30, 200, 364):
            day = today + ahead * DAY
            for text in (f"{day:%B} {day.day}", f"{day.day} {day:%b}", f"on {day.month}/{day.day}", f"{day:%d.%m.}"):
                assert meaning(text, today) == (day, day), (text, today)


def test_a_day_of_the_month_is_the_next_from_today_on() -> None:
    for today in TODAYS:
        for number in (1, 7, 13, 28, 29, 30, 31):
            day = first_where(today, DAY, lambda each, number=number: each.day == number)  # type: ignore[misc]  # a default binds the value
            assert meaning(f"on the {number}th", today) == (day, day)
