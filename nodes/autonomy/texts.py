"""The sentences of a text, lists of words, and numbers in words."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from text_to_num import alpha2digit


def any_of(*patterns: str) -> re.Pattern[str]:
    """Join patterns into one that ignores case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_ASKS = re.compile(r"[?？]\W*$|か。?\W*$")
_SENTENCE = re.compile(
    # neither a title nor the 12. of a month in German ends one
    r"(?<=[.!?。！？])(?<!\b(?:Dr|Mr|Ms|St|Sr|Hr|Fr)\.)(?<!\b(?:Mrs|Sra|Mme)\.)(?<!\bProf\.)\s+(?!(?<=\d\.\s)(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))|(?<=[。！？])|\n+"
)


def read_words(section: str) -> frozenset[str]:
    """Return a section of function_words.txt."""
    text = (Path(__file__).parent / "function_words.txt").read_text(encoding="utf-8")
    return frozenset(text.partition(f"\n[{section}]")[2].partition("\n\n")[0].partition("\n")[2].split())


def split_lines(text: str) -> list[str]:
    """Return the sentences and lines of a text in any language."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return bool(_ASKS.search(sentence))


# ---- numbers in words: seven, vierzehn, une quinzaine, 三件

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
    return alpha2digit(_ABOUT.sub(_read_about, text) if language == "fr" else text, language) if language else text


def _read_about(match: re.Match[str]) -> str:
    stem = match["stem"].lower()
    found = (alpha2digit(word, "fr") for word in (stem, f"{stem}e", f"{stem[:-1]}x"))
    return next((digits for digits in found if digits.isdigit()), match[0])
