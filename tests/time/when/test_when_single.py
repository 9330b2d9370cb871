"""The one day or time of a statement, where one is clear."""

from datetime import datetime

import pytest

from ana.time.when import find_single

NOW = datetime(2026, 1, 7, 9)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Hufe schneiden, Nr. 17 am Samstag", "2026-01-10"),
        ("the tax office wants it til 31.1.", "2026-01-31"),
        ("dîner à 16h30", "2026-01-07T16:30"),
    ],
)
def test_a_clear_one_is_found(text: str, due: str) -> None:
    assert find_single(text, NOW) == due


@pytest.mark.parametrize("text", ["llega el 16 a las 21:40", "arriva il 16 alle 21:40", "der Termin am 16 um 21:40"])
def test_a_day_of_the_month_beside_a_time_is_not_today(text: str) -> None:
    assert find_single(text, NOW) in (None, "2026-01-16T21:40")
