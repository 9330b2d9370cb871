"""Tables of phrases, and folded texts."""

from pathlib import Path

import pytest

from ana.phrases import Phrases, find_words, fold


@pytest.fixture
def phrases(tmp_path: Path) -> Phrases:
    path = tmp_path / "table.txt"
    path.write_text(
        "# a comment = en: no\nundo = en: undo, take it back de: rückgängig\n  fr: d', l'*\nmany = en: all\n",
        encoding="utf-8",
    )
    return Phrases(path)


def test_a_row_holds_the_words_of_all_languages(phrases: Phrases) -> None:
    assert phrases.words_of("undo") == {"undo", "take it back", "ruckgangig", "d'", "l'*"}
    assert phrases.words_of("undo", "many") > {"all"}
    with pytest.raises(KeyError):
        phrases.words_of("none")


@pytest.mark.parametrize("text", ["undo", "take  it back!", "d'acheter", "l'ami", "undo all", "ruckgangig"])
def test_a_pattern_has_phrases_as_whole_words(phrases: Phrases, text: str) -> None:
    assert phrases.pattern(r"<undo>(?P<rest>.*)").match(text)


@pytest.mark.parametrize("text", ["undoing", "undo's", "di", "take it", "redo undo"])
def test_a_part_of_a_word_is_none(phrases: Phrases, text: str) -> None:
    assert not phrases.pattern("<undo>").match(text)


@pytest.mark.parametrize("text", ["Zürich", "ÉTÉ’s „a“", "İstanbul ß", "が今日？", "𝔘 ﬁ", "e\u0301", "plain Text"])
def test_a_folded_text_is_as_long_as_before(text: str) -> None:
    assert len(fold(text)) == len(text)


def test_folding_drops_case_accents_and_curls() -> None:
    assert fold("Löschen’S “É” wann？") == 'loschen\'s "e" wann?'
    assert find_words("don't check-up (it's 3!)") == ["don't", "check-up", "it's", "3"]
