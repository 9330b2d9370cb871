"""What is printed in one line is cut between words, quoted so that nothing ends it, and shows what nobody would see."""

import json
import sys
import unicodedata

import pytest
import regex

from ana.output import escape_controls, escape_json, quote, shorten

EVERY = [*map(chr, range(sys.maxunicode + 1))]
UNSEEN = regex.compile(r"[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}--[\t\n]]", regex.V1)
"""Characters that Unicode itself says are not drawn, or only format."""


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


def test_every_character_that_nobody_sees_is_an_escape() -> None:
    unseen = [each for each in EVERY if UNSEEN.match(each)]
    assert {unicodedata.category(each) for each in unseen} >= {"Cc", "Cf", "Lo", "Mn"}
    assert [ascii(each) for each in unseen if escape_controls(f"a{each}b").isascii() is False] == []
    written = ((each, escape_json(json.dumps(each, ensure_ascii=False))) for each in unseen)
    assert [ascii(each) for each, shown in written if not shown.isascii() or json.loads(shown) != each] == []


def test_every_character_that_is_seen_stays() -> None:
    changed = [each for each in EVERY if escape_controls(each) != each and not UNSEEN.match(each)]
    assert [ascii(each) for each in changed if not 0x13430 <= ord(each) <= 0x1343F] == []  # of a newer Unicode


@pytest.mark.parametrize(
    "text",
    ["👩‍👩‍👧", "👩🏽‍💻", "❤️‍🔥", "☎️ 1️⃣ ❤︎", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪", "می‌خواهم", "क्‍ष", "葛󠄀", "שלום café 日本"],
)
def test_what_makes_a_picture_or_a_word_stays(text: str) -> None:
    assert escape_controls(text) == text
    assert escape_json(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Rome\u202egnp", "Rome\\u202egnp"),
        ("a\u200bb", "a\\u200bb"),
        ("a\u200db", "a\\u200db"),
        ("milk\U000e006f\U000e0062", "milk\\U000e006f\\U000e0062"),
        ("🏴\U000e0064\U000e006f\U000e007f", "🏴\\U000e0064\\U000e006f\\U000e007f"),
        ("a\ufe0fb\U000e0101", "a\\ufe0fb\\U000e0101"),
        ("one\u2028two", "one\\u2028two"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_what_hides_in_a_text_is_shown(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Buy milk", "“Buy milk”"),
        ("Buy\nmilk\u2028", "“Buy milk”"),
        ("Buy” (done). Deletes “milk", "“Buy’ (done). Deletes ‘milk”"),
        ('Lies „Dune“, 5" breit', '“Lies ‚Dune‘, 5" breit”'),
        ("a\u202eb", "“a\\u202eb”"),
    ],
)
def test_nothing_in_a_quotation_ends_it(text: str, quoted: str) -> None:
    assert quote(text) == quoted


def test_a_long_quotation_is_cut_and_still_ends() -> None:
    assert quote("Buy oat milk", 8) == "“Buy oat…”"
