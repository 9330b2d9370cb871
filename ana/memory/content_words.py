"""Content words: the words of a text that can name something, in any script, without a list of words."""

import unicodedata
from collections import Counter
from collections.abc import Iterator

from ana.memory.backend import Backend
from ana.memory.item import Item
from ana.memory.search.tokens import UNSPACED, split_words, tokenize
from ana.memory.tally import Counts, Tally
from ana.values import Json

LEAST = 4
"""Letters of a word that names something; a number has two digits or more, and of a script without spaces each pair of
characters is a word."""

SAME = 5
"""Words that begin with the same so many letters are the same word."""

TENTH = 10
"""A word names something only if at most one record in so many has it."""

ALWAYS = 3
"""In so many records a word may stand in any case."""

_RECORDS = "records"


def find_content_words(*texts: str) -> set[str]:
    """Return the content words of texts, folded so that equal ones are the same word."""
    return {key for text in texts for word in tokenize(text) if (key := _make_key(word))}


def count_words(text: str) -> int:
    """Return the number of words of a text, including short ones and numbers; in scripts without spaces two characters
    are a word.
    """
    return sum(map(_count, split_words(text)))


def _count(word: str) -> int:
    unspaced = sum(map(len, UNSPACED.findall(word)))
    return unspaced // 2 if unspaced else 1


def iter_words(value: Json) -> Iterator[str]:
    """Yield the texts and numbers in a value, as texts."""
    if isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from iter_words(part)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def find_words_of(item: Item) -> set[str]:
    """Return the content words of a record: of its content and of the values of its properties."""
    return find_content_words(item.content, *iter_words(item.properties))


def _make_key(word: str) -> str:
    """Return a key that is the same for equal words; empty for a word that names nothing."""
    if UNSPACED.match(word) or word.isdigit():
        return word if len(word) > 1 else ""
    return unicodedata.normalize("NFC", word)[:SAME] if sum(map(str.isalpha, word)) >= LEAST else ""


class WordCounts:
    """The number of items that have each content word. They are counted once; after that the journal says what to
    add.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tally = Tally(backend, self._count_all, lambda item, _: find_words_of(item))

    def is_rare(self, word: str) -> bool:
        """Return whether a word occurs in so few items that it names one of them."""
        return self._tally.read()[_RECORDS][word] <= max(ALWAYS, self._backend.count("item") // TENTH)

    def _count_all(self) -> Counts:
        return {_RECORDS: Counter(word for item in self._backend.scan("item") for word in find_words_of(item))}
