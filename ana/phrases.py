"""Texts folded so that they match, and their words."""

import re
import unicodedata

from ana.recent import keep_recent

_PLAIN = str.maketrans("’‘“”„？", '\'\'"""?')


@keep_recent(64)  # one message is read in many ways
def fold(text: str) -> str:
    """Return a text of the same length in small letters without accents, its signs plain."""
    if text.isascii():
        return text.lower()
    return "".join(unicodedata.normalize("NFD", character)[0].lower()[0] for character in text).translate(_PLAIN)


def find_words(folded: str) -> list[str]:
    """Return the words of a folded text; an apostrophe or a hyphen inside a word is part of it."""
    return re.findall(r"[^\W_](?:[\w'-]*[^\W_])?", folded)
