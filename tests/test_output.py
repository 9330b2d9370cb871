"""What is printed in one line is cut between words."""

import pytest

from ana.output import shorten


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("Buy milk", 8, "Buy milk"),
        ("Buy\n  oat milk", 12, "Buy oat milk"),
        ("Buy oat milk", 11, "Buy oat…"),
        ("Buy oat milk", 8, "Buy oat…"),
        ("Buy oat milk", 7, "Buy oa…"),
        ("Donaudampfschifffahrt", 10, "Donaudamp…"),
        ("a Donaudampfschifffahrt", 10, "a Donauda…"),
        ("牛乳を買うのを忘れない", 6, "牛乳を買う…"),
        ("a\x1b[31m", 20, "a\\x1b[31m"),
    ],
)
def test_a_long_line_is_cut_between_words_where_there_are_any(text: str, width: int, shown: str) -> None:
    assert shorten(text, width) == shown
    assert len(shorten(text, width)) <= width
