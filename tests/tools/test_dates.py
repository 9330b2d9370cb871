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
        ("Friday week", "2026-12-04", "Friday"),
        ("three weeks from Friday", "2026-12-18", "Friday"),
        ("the third Friday in March", "2027-03-19", "Friday"),
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
        ("sat", "2026-11-28", "Saturday"),
        ("EOD", "2026-11-22", "Sunday"),
        ("EOM", "2026-11-30", "Monday"),
        ("by the EOY", "2026-12-31", "Thursday"),
        ("20th of next month", "2026-12-20", "Sunday"),
        ("1st of next month", "2026-12-01", "Tuesday"),
        ("friday after next", "2026-12-04", "Friday"),
        ("3 fridays from now", "2026-12-11", "Friday"),
        ("31/12/2026", "2026-12-31", "Thursday"),
        ("2026-25-11", "2026-11-25", "Wednesday"),
        ("Black Friday 2028", "2028-11-24", "Friday"),
        ("Easter", "2027-03-28", "Sunday"),
        ("Good Friday", "2027-03-26", "Friday"),
        ("three days after Easter", "2027-03-31", "Wednesday"),
        ("second to last Friday of March", "2027-03-19", "Friday"),
        ("the third last day of March", "2027-03-29", "Monday"),
        ("in 1 year, 2 months and 3 days", "2028-01-25", "Tuesday"),
        ("a week after tomorrow", "2026-11-30", "Monday"),
        ("end of Q1", "2027-03-31", "Wednesday"),
        ("in a month's time", "2026-12-22", "Tuesday"),
        ("the day after Christmas", "2026-12-26", "Saturday"),
        ("3 days later", "2026-11-25", "Wednesday"),
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
        ("this Friday", None, "2026-11-20", "2026-11-27 (Friday)"),
        ("Friday midnight", None, "2026-11-27", "2026-11-28 (Saturday)"),
        ("end of next week", None, "2026-11-29", "2026-11-27 (Friday)"),
        ("the first week of October 2027", None, "2027-10-01", "2027-10-04 (Monday)"),
        ("the last week of April 2027", None, "2027-04-24", "2027-04-19 (Monday)"),
        ("3/4/2027", None, "2027-03-04", "2027-04-03 (Saturday)"),
        ("sun", None, "2026-11-29", "2026-11-22 (Sunday)"),
        ("Sunday at 3pm", None, "2026-11-29", "2026-11-22 (Sunday)"),
    ],
)
def test_two_readings_are_both_told(memory: Memory, phrase: str, after: str | None, date: str, other: str) -> None:
    found = resolve(memory, phrase, after)
    assert (found["date"], found["or"]) == (date, other)
    assert "both" in found["note"]


@pytest.mark.parametrize(
    "phrase",
    ["next Sunday", "Sunday at 9", "Friday", "this Sunday", "Friday next week", "next month", "first week of March"],
)
def test_other_phrases_have_one_reading(memory: Memory, phrase: str) -> None:
    assert "or" not in resolve(memory, phrase)


@pytest.mark.parametrize(
    ("phrase", "first", "last"),
    [
        ("July 13 - 15", "2027-07-13", "2027-07-15"),
        ("from the 13th to the 15th of July", "2027-07-13", "2027-07-15"),
        ("Aug 10 - Nov 12, 2028", "2028-08-10", "2028-11-12"),
        ("monday - friday", "2026-11-23", "2026-11-27"),
        ("from Friday to Monday", "2026-11-27", "2026-11-30"),
        ("this quarter", "2026-10-01", "2026-12-31"),
        ("next quarter", "2027-01-01", "2027-03-31"),
        ("3rd quarter of 2027", "2027-07-01", "2027-09-30"),
        ("Q3 2027", "2027-07-01", "2027-09-30"),
        ("in 2027", "2027-01-01", "2027-12-31"),
        ("18 December for 10 days", "2026-12-18", "2026-12-27"),
    ],
)
def test_several_days_have_a_first_and_a_last(memory: Memory, phrase: str, first: str, last: str) -> None:
    found = resolve(memory, phrase)
    assert (found["date"], found["last"]) == (first, last)


@pytest.mark.parametrize(
    ("phrase", "date", "time", "until"),
    [
        ("at 3pm", "2026-11-22", "15:00", None),
        ("at 9am", "2026-11-23", "09:00", None),  # it is 10:30 in Berlin
        ("2 hours from now", "2026-11-22", "12:30", None),
        ("in about an hour", "2026-11-22", "11:30", None),
        ("in 1.5 hours", "2026-11-22", "12:00", None),
        ("2026-12-03T14:30", "2026-12-03", "14:30", None),
        ("tonight at 12", "2026-11-23", "00:00", None),
        ("tomorrow evening at 8", "2026-11-23", "20:00", None),
        ("from 9:30 to 11 on Thursday", "2026-11-26", "09:30", "11:00"),
        ("Friday 3-4pm", "2026-11-27", "15:00", "16:00"),
        ("between 9 and 11 tomorrow", "2026-11-23", "09:00", "11:00"),
        ("11:30-1:30", "2026-11-22", "11:30", "13:30"),
    ],
)
def test_no_part_of_a_time_is_dropped(memory: Memory, phrase: str, date: str, time: str, until: str | None) -> None:
    found = resolve(memory, phrase)
    assert (found["date"], found["time"], found.get("until")) == (date, time, until)


