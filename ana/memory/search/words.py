"""How well the words of every item match those of a query, in memory.

Late interaction (Khattab and Zaharia, "ColBERT", 2020) between single words: each word of the query takes its highest
likeness among an item's words, 1 for the word itself and else the cosine of their vectors. An item's score is the mean
of these, weighted by how rare each word of the query is (Lucene's idf, which is never negative). Few words are near
another one, so items are proposed by such words alone: only those that have one are visited.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ana.memory.search.postings import Postings, Rows, Terms

MOST = 32
"""So many words of a query are compared, the rarest: a query may be a page of text."""

NEAR = 0.4
"""From which cosine on a word proposes the items that have it."""

NEGLIGIBLE = 0.001
"""A word with a smaller share of a query's weight proposes nothing: nearly every item has it."""

Scores = NDArray[np.float32]
WordVector = NDArray[np.int8]
Likeness = list[tuple[int, float]]
"""Terms and how alike they are to a word, ascending."""


@dataclass(frozen=True)
class QueryWord:
    """A word to look for, its term number, if an item ever had it, and its vector; zeros if it is like no other."""

    number: int | None
    vector: WordVector


@dataclass(frozen=True)
class WordScores:
    """The scores of a query's words, 0 to 1, one for the row of every document; rows ascending."""

    rows: Rows
    scores: Scores

    def look_up(self, rows: Rows) -> Scores:
        """Return the score of each row; 0 for one that is not there."""
        if not len(self.rows):
            return np.zeros(len(rows), np.float32)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        scores: Scores = np.where(self.rows[places] == rows, self.scores[places], np.float32(0))
        return scores


