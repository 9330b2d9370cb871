"""Folded texts."""

import pytest

from ana.phrases import find_words, fold


@pytest.mark.parametrize("text", ["Zürich", "ÉTÉ’s „a“", "İstanbul ß", "が今日？", "𝔘 ﬁ", "e\u0301", "plain Text"])
def test_a_folded_text_is_as_long_as_before(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folding_drops_case_accents_and_curls() -> None:
    assert fold("Löschen’S “É” wann？") == 'loschen\'s "e" wann?'
    assert find_words("don't check-up (it's 3!)") == ["don't", "check-up", "it's", "3"]
