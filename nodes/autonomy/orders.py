"""Stored text: whether it reads as an order to the assistant, and which words a write repeats from it."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from ana.memory.search.tokens import tokenize
from ana.models.fence import FLAG, HIDDEN

RUN = 5
"""As many consecutive words of stored text are a copy of it."""


_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSEEN = re.compile("[\u0300-\u036f\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufeff]")
"""Latin accents, and characters without a shape."""
_FOREIGN = re.compile("[\u0370-\u052f\u1d00-\u1d2b]")
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[a-z]")
_LOOKALIKES = str.maketrans("аеорсухіјѕԁһᴀοερικνατ", "aeopcyxijsdhaoepikvat")

_NAMED = re.compile(r"(\w+) := (.+)")


@cache
def _read_orders() -> re.Pattern[str]:
    """Return the rows of orders.txt as one pattern."""
    text = Path(__file__).with_name("orders.txt").read_text(encoding="utf-8")
    names: dict[str, str] = {}
    rows = []
    for row in (row for row in text.splitlines() if row and not row.startswith("#")):
        whole = re.sub(r"\{([A-Z]+2?)\}", lambda match: names[match[1]], row)
        if named := _NAMED.fullmatch(whole):
            names[named[1]] = named[2]
        else:
            rows.append(f"(?:{whole})")
    return re.compile("|".join(rows), re.MULTILINE | re.DOTALL)


@lru_cache(maxsize=1024)  # what is in view is weighed with every batch
def find_order(text: str) -> str | None:
    """Return the words by which a text reads as an order to the assistant, or None.

    Text that is hidden from people, by letters without a shape or by turning its direction, is meant for no person.
    """
    text = FLAG.sub("", text)
    if hidden := HIDDEN.search(text):
        return "".join(map(_reveal, text[hidden.start() :]))[:60].strip() or "hidden text"
    match = _read_orders().search(_fold(text))
    return " ".join(match[0].split()) if match else None


def find_copied(text: str, sources: list[str], own: str) -> str | None:
    """Return the first words of a text that repeat one of the sources and not the person's own words, or None."""
    known, said = {run for source in sources for run, _ in _runs(source)}, {run for run, _ in _runs(own)}
    return next((" ".join(words) for run, words in _runs(text) if run in known and run not in said), None)


def _fold(text: str) -> str:
    """Return a text without case, Latin accents, invisible characters and letters borrowed from other alphabets."""
    if text.isascii():
        return text.casefold()
    spread = unicodedata.normalize("NFKD", text).casefold()
    if _FOREIGN.search(spread):
        spread = _WORD.sub(_borrow, spread)
    return unicodedata.normalize("NFC", _UNSEEN.sub("", spread))


def _borrow(word: re.Match[str]) -> str:
    """Return a word in Latin letters if it has some: those it borrows stand for what they look like."""
    return word[0].translate(_LOOKALIKES) if _LATIN.search(word[0]) else word[0]


def _reveal(char: str) -> str:
    if "\U000e0020" <= char <= "\U000e007e":
        return chr(ord(char) - 0xE0000)
    return "" if HIDDEN.match(char) else char


def _runs(text: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield each run of as many words as make a copy; a character counts as half a word where no spaces are written."""
    words = [part for token in tokenize(text) for part in ([*token] if _UNSPACED.search(token) else [token])]
    weights = [1 if _UNSPACED.search(word) else 2 for word in words]
    for start in range(len(words)):
        total, end = 0, start
        while end < len(words) and total < 2 * RUN:
            total, end = total + weights[end], end + 1
        if total >= 2 * RUN:
            run = tuple(words[start:end])
            yield run, run
