"""The words of a text, as the lexical leg counts them."""

import re
import unicodedata
from itertools import filterfalse

_WORD = re.compile(r"[^\W_]+")


def tokenize(text: str) -> list[str]:
    """Return all words and numbers in order, without case, accents or plural: "Zürich, 14:30" gives zurich 14 30."""
    return [_drop_plural(word) for word in _WORD.findall(_fold(text))]


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
    """Return a tag in the form that is compared: home-office, Home_Office and "home office" are the same."""
    return " ".join(tokenize(tag.replace("_", " ")))
