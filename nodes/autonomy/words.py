"""Words of texts in any language, compared in whatever form; and the lists of words.txt."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

from ana.memory.search.tokens import tokenize
from ana.recent import keep_recent
from nodes.policies.days import blank_days
from nodes.policies.messages import FUNCTION_WORDS

_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Scripts that are written without spaces: their words are compared as pairs of characters."""

_HIRAGANA = re.compile("[\u3041-\u309f]+")
_EMPTY = ("common", "kinds", "pointing", "done", "remove", "forget", "back", "all")
"""Lists of words that name nothing."""

_FUNCTION = frozenset(part for word in FUNCTION_WORDS for part in tokenize(word))

MOST_READ = 20_000
"""Characters of a text whose words are compared. Of an item a model is shown fewer."""

MOST_QUOTABLE = 1_000
"""Sentences of stored texts that an answer may quote; the first ones."""

MOST_ALIKE = 30
"""Words of a text that begin alike and are compared in whatever form; the word itself is found among all."""

STEM = 4
"""Characters that words must have in common at least to be forms of one word."""


class Words:
    """The words of a text, to be compared in whatever form.

    Args:
        texts: The parts of the text.
    """

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.content = frozenset(word for text in texts for word in find_content(text))

    @cached_property
    def _text(self) -> str:
        return " ".join(token for text in self.texts for token in tokenize(text))

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        stems = defaultdict[str, list[str]](list)
        for word in sorted(self.content):
            if len(stems[word[:STEM]]) < MOST_ALIKE:
                stems[word[:STEM]].append(word)
        return stems

    def has(self, word: str) -> bool:
        """Return whether a content word is here, in whatever form."""
        return word in self.content or any(are_forms(own, word) for own in self._by_stem.get(word[:STEM], ()))

    def count(self, other: "Words") -> int:
        """Return how many content words of another text are here."""
        return sum(map(self.has, other.content))

    def mention(self, *texts: str, whole: bool = True) -> bool:
        """Return whether one of the texts has a content word that is here.

        Args:
            texts: The texts.
            whole: Whether a text is mentioned, too, if all of it is here: it may have no content word.
        """
        return any(any(map(self.has, find_content(text))) or (whole and self.hold(text)) for text in texts)

    def hold(self, text: str) -> bool:
        """Return whether all of a text is here, word for word."""
        whole = " ".join(tokenize(text))
        unspaced = _UNSPACED.search(whole)
        return bool(whole) and (whole in self._text if unspaced else f" {whole} " in f" {self._text} ")


def are_forms(one: str, other: str) -> bool:
    """Return whether two words are forms of one: they begin alike."""
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < STEM or shorter[:STEM] != longer[:STEM]:
        return False
    common = next((i for i, c in enumerate(shorter) if longer[i] != c), len(shorter))
    return common >= max(STEM, len(shorter) - 2)


@keep_recent(1024)  # what is in view is weighed with every batch
def read_words(text: str) -> Words:
    """Return the words of a stored text."""
    return Words(text)


@keep_recent(1024)
def count_words(text: str) -> int:
    """Return how many words a text has; pairs of characters where no spaces are written."""
    return sum(len(part) - 1 if _UNSPACED.match(part) else part.isalpha() for part in _split(text[:MOST_READ]))


@keep_recent(1024)
def find_content(text: str) -> frozenset[str]:
    """Return the content words of a text: no days, no words that name nothing."""
    return frozenset(part for word in {*_find_words(text)} for part in _cut(word) if _is_content(part))


@keep_recent(64)  # a clause is compared with every text in view
def find_topics(clause: str) -> frozenset[str]:
    """Return what a clause speaks of: its content words without numbers, whole where no spaces are written."""
    words = {word for word in _find_words(clause) if not word[0].isdigit()}
    kana = {part for part in _split(clause) if _HIRAGANA.fullmatch(part) and not any(_lists(part, n) for n in _EMPTY)}
    return frozenset(word for word in words if find_content(word)) | kana


def has_listed(clause: str, name: str) -> bool:
    """Return whether one of the words of a clause is in a list of words.txt."""
    return any(_lists(word, name) for word in tokenize(clause))


def _split(text: str) -> Iterator[str]:
    return (part for token in tokenize(text) for part in _UNSPACED.split(token) if part)


def _find_words(text: str) -> Iterator[str]:
    """Yield the words of a text without its days; where no spaces are written, what stands between kana endings."""
    for part in _split(blank_days(text[:MOST_READ])):
        yield from filter(None, _HIRAGANA.split(part)) if _UNSPACED.match(part) else [part]


def _cut(word: str) -> list[str]:
    if len(word) == 1 or not _UNSPACED.match(word):
        return [word]
    return [word[i : i + 2] for i in range(len(word) - 1)]


def _is_content(word: str) -> bool:
    if _UNSPACED.match(word):
        return not any(word in each for name in _EMPTY for each in _read(name))
    return len(word) > 2 and word not in _FUNCTION and not any(_lists(word, name) for name in _EMPTY)


def _lists(word: str, name: str) -> bool:
    exact, stems = _forms(name)
    if word in exact or word.startswith(stems):
        return True
    return bool(_UNSPACED.search(word)) and any(part in word for part in _read(name) if _UNSPACED.search(part))


@cache
def _forms(name: str) -> tuple[frozenset[str], tuple[str, ...]]:
    words = _read(name)
    stems = (" ".join(tokenize(word[:-1])) for word in words if word.endswith("*"))
    return frozenset(t for word in words if not word.endswith("*") for t in tokenize(word)), tuple(stems)


@cache
def _read(name: str) -> tuple[str, ...]:
    """Return a list of words.txt, each word without accents; where no spaces are written also folded like a text's."""
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    section = text.partition(f"[{name}]\n")[2].partition("\n[")[0]
    words = (word for line in section.splitlines() if not line.startswith("#") for word in line.split())
    return tuple("".join(tokenize(word)) if _UNSPACED.search(word) else word for word in words)
