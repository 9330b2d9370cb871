"""Scores, in memory, for the match of every item's words with the words of a query.

Late interaction (Khattab and Zaharia, "ColBERT", 2020) between single words: each word of the query takes its highest
likeness among an item's words, 1 for the word itself and else the cosine of their vectors. An item's score is the mean
of these, weighted by how rare each word of the query is (Lucene's idf, which is never negative).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

Terms = NDArray[np.uint32]
Rows = NDArray[np.int64]
Scores = NDArray[np.float32]
WordVector = NDArray[np.int8]

MOST = 32
"""So many words of a query are compared, the rarest: a query may be a page of text."""

SHORT = 64
"""So many terms of all documents are compared together, one place in each at once; those of longer ones after each
other, which takes three times as long."""


FEW = 8
"""Up to this share of all documents, to arrange those that pass a filter is faster than to compare all."""


@dataclass(frozen=True)
class QueryWord:
    """A word to look for, its term number, if an item ever had it, and its vector; zeros if no other word is
    similar.
    """

    number: int | None
    vector: WordVector


@dataclass(frozen=True)
class WordScores:
    """The scores of a query's words, from 0 to 1, one for each document; rows ascending."""

    rows: Rows
    scores: Scores

    def look_up(self, rows: Rows) -> Scores:
        """Return the score of each row; 0 for one that is not there."""
        if not len(self.rows):
            return np.zeros(len(rows), np.float32)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        scores: Scores = np.where(self.rows[places] == rows, self.scores[places], np.float32(0))
        return scores


class Documents:
    """The terms of all documents, by row; the longest documents first."""

    def __init__(self, known: dict[int, Terms]) -> None:
        self.rows: Rows = np.array(sorted(known), np.int64)
        lengths = np.array([len(known[row]) for row in self.rows.tolist()], np.int64)
        self._order = np.argsort(-lengths, kind="stable")
        lengths = lengths[self._order]
        terms = [known[row] for row in self.rows[self._order].tolist()]
        self._terms = np.concatenate(terms).astype(np.int64) if terms else np.empty(0, np.int64)
        self._owners = np.repeat(self._order, lengths)
        begins = np.cumsum(lengths) - lengths
        counts = [np.count_nonzero(lengths > place) for place in range(min(int(lengths[:1].sum()), SHORT))]
        self._columns = [self._terms[begins[:count] + place] for place, count in enumerate(counts)]
        rests = [each[SHORT:].astype(np.int64) for each in terms[: np.count_nonzero(lengths > SHORT)]]
        self._rests = np.concatenate(rests) if rests else np.empty(0, np.int64)
        self._rest_begins = np.cumsum([0, *map(len, rests)])[:-1]

    def find_places(self, term: int) -> Rows:
        """Return the places in `rows` of the documents that have a term, ascending."""
        return np.unique(self._owners[self._terms == term])

    def find_highest(self, likeness: Scores) -> Scores:
        """Return the highest likeness of each document's terms to each word, shape (documents, words).

        Args:
            likeness: The similarity of each term, by its number, to each word.
        """
        # "clip" as it is faster, and no number is out of bounds
        best = np.zeros((len(self.rows), likeness.shape[1]), np.float32)
        for column in self._columns:
            _raise(best, likeness.take(column, axis=0, mode="clip"))
        if len(self._rests):
            _raise(best, np.maximum.reduceat(likeness.take(self._rests, axis=0, mode="clip"), self._rest_begins))
        highest = np.empty_like(best)
        highest[self._order] = best
        return highest


def _raise(best: Scores, others: Scores) -> None:
    """Raise the first ones of the best to others where those are higher."""
    first = best[: len(others)]
    np.maximum(first, others, out=first)


_NOTHING = np.zeros((0, 0), np.float32)


