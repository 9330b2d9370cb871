"""Numbers in words, written as digits: seven, vierzehn, une quinzaine, 三件."""

import re
from collections.abc import Iterable, Iterator

from text_to_num import alpha2digit

_KANJI = {ord(sign): str(n) for n, sign in enumerate("一二三四五六七八九", start=1)}
LANGUAGES = ("en", "de", "es", "fr")
_ABOUT = re.compile(r"\b(?P<stem>\w{3,})aine\b", re.IGNORECASE)
"""Une quinzaine: about fifteen."""


def write_numbers(text: str, languages: Iterable[str] = LANGUAGES) -> Iterator[str]:
    """Yield a text with its numbers as digits, for each language its words may be of ("" has only signs).

    A word may be a number in one language alone: "once" is 11 in Spanish.
    """
    text = text.translate(_KANJI)
    yield from dict.fromkeys(_translate(text, language) for language in languages)


def _translate(text: str, language: str) -> str:
    return alpha2digit(_ABOUT.sub(_read, text) if language == "fr" else text, language) if language else text


def _read(match: re.Match[str]) -> str:
    stem = match["stem"].lower()
    found = (alpha2digit(word, "fr") for word in (stem, f"{stem}e", f"{stem[:-1]}x"))
    return next((digits for digits in found if digits.isdigit()), match[0])
