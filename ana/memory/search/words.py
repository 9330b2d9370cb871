"""How well the words of every item match those of a query, in memory.

Late interaction (Khattab and Zaharia, "ColBERT", 2020) between single words: each word of the query takes its highest
likeness among an item's words, 1 for the word itself and else the cosine of their vectors. An item's score is the mean
of these, weighted by how rare each word of the query is (Lucene's idf, which is never negative). Likenesses are kept in
bytes, so they are up to 2 in 255 too low.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ana.memory.search.postings import LANES, Bytes, Postings, Rows, Terms

MOST = 32
"""So many words of a query are compared, the rarest: a query may be a page of text."""

SAME = 255
ALIKE = 254
"""The likeness of a word to itself, and the most that another word can have."""

MORE_THAN_ONE = 1.0001
"""What rounding may make of a cosine of 1."""

Scores = NDArray[np.float32]
WordVector = NDArray[np.int8]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class QueryWord:
    """A word to look for.

    Args:
        number: Its term number; None if no item ever had it.
        vector: Its vector, of any length; zeros if it is like no other word.
    """

    number: int | None
    vector: WordVector


@dataclass(frozen=True)
class WordScores:
    """The scores of a query's words, 0 to 1.

    Args:
        rows: Of every document, ascending.
        scores: One for each row.
    """

    rows: Rows
    scores: Scores

    def look_up(self, rows: Rows) -> Scores:
        """Return the score of each row; 0 for one that is not there."""
        if not len(self.rows):
            return np.zeros(len(rows), np.float32)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        scores: Scores = np.where(self.rows[places] == rows, self.scores[places], np.float32(0))
        return scores


class Words:
    """The words of all documents. Documents are known by their row; those changed later are in a small tail.

    Args:
        documents: Row and terms of each document.
        vectors: Number and vector of each term.
    """

    def __init__(self, documents: Iterable[tuple[int, Terms]], vectors: Iterable[tuple[int, WordVector]] = ()) -> None:
        self._base = Postings(documents)
        self._alive = np.ones(len(self._base.rows), bool)
        self._tail: dict[int, Terms] = {}
        known = list(vectors)
        count = max(self._base.count_terms(), 1 + max((number for number, _ in known), default=0))
        self._vectors: Vectors = np.zeros((count, len(known[0][1]) if known else 0), np.float32)
        if known:
            self._vectors[[number for number, _ in known]] = _to_units(np.array([vector for _, vector in known]))
        self._containing = self._base.count_containing(count)
        self.changed = 0
        """How many documents were put or removed since it was made; a long tail is slow, and calls for a new index."""

    def __len__(self) -> int:
        return int(self._alive.sum()) + len(self._tail)

    def learn(self, number: int, vector: WordVector) -> None:
        """Add a term, before the first document that has it."""
        if not self._vectors.shape[1]:  # the first of all
            self._vectors = np.zeros((len(self._vectors), len(vector)), np.float32)
        if number >= len(self._vectors):
            more = max(number + 1, 2 * len(self._vectors)) - len(self._vectors)
            self._vectors = np.pad(self._vectors, ((0, more), (0, 0)))
            self._containing = np.pad(self._containing, (0, more))
        self._vectors[number] = _to_units(vector[np.newaxis])[0]

    def put(self, row: int, terms: Terms) -> None:
        """Add a document, or replace it."""
        self.remove(row)
        self._tail[row] = np.unique(terms)
        self._containing[self._tail[row]] += 1

    def remove(self, row: int) -> None:
        """Remove a document, if it exists."""
        self.changed += 1
        if row in self._tail:
            self._containing[self._tail.pop(row)] -= 1
        place = int(np.searchsorted(self._base.rows, row))
        if place < len(self._alive) and self._base.rows[place] == row and self._alive[place]:
            self._alive[place] = False
            self._containing[self._base.get_terms(place)] -= 1

    def score(self, words: Sequence[QueryWord], alike: float = 1.0) -> WordScores:
        """Return the score of every document; all are 0 if there are no words.

        Args:
            words: The words, each once.
            alike: What a word counts that is not the query's, but as like it as can be.
        """
        tail = list(self._tail)
        weights = np.array([self._weigh(word) for word in words], np.float32)
        rarest = np.argsort(-weights, kind="stable")[:MOST]
        base, late = np.zeros(len(self._alive), np.float32), np.zeros(len(tail), np.float32)
        for start in range(0, len(rarest), LANES):
            chosen = rarest[start : start + LANES]
            likeness, lanes = self._compare([words[n] for n in chosen], alike), np.zeros(LANES, np.float32)
            lanes[: len(chosen)] = weights[chosen]
            base += self._base.find_best(likeness).astype(np.float32) @ lanes
            late += _find_best(likeness, [self._tail[row] for row in tail]).astype(np.float32) @ lanes
        rows, scores = self._join(base, np.array(tail, np.int64), late)
        return WordScores(rows, scores / np.float32(max(SAME * float(weights[rarest].sum()), 1e-9)))

    def _join(self, base: Scores, tail: Rows, late: Scores) -> tuple[Rows, Scores]:
        """Return the rows of all documents, ascending, and their scores."""
        rows = self._base.rows
        if not self._alive.all():
            rows, base = rows[self._alive], base[self._alive]
        if not len(tail):
            return rows, base
        rows, scores = np.concatenate([rows, tail]), np.concatenate([base, late])
        order = np.argsort(rows)
        return rows[order], scores[order]

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """Return the rows that have all of these terms."""
        found = [self._find_with(term) for term in terms]
        return sorted(set.intersection(*found)) if found else []

    def _find_with(self, term: int) -> set[int]:
        places = self._base.find_containing(term)
        late = {row for row, terms in self._tail.items() if term in terms}
        return late | set(self._base.rows[places[self._alive[places]]].tolist())

    def _weigh(self, word: QueryWord) -> float:
        """Return a word's idf; one that no document has counts as the rarest."""
        containing = max(0 if word.number is None else int(self._containing[word.number]), 1)
        count = max(len(self), 1)
        return float(np.log1p((count - containing + 0.5) / (containing + 0.5)))  # the 1 in log1p keeps it above 0

    def _compare(self, words: Sequence[QueryWord], alike: float) -> Bytes:
        """Return how alike each term is to each of up to LANES words, shape (terms, LANES)."""
        likeness = np.zeros((len(self._vectors), LANES), np.uint8)
        if self._vectors.shape[1]:
            asked = _to_units(np.array([word.vector for word in words]))
            cosines = self._vectors @ asked.T
            likeness[:, : len(words)] = np.maximum(cosines, 0, out=cosines) * np.float32(ALIKE * alike / MORE_THAN_ONE)
        for lane, word in enumerate(words):
            if word.number is not None:
                likeness[word.number, lane] = SAME
        return likeness


def find_members(sorted: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Return for each of the rows whether it is among the sorted ones."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    members: NDArray[np.bool_] = sorted[np.minimum(np.searchsorted(sorted, rows), len(sorted) - 1)] == rows
    return members


def _find_best(likeness: Bytes, documents: Sequence[Terms]) -> Bytes:
    """Return the highest likeness among each document's words, shape (documents, LANES)."""
    best = [likeness[terms].max(axis=0, initial=0) for terms in documents]
    return np.array(best, np.uint8).reshape(-1, LANES)


def _to_units(vectors: WordVector) -> Vectors:
    wide = vectors.astype(np.float32)
    units: Vectors = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), np.float32(1e-9))
    return units
