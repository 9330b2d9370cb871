"""Content words: what of a text can name something, in any script, without a list of words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from ana.memory.backend import Backend
from ana.memory.item import Item
from ana.memory.search.tokens import tokenize
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

_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_UNSPACED}]+")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese, which put no spaces between words."""

_RECORDS = "records"


def find_content_words(*texts: str) -> set[str]:
    """Return the content words of texts, folded so that equal ones are the same word."""
    return {key for text in texts for word in tokenize(text) for key in _split(word)}


def count_words(text: str) -> int:
    """Return how many words a text has, also short ones and numbers; without spaces two characters are a word."""
    return sum(map(_count, tokenize(text)))


def _count(word: str) -> int:
    unspaced = sum(map(len, _RUN.findall(word)))
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


def _split(word: str) -> Iterator[str]:
    runs = _RUN.findall(word)
    for run in runs:
        yield from (run[at : at + 2] for at in range(len(run) - 1))
    if runs:
        return
    if word.isdigit():
        if len(word) > 1:
            yield word
    elif sum(map(str.isalpha, word)) >= LEAST:
        yield unicodedata.normalize("NFC", word)[:SAME]


class WordCounts:
    """How many items have each content word. They are counted once; after that the journal tells what to add."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tally = Tally(backend, self._count_all, lambda item, _: find_words_of(item))

    def is_rare(self, word: str) -> bool:
        """Whether a word stands in few enough items to name one of them."""
        return self._tally.read()[_RECORDS][word] <= max(ALWAYS, self._backend.count("item") // TENTH)

    def _count_all(self) -> Counts:
        counts = Counter[str]()
        for item in self._backend.scan("item"):
            counts.update(find_words_of(item))
        return {_RECORDS: counts}
