"""Long lines go on below their words, and nothing is cut."""

import pytest

from ana.time.clock import Clock
from app.show.text import show_moment, wrap
from tests.conftest import BERLIN, WEDNESDAY

HANGING = [
    ("  + Buy milk and bread", "  + Buy milk and\n    bread"),
    ("- Buy milk and some bread", "- Buy milk and some\n  bread"),
    ("1. Buy milk and some bread", "1. Buy milk and some\n   bread"),
    ("> Buy milk and some bread", "> Buy milk and some\n  bread"),
    ("Buy milk and some more bread", "Buy milk and some\nmore bread"),
    ("   - a nested list of a few", "   - a nested list\n     of a few"),
]


@pytest.mark.parametrize(("line", "wrapped"), HANGING)
def test_a_long_line_goes_on_below_its_words(line: str, wrapped: str) -> None:
    assert wrap(line, 20) == wrapped


def test_a_moment_is_shown_as_the_persons_clock_showed_it() -> None:
    clock = Clock(BERLIN, lambda: WEDNESDAY)
    assert show_moment("2026-01-06T23:30:00+00:00", clock) == "Wed 7 Jan 00:30"
    assert show_moment("2025-01-06T22:30:00+00:00", clock) == "Mon 6 Jan 2025 23:30"
