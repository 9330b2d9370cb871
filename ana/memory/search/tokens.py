"""The words of a text, as the lexical leg counts them."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import filterfalse, pairwise

_WORD = re.compile(r"[^\W_]+")

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
UNSPACED = re.compile(f"[{_UNSPACED}]+")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese, which put no spaces between words."""

_PART = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")


def tokenize(text: str) -> list[str]:
    """Return all words and numbers in order, without case, accents or plural: "Zürich, 14:30" gives zurich 14 30.

    In a script without spaces each pair of characters is a word.
    """
    words = split_words(text)
    return words if text.isascii() else [each for word in words for each in _pair_unspaced(word)]


def split_words(text: str) -> list[str]:
    """Return the words between spaces and marks, as `tokenize` does, but a run without spaces as one word."""
    return [_drop_plural(word) for word in _WORD.findall(_fold(text))]


def _pair_unspaced(word: str) -> Iterator[str]:
    for part in _PART.findall(word):
        if len(part) > 1 and UNSPACED.match(part):
            yield from map("".join, pairwise(part))
        else:
            yield part


def _fold(text: str) -> str:
    folded = text.casefold()
    if folded.isascii():  # nothing to take apart, and most texts are
        return folded
    return "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", folded)))


def _drop_plural(word: str) -> str:
    """Apply Harman's S stemmer ("How effective is suffixing?", 1991): the first ending that fits decides."""
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word[-4] in "ae" else f"{word[:-3]}y"
    if word.endswith("es"):
        return word if word[-3] in "aeo" else word[:-1]
    return word if word[-2] in "us" else word[:-1]


def fold_tag(tag: str) -> str:
    """Return a tag in the form used for comparing: home-office, Home_Office and "home office" are the same."""
    return " ".join(tokenize(tag.replace("_", " ")))
