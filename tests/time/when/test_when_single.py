"""The one day or time of a statement, where one is clear."""

from datetime import datetime

import pytest

from ana.time.when import find_single, tell_doubts

NOW = datetime(2026, 1, 7, 9)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("trim the hooves, no. 17 on Saturday", "2026-01-10"),
        ("the tax office wants it til 31.1.", "2026-01-31"),
        ("dentist Friday at 3:15", "2026-01-09T15:15"),
        ("flight on 3 May at 6:40", "2026-05-03T06:40"),
        ("dentist 2026-01-13 14:30", "2026-01-13T14:30"),
        ("plumber fri", "2026-01-09"),
        ("yoga Weds. 6pm", "2026-01-14T18:00"),
        ("call Bob 2 hours from now", "2026-01-07T11:00"),
        ("school closes 31/12/2026", "2026-12-31"),
        ("review the plan on sat", "2026-01-10"),
        ("report by EOM", "2026-01-31"),
    ],
)
def test_a_clear_one_is_found(text: str, due: str) -> None:
    assert find_single(text, NOW) == due


@pytest.mark.parametrize("text", ["meeting satuday 9am", "thursady 7pm dinner with Ann", "gym firday at 18:00"])
def test_a_time_beside_a_misspelt_day_is_not_today(text: str) -> None:
    assert find_single(text, NOW) is None


def test_a_day_of_the_month_in_another_language_is_none() -> None:
    assert find_single("Zahnarzt am 30. Februar 10:00", NOW) is None


@pytest.mark.parametrize("text", ["llega el 16 a las 21:40", "arriva il 16 alle 21:40", "der Termin am 16 um 21:40"])
def test_a_day_of_the_month_beside_a_time_is_not_today(text: str) -> None:
    assert find_single(text, NOW) in (None, "2026-01-16T21:40")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("dentist 31.2.2027 10:00", "31.2.2027"),
        ("vet 30 February 2027 at 10:00", "30 February 2027"),
        ("plumber 2027-02-30 10:00", "2027-02-30 10:00"),
        ("dentist Feb 29 2027 at 10", "Feb 29 2027"),
        ("vet 31/4/2026 at 10:00", "31/4/2026"),
        ("dentist on 30. February 10:00", "30. February"),
        ("camp 20-31 June at 9:00", "20-31 June"),
        ("call the plumber in an hour about 31 April", "31 April"),
        ("dentist 31.2. 10:00, not friday", "31.2."),
    ],
)
def test_an_impossible_day_does_not_become_another_and_is_named(text: str, day: str) -> None:
    assert find_single(text, NOW) is None
    assert tell_doubts(text, NOW.date()) == f" There is no “{day}” in any calendar, so it is not used as a date."


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("call 24/7 support at 10:00", "2026-01-07T10:00"),
        ("dentist 29 February 10:00", "2028-02-29T10:00"),
        ("school closes 31/12/2027 at 10:00", "2027-12-31T10:00"),
        ("read 3.14. and 9.81. at 10:00", "2026-01-07T10:00"),
    ],
)
def test_what_is_a_day_or_no_day_at_all_is_not_called_impossible(text: str, due: str) -> None:
    assert (find_single(text, NOW), tell_doubts(text, NOW.date())) == (due, "")