class TermVectors:
    """The vectors of terms, of length 1; a term that is like no other, such as a number, has none."""

    def __init__(self, known: dict[int, WordVector]) -> None:
        numbers = [number for number, vector in known.items() if vector.any()]
        self._numbers: Rows = np.array(numbers, np.int64)
        self._units = _to_units(np.array([known[number] for number in numbers])) if numbers else _NOTHING
        self._count = len(self._numbers)

    def add(self, number: int, vector: WordVector) -> None:
        """Add a term."""
        if not vector.any():
            return
        if self._count == len(self._numbers):
            more = max(64, self._count // 4)
            self._numbers = np.pad(self._numbers, (0, more))
            self._units = np.pad(self._units, ((0, more), (0, len(vector) - self._units.shape[1])))
        self._numbers[self._count], self._units[self._count] = number, _to_units(vector[np.newaxis])[0]
        self._count += 1

    def compare(self, vectors: Sequence[WordVector]) -> tuple[Rows, Scores]:
        """Return the numbers of the terms that have a vector, and their cosine, 0 to 1, with each of these."""
        units = self._units[: self._count]
        if not self._count:
            return self._numbers[:0], np.zeros((0, len(vectors)), np.float32)
        return self._numbers[: self._count], np.clip(units @ _to_units(np.array(vectors)).T, 0, 1)


class Words:
    """The words of all documents, which are known by their row.

    Args:
        documents: Each row with its terms.
        vectors: The number of each term, with its vector.
    """

    def __init__(self, documents: Iterable[tuple[int, Terms]], vectors: Iterable[tuple[int, WordVector]] = ()) -> None:
        self._known = dict(documents)
        self._documents: Documents | None = None
        known = dict(vectors)
        self._vectors = TermVectors(known)
        self._counts = _count_documents([*self._known.values()], max(known, default=-1) + 1)
        """How many documents have each term, by its number."""

    def learn(self, number: int, vector: WordVector) -> None:
        """Add a term, before the first document that has it."""
        if (missing := number + 1 - len(self._counts)) > 0:
            self._counts = np.pad(self._counts, (0, max(64, missing, len(self._counts) // 4)))
        self._vectors.add(number, vector)

    def put(self, row: int, terms: Terms) -> None:
        """Add a document, or replace it."""
        self.remove(row)
        self._known[row] = terms
        self._counts[np.unique(terms)] += 1

    def remove(self, row: int) -> None:
        """Remove a document, if it exists."""
        self._documents = None
        if (terms := self._known.pop(row, None)) is not None:
            self._counts[np.unique(terms)] -= 1

    def get_terms(self, row: int) -> Terms:
        """Return the terms of a document."""
        return self._known[row]

    def score(self, words: Sequence[QueryWord], near: float = 0.0, rows: Rows | None = None) -> WordScores:
        """Return the documents' scores; all are 0 if there are no words.

        Args:
            words: Each once.
            near: The cosine from which on another word counts.
            rows: The documents to score, ascending; all without.
        """
        documents = self._find_documents(rows)
        scores = WordScores(documents.rows, self._score(documents, words, near))
        return scores if rows is None else WordScores(rows, scores.look_up(rows))

    def _score(self, documents: Documents, words: Sequence[QueryWord], near: float) -> Scores:
        if not words:
            return np.zeros(len(documents.rows), np.float32)
        weights = np.array([self._weigh(word) for word in words], np.float32)
        chosen = np.argsort(-weights, kind="stable")[:MOST]
        shares = weights[chosen] / np.float32(max(float(weights[chosen].sum()), 1e-9))
        highest = documents.find_highest(self._compare([words[place] for place in chosen.tolist()], near))
        # no product of matrices: BLAS gains nothing here, and once reported an invalid number where all are finite
        scores: Scores = (highest * shares).sum(axis=1)
        return scores

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """Return the rows that have all of these terms, ascending."""
        documents = self._read_documents()
        places = [documents.find_places(term) for term in terms]
        return documents.rows[reduce(np.intersect1d, places)].tolist() if places else []

    def _find_documents(self, rows: Rows | None) -> Documents:
        """Return the documents of these rows; if they are many, return all, which are in memory already."""
        if rows is not None and len(rows) <= len(self._known) // FEW:
            return Documents({row: self._known[row] for row in rows.tolist() if row in self._known})
        return self._read_documents()

    def _read_documents(self) -> Documents:
        if self._documents is None:
            self._documents = Documents(self._known)
        return self._documents

    def _compare(self, words: Sequence[QueryWord], near: float) -> Scores:
        """Return the similarity of each term to each word: 1 for the word itself, 0 below `near`."""
        likeness = np.zeros((len(self._counts), len(words)), np.float32)
        numbers, cosines = self._vectors.compare([word.vector for word in words])
        likeness[numbers] = np.where(cosines < near, 0, cosines)
        for lane, word in enumerate(words):
            if word.number is not None:
                likeness[word.number, lane] = 1
        return likeness

    def _weigh(self, word: QueryWord) -> float:
        """Return a word's idf; a word that no document has counts as the rarest."""
        containing = max(0 if word.number is None else int(self._counts[word.number]), 1)
        count = max(len(self._known), 1)
        return float(np.log1p((count - containing + 0.5) / (containing + 0.5)))  # the 1 in log1p keeps it above 0


def _count_documents(documents: Sequence[Terms], count: int) -> NDArray[np.int64]:
    """Return the number of documents that have each term; the second argument is the number of terms."""
    places = np.repeat(np.arange(len(documents), dtype=np.uint64), [len(terms) for terms in documents])
    flat = np.concatenate(documents) if documents else np.empty(0, np.uint32)
    # term and place as one number: a sort finds those that are twice, in a third of the time of numpy's unique
    pairs = np.sort(flat.astype(np.uint64) << np.uint64(32) | places)
    first = np.diff(pairs, prepend=np.uint64(2**64 - 1)) != 0
    return np.bincount((pairs[first] >> np.uint64(32)).astype(np.int64), minlength=count)


def find_members(sorted: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Return a mask of the rows that are in a sorted list of rows."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    members: NDArray[np.bool_] = sorted[np.minimum(np.searchsorted(sorted, rows), len(sorted) - 1)] == rows
    return members


def _to_units(vectors: WordVector) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    units: NDArray[np.float32] = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), np.float32(1e-9))
    return units
