"""A person's message: what it names, and whether it asks to remove something. What cannot be decided counts as no."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ana.memory.search.tokens import tokenize

_UNSPACED = re.compile(
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)"
)
"""Scripts that are written without spaces: their words are compared as pairs of characters."""

_HIRAGANA = re.compile("[\u3041-\u309f]+")
_SENTENCE = re.compile(r"[^.!?。！？؟\n;]+[.!?。！？؟]*")
_CLAUSE = re.compile(r"[,、，]|\b(?:and|then|but|und|dann|aber|y|luego|pero|et|puis|mais|e|poi|en)\b", re.IGNORECASE)
_ASKED = re.compile(r"[?？؟]")
_STEM = 4
"""Characters that words must have in common at least to be forms of one word."""


class Message:
    """A message of a person.

    Args:
        text: The message.
    """

    def __init__(self, text: str) -> None:
        self._all = _Words(text)
        clauses = [clause for sentence in _SENTENCE.findall(text) for clause in _split(sentence)]
        self._stated = _Words("\n".join(clauses))
        self.states = bool(clauses)
        """Whether a part is no question."""
        self.asks_to_remove = any(_removes(clause) for clause in clauses)
        """Whether a part that is no question asks to remove something."""

    def mentions(self, *texts: str, whole: bool = True) -> bool:
        """Return whether the message shares a content word with one of the texts.

        Args:
            texts: The texts.
            whole: Whether a text that has no content word is mentioned where the message has all of it.
        """
        return any(self._all.meet(text, whole=whole) for text in texts)

    def count(self, text: str) -> int:
        """Return how many content words of a text the message has too."""
        return self._all.count(text)

    def names(self, *texts: str, whole: bool = True) -> bool:
        """Return the same for the parts of the message that are no questions."""
        return any(self._stated.meet(text, whole=whole) for text in texts)


def split_words(text: str) -> list[str]:
    """Return the words of a text without case and accents; pairs of characters where no spaces are written."""
    return [word for token in tokenize(text) for part in _UNSPACED.split(token) if part for word in _cut(part)]


class _Words:
    def __init__(self, text: str) -> None:
        self._text = " ".join(tokenize(text))
        self._content = {word for word in split_words(text) if _is_content(word)}

    def meet(self, text: str, *, whole: bool) -> bool:
        """Return whether a content word of the other text is here, in whatever form; or, if asked, the whole of it."""
        folded = " ".join(tokenize(text))
        if whole and folded and self._holds(folded):
            return True
        return any(_same(own, word) for word in {*split_words(text)} for own in self._content)

    def count(self, text: str) -> int:
        """Return how many content words of the other text are here, in whatever form."""
        return sum(any(_same(own, word) for own in self._content) for word in {*split_words(text)} if _is_content(word))

    def _holds(self, whole: str) -> bool:
        return whole in self._text if _UNSPACED.search(whole) else f" {whole} " in f" {self._text} "


def _cut(part: str) -> list[str]:
    if len(part) == 1 or not _UNSPACED.fullmatch(part):
        return [part]
    return [part[i : i + 2] for i in range(len(part) - 1)]


def _is_content(word: str) -> bool:
    if _UNSPACED.fullmatch(word):
        return not _HIRAGANA.fullmatch(word) and not any(
            word in each for name in ("remove", "common") for each in _read(name)
        )
    return len(word) > 2 and not _has((word,), "common") and not _has((word,), "remove")


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) < _STEM or shorter[:_STEM] != longer[:_STEM]:
        return False
    common = next((i for i, c in enumerate(shorter) if longer[i] != c), len(shorter))
    return common >= max(_STEM, len(shorter) - 2)


def _split(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence that are no questions."""
    if _ASKED.search(sentence):
        if _is_polite_order(sentence):
            yield sentence
        return
    yield from (clause for clause in _CLAUSE.split(sentence) if clause.strip() and not _begins_question(clause))


def _is_polite_order(sentence: str) -> bool:
    """Whether a sentence with a question mark asks the assistant to do something: Could you delete the milk?"""
    body = _drop(tokenize(sentence), "opening")
    rest = _drop(body, "polite")
    openers = len(body) - len(rest)
    polite = openers > 1 or (openers == 1 and _has(rest[:1], "remove")) or _holds_unspaced(body, "polite")
    return polite and not _has(rest, "asks") and not _has(rest, "not")


def _begins_question(clause: str) -> bool:
    words = _drop(tokenize(clause), "opening")
    return _has(words[:1], "asks") or _holds_unspaced(words, "asks")


def _removes(clause: str) -> bool:
    words = tokenize(clause)
    return _has(words, "remove") and not _has(words, "not")


def _drop(words: list[str], name: str) -> list[str]:
    first = next((i for i, word in enumerate(words) if not _has([word], name)), len(words))
    return words[first:]


def _has(words: "list[str] | tuple[str, ...]", name: str) -> bool:
    """Return whether one of the words is in the list."""
    exact, stems = _forms(name)
    return any(word in exact or word.startswith(stems) for word in words) or _holds_unspaced(words, name)


def _holds_unspaced(words: "list[str] | tuple[str, ...]", name: str) -> bool:
    return any(
        part in word for word in words if _UNSPACED.search(word) for part in _read(name) if _UNSPACED.search(part)
    )


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
