"""Tables of words, by what they say and by language, and texts folded so that they match."""

import re
import unicodedata
from functools import cached_property
from pathlib import Path

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


class Phrases:
    """A table of phrases: `name = en: two words, another de: noch eins`, a row that goes on after two spaces.

    Args:
        path: The file, which is read when it is first used. A line that begins with # is a comment.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._patterns: dict[str, re.Pattern[str]] = {}

    @cached_property
    def _rows(self) -> dict[str, tuple[str, ...]]:
        text = self._path.read_text(encoding="utf-8").replace("\n  ", " ")
        rows = (row.partition(" = ") for row in text.splitlines() if not row.startswith("#"))
        return {name: tuple(map(fold, filter(None, _SEPARATOR.split(row)))) for name, _, row in rows}

    def words_of(self, *names: str) -> frozenset[str]:
        """Return the phrases of some rows, folded."""
        return frozenset(phrase for name in names for phrase in self._rows[name])

    def pattern(self, text: str) -> re.Pattern[str]:
        """Return a pattern for folded texts in which <name> stands for a phrase of that row, as whole words."""
        if text not in self._patterns:
            filled = re.sub(r"(?<!\?P)<([a-z ]+)>", lambda name: self._fill_in(name[1]), text)
            self._patterns[text] = re.compile(filled, re.DOTALL)
        return self._patterns[text]

    def _fill_in(self, name: str) -> str:
        longest_first = sorted(self._rows[name], key=len, reverse=True)
        return rf"(?<!\w)(?:{'|'.join(map(_make_pattern, longest_first))})"


_SEPARATOR = re.compile(r",? ?\b[a-z]{2}: |, ")


def _make_pattern(phrase: str) -> str:
    escaped = re.escape(phrase).replace(r"\ ", r"\s+").replace(r"\*", r"\w*")
    # d' stands before a word; elsewhere people leave an apostrophe out
    return escaped if phrase.endswith("'") else escaped.replace("'", "'?") + r"(?![\w'])"