@pytest.mark.parametrize("phrase", ["tomorrow at 3", "tomorrow at 3:15"])
def test_an_hour_that_is_taken_for_one_after_noon_says_so(memory: Memory, phrase: str) -> None:
    found = resolve(memory, phrase)
    assert found["time"] in ("15:00", "15:15")
    assert "in the afternoon" in found["note"]


def test_the_side_and_the_part_of_a_day_are_told(memory: Memory) -> None:
    assert resolve(memory, "before Friday")["side"] == "before"
    assert resolve(memory, "after 5pm")["side"] == "after"
    assert resolve(memory, "tomorrow evening")["part_of_day"] == "evening"
    assert resolve(memory, "tonight")["part_of_day"] == "night"


@pytest.mark.parametrize(
    ("phrase", "date"),
    [
        ("12 working days", "2026-12-08"),
        ("in 3 business days", "2026-11-25"),
        ("last business day of the month", "2026-11-30"),
        ("first working day of January", "2027-01-01"),
    ],
)
def test_working_days_count_monday_to_friday_and_say_so(memory: Memory, phrase: str, date: str) -> None:
    found = resolve(memory, phrase)
    assert found["date"] == date
    assert "Monday to Friday" in found["note"]


@pytest.mark.parametrize(
    ("phrase", "date", "time"),
    [
        ("23:59 AoE on 11 December here", "2026-12-12", "12:59"),
        ("9am Tokyo time tomorrow", "2026-11-23", "01:00"),
        ("15:00 Europe/London on Friday", "2026-11-27", "16:00"),
        ("15:00 in New York", "2026-11-22", "21:00"),
        ("2026-12-03T14:30Z", "2026-12-03", "15:30"),
    ],
)
def test_a_time_of_another_zone_is_told_in_the_persons(memory: Memory, phrase: str, date: str, time: str) -> None:
    found = resolve(memory, phrase)
    assert (found["date"], found["time"]) == (date, time)
    assert "there" in found["note"]


@pytest.mark.parametrize(("phrase", "after"), [("in 2 hours", "2026-12-04"), ("in 2 hours Tokyo time", None)])
def test_hours_are_counted_from_now_and_here_alone(memory: Memory, phrase: str, after: str | None) -> None:
    with pytest.raises(ToolError, match="is not understood"):
        resolve(memory, phrase, after)


def test_a_city_that_is_no_zone_is_refused_with_the_form_of_one(memory: Memory) -> None:
    with pytest.raises(ToolError, match="no time zone 'freiburg'") as refused:
        resolve(memory, "15:00 in Freiburg")
    assert "Europe/Berlin" in refused.value.hint


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
        ("nächsten Freitag", "'nachsten freitag' is not understood"),
        ("this summer", "'this summer' is not understood"),
        ("third Tuesday after Easter", "'third' is not understood"),
        ("28.02", "'28.02' is not understood"),
        ("in 1.5 days", "'1.5 days' is not understood"),
        ("4pm for 30 minutes", "'30 minutes' is not understood"),
        ("Friday at the top floor", "'top floor' is not understood"),
        ("at 3 15 20", "'15 20' is not understood"),
        ("3-4", "'3 - 4' is not understood"),
        ("every Friday", "it repeats"),
        ("every first Monday of March", "it repeats"),
        ("fifth Sunday of March 2027", "there is no 'fifth Sunday of March 2027' in any calendar"),
        ("February 30", "there is no 'February 30' in any calendar"),
        ("tomorrow and Friday", "more than one day"),
        ("tomorrow at 3 and 5pm", "more than one day or time"),
        ("", "no day"),
        ("Friday 28 November", "2026-11-28 is a Saturday"),
    ],
)
def test_a_phrase_of_which_anything_is_left_is_refused(memory: Memory, phrase: str, why: str) -> None:
    with pytest.raises(ToolError, match=re.escape(why)) as refused:
        resolve(memory, phrase)
    assert "Understood" in refused.value.hint or "IANA" in refused.value.hint


def test_a_day_to_count_from_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(ToolError, match="'soon' is not an ISO date"):
        resolve(memory, "Monday", "soon")


def test_models_are_offered_it() -> None:
    assert set(TOOLS["resolve_date"].args) == {"phrase", "after"}