class WordVectors:
    """The vectors of terms, each given with its number, of those that have one; others have zeros."""

    def __init__(self, known: Iterable[tuple[int, WordVector]]) -> None:
        some = [(number, vector) for number, vector in known if vector.any()]
        self._count = len(some)
        self._places = {number: place for place, (number, _) in enumerate(some)}
        self._numbers = np.array([number for number, _ in some], np.int64)
        self._units = _to_units(np.array([vector for _, vector in some])) if some else np.empty((0, 0), np.float32)

    def add(self, number: int, vector: WordVector) -> None:
        if not vector.any():
            return
        if self._count == len(self._numbers):
            more = max(64, self._count // 4)
            self._numbers = np.pad(self._numbers, (0, more))
            self._units = np.pad(self._units, ((0, more), (0, len(vector) - self._units.shape[1])))
        self._numbers[self._count], self._units[self._count] = number, _to_units(vector[np.newaxis])[0]
        self._places[number] = self._count
        self._count += 1

    def compare(self, terms: Terms, words: Sequence[QueryWord], least: float) -> Scores:
        """Return how alike each term is to each word, shape (terms, words): 0 below `least`, 1 for the word itself."""
        likeness = np.zeros((len(terms), len(words)), np.float32)
        places = np.array([self._places.get(term, -1) for term in terms.tolist()], np.int64)
        if self._count:
            cosines = self._units[places] @ _to_units(np.array([word.vector for word in words])).T
            likeness = np.where((cosines >= least) & (places >= 0)[:, np.newaxis], np.clip(cosines, 0, 1), likeness)
        for lane, word in enumerate(words):
            likeness[terms == word.number, lane] = 1
        return likeness

    def find_near(self, words: Sequence[QueryWord], least: float) -> list[Likeness]:
        """Return for each word the terms whose cosine is at least `least`, and itself."""
        units, numbers = self._units[: self._count], self._numbers[: self._count]
        if not len(units) or not words:
            return [_rank_terms(word, numbers, np.zeros(len(numbers), np.float32), least) for word in words]
        cosines = units @ _to_units(np.array([word.vector for word in words])).T
        return [_rank_terms(word, numbers, each, least) for word, each in zip(words, cosines.T, strict=True)]


class Words:
    """The words of all documents, which are known by their row; those changed later are in a small tail."""

    def __init__(self, documents: Iterable[tuple[int, Terms]], vectors: Iterable[tuple[int, WordVector]] = ()) -> None:
        self._base = Postings(documents)
        self._alive = np.ones(len(self._base.rows), bool)
        self._dead = 0
        self._tail: dict[int, Terms] = {}
        self._late: Postings | None = None
        self._vectors = WordVectors(vectors)
        self.changed = 0
        """How many documents were put or removed since it was made; a long tail is slow, and calls for a new index."""

    def __len__(self) -> int:
        return len(self._alive) - self._dead + len(self._tail)

    def learn(self, number: int, vector: WordVector) -> None:
        """Add a term, before the first document that has it."""
        self._vectors.add(number, vector)

    def put(self, row: int, terms: Terms) -> None:
        """Add a document, or replace it."""
        self.remove(row)
        self._tail[row] = terms

    def remove(self, row: int) -> None:
        """Remove a document, if it exists."""
        self.changed += 1
        self._late = None
        self._tail.pop(row, None)
        place = int(np.searchsorted(self._base.rows, row))
        if place < len(self._alive) and self._base.rows[place] == row and self._alive[place]:
            self._alive[place] = False
            self._dead += 1

    def score(self, words: Sequence[QueryWord], documents: Sequence[Terms], near: float = 0.0) -> Scores:
        """Return the score of each document of these terms; all are 0 if there are no words.

        The words are given once each; another one counts from the cosine `near` on.
        """
        chosen, shares = self._weigh_all(words)
        lengths = np.array([len(terms) for terms in documents], np.int64)
        scores = np.zeros(len(documents), np.float32)
        if chosen and lengths.any():
            terms, each = np.unique(np.concatenate(documents), return_inverse=True)
            likeness = self._vectors.compare(terms, chosen, near)[each]
            some = lengths > 0
            best = np.maximum.reduceat(likeness, (np.cumsum(lengths) - lengths)[some])
            # no product of matrices: BLAS gains nothing here, and once reported an invalid number where all are finite
            scores[some] = (best * shares).sum(axis=1)
        return scores

    def propose(self, words: Sequence[QueryWord], near: float = 0.0) -> WordScores:
        """Return every document's score as far as it comes from the words themselves and words near them.

        Arguments as of `score`; below NEAR no other word counts here.
        """
        chosen, shares = self._weigh_all(words)
        wanted = [(word, share) for word, share in zip(chosen, shares.tolist(), strict=True) if share >= NEGLIGIBLE]
        alike = self._vectors.find_near([word for word, _ in wanted], max(near, NEAR))
        each = [(terms, share) for terms, (_, share) in zip(alike, wanted, strict=True)]
        return self._join(_score_in(self._base, each), _score_in(self._read_tail(), each))

    def _join(self, base: Scores, late: Scores) -> WordScores:
        rows = self._base.rows
        if self._dead:
            rows, base = rows[self._alive], base[self._alive]
        if not self._tail:
            return WordScores(rows, base)
        rows, scores = np.concatenate([rows, self._read_tail().rows]), np.concatenate([base, late])
        order = np.argsort(rows, kind="stable")  # which is fast on two runs that are sorted
        return WordScores(rows[order], scores[order])

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """Return the rows that have all of these terms, ascending."""
        found = [self._find_with(term) for term in terms]
        return np.sort(reduce(np.intersect1d, found)).tolist() if found else []

    def _find_with(self, term: int) -> Rows:
        places, late = self._base.find_containing(term), self._read_tail()
        return np.concatenate([self._base.rows[places[self._alive[places]]], late.rows[late.find_containing(term)]])

    def _read_tail(self) -> Postings:
        if self._late is None:
            self._late = Postings(self._tail.items())
        return self._late

    def _weigh_all(self, words: Sequence[QueryWord]) -> tuple[list[QueryWord], Scores]:
        """Return the rarest words, and each one's share of their weight."""
        weights = np.array([self._weigh(word) for word in words], np.float32)
        chosen = np.argsort(-weights, kind="stable")[:MOST]
        return [words[n] for n in chosen], weights[chosen] / np.float32(max(float(weights[chosen].sum()), 1e-9))

    def _weigh(self, word: QueryWord) -> float:
        """Return a word's idf; one that no document has counts as the rarest."""
        places = self._base.find_containing(word.number)
        held = int(np.count_nonzero(self._alive[places])) if self._dead else len(places)
        containing = max(held + len(self._read_tail().find_containing(word.number)), 1)
        count = max(len(self), 1)
        return float(np.log1p((count - containing + 0.5) / (containing + 0.5)))  # the 1 in log1p keeps it above 0


def find_members(sorted: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Return for each of the rows whether it is among the sorted ones."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    members: NDArray[np.bool_] = sorted[np.minimum(np.searchsorted(sorted, rows), len(sorted) - 1)] == rows
    return members


def _score_in(documents: Postings, words: Sequence[tuple[Likeness, float]]) -> Scores:
    scores = np.zeros(len(documents.rows), np.float32)
    for alike, weight in words:
        held = [
            (places, likeness * weight) for term, likeness in alike if len(places := documents.find_containing(term))
        ]
        if len(held) == 1:  # as most have, which saves going through all documents
            scores[held[0][0]] += held[0][1]
        elif held:
            best = np.zeros(len(scores), np.float32)
            for places, score in held:  # ascending: the last that a document has is the highest
                best[places] = score
            scores += best
    return scores


def _rank_terms(word: QueryWord, numbers: NDArray[np.int64], cosines: Scores, least: float) -> Likeness:
    """Return the terms whose cosine is at least `least` and the word itself, the likest last."""
    near = np.flatnonzero((cosines >= least) & (numbers != word.number))
    near = near[np.argsort(cosines[near])]
    same = [] if word.number is None else [(word.number, 1.0)]
    return [*zip(numbers[near].tolist(), np.minimum(cosines[near], 1).tolist(), strict=True), *same]


def _to_units(vectors: WordVector) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    units: NDArray[np.float32] = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), np.float32(1e-9))
    return units
