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
Mask = NDArray[np.bool_]
WordVector = NDArray[np.int8]

MOST = 32
"""So many words of a query are compared, the rarest: a query may be a page of text."""

RARE = 16
"""A term is rare if at most one document in so many has it."""


@dataclass(frozen=True)
class QueryWord:
    """A word to look for, its term number, if an item ever had it, and its vector; zeros if no other word is
    similar.
    """

    number: int | None
    vector: WordVector


class Documents:
    """The terms of all documents, by row."""

    def __init__(self, known: dict[int, Terms]) -> None:
        self.rows: Rows = np.array(sorted(known), np.int64)
        """The rows of all documents, ascending."""
        terms = [known[row] for row in self.rows.tolist()]
        self._terms = np.concatenate(terms) if terms else np.empty(0, np.uint32)
        self._lengths = np.array([len(each) for each in terms], np.int64)
        self._ends = np.cumsum(self._lengths)

    def find_with(self, term: int) -> Rows:
        """Return the rows that have a term, ascending."""
        places = np.flatnonzero(self._terms == term)
        return self.rows[np.unique(np.searchsorted(self._ends, places, "right"))]

    def find_highest(self, likeness: Scores, rows: Rows) -> Scores:
        """Return the highest likeness of the terms of some documents to each word, shape (rows, words).

        Args:
            likeness: The similarity of each term, by its number, to each word.
            rows: The rows of the documents, ascending.
        """
        at = np.searchsorted(self.rows, rows)
        lengths = self._lengths[at]
        begins = np.cumsum(lengths) - lengths
        # the terms of these documents, one document after the other
        places = np.arange(lengths.sum()) + np.repeat(self._ends[at] - lengths - begins, lengths)
        # "clip" as it is faster, and no number is out of bounds
        values = likeness.take(self._terms[places], axis=0, mode="clip")
        highest = np.zeros((len(rows), likeness.shape[1]), np.float32)
        if len(values):
            some = lengths > 0  # an empty stretch would have the likeness of the term after it
            highest[some] = np.maximum.reduceat(values, begins[some], axis=0)
        return highest


@dataclass(frozen=True)
class WordScorer:
    """The scores of documents for a query's words, from 0 to 1, computed for those that are asked for.

    Args:
        documents: All documents.
        likeness: The similarity of each term, by its number, to each word.
        shares: The weight of each word; together 1.
        rare: The rows of the documents with one of the words that are rare, ascending.
        most: No other document scores more.
    """

    documents: Documents
    likeness: Scores
    shares: Scores
    rare: Rows
    most: float

    def score(self, rows: Rows) -> Scores:
        """Return the score of each of these rows, ascending."""
        highest = self.documents.find_highest(self.likeness, rows)
        # no product of matrices: BLAS gains nothing here, and once reported an invalid number where all are finite
        scores: Scores = (highest * self.shares).sum(axis=1)
        return scores


NO_ROWS: Rows = np.empty(0, np.int64)


class TermVectors:
    """The vectors of terms, of length 1; a term that is like no other, such as a number, has none."""

    def __init__(self, known: Iterable[tuple[int, WordVector]]) -> None:
        self._numbers: Rows = NO_ROWS
        self._units: NDArray[np.float32] | None = None
        self._new = [*known]

    def add(self, number: int, vector: WordVector) -> None:
        """Add a term."""
        self._new.append((number, vector))

    def compare(self, vectors: Sequence[WordVector]) -> tuple[Rows, Scores]:
        """Return the numbers of the terms that have a vector, and their cosine, 0 to 1, with each of these."""
        if new := [(number, vector) for number, vector in self._new if vector.any()]:
            units = _to_units(np.array([vector for _, vector in new]))
            self._units = units if self._units is None else np.concatenate([self._units, units])
            self._numbers = np.append(self._numbers, [number for number, _ in new])
        self._new = []
        if self._units is None:
            return NO_ROWS, np.zeros((0, len(vectors)), np.float32)
        return self._numbers, np.clip(self._units @ _to_units(np.array(vectors)).T, 0, 1)


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
        self._vectors = TermVectors(known.items())
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

    def list_rows(self) -> Rows:
        """Return the rows of all documents, ascending."""
        return self._read_documents().rows

    def weigh(self, words: Sequence[QueryWord], near: float = 0.0) -> WordScorer:
        """Return the scorer of documents for these words; all scores are 0 if there are none.

        Args:
            words: Each once.
            near: The cosine from which on another word counts.
        """
        weights = np.array([self._weigh(word) for word in words], np.float32)
        chosen = np.argsort(-weights, kind="stable")[:MOST]
        shares = weights[chosen] / np.float32(max(float(weights[chosen].sum()), 1e-9))
        numbers = [words[place].number for place in chosen.tolist()]
        likeness = self._compare([words[place].vector for place in chosen.tolist()], near)
        most, rare, documents = np.ones(len(numbers), np.float32), [NO_ROWS], self._read_documents()
        for lane, number in enumerate(numbers):
            if number is not None:
                likeness[number, lane] = 0
            if number is None or self._counts[number] * RARE <= len(self._known):
                most[lane] = likeness[:, lane].max(initial=0)
                rare.append(NO_ROWS if number is None else documents.find_with(number))
            if number is not None:
                likeness[number, lane] = 1
        return WordScorer(documents, likeness, shares, np.unique(np.concatenate(rare)), float(shares @ most))

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """Return the rows that have all of these terms, ascending."""
        documents = self._read_documents()
        return reduce(np.intersect1d, map(documents.find_with, terms)).tolist() if terms else []

    def _read_documents(self) -> Documents:
        if self._documents is None:
            self._documents = Documents(self._known)
        return self._documents

    def _compare(self, vectors: Sequence[WordVector], near: float) -> Scores:
        """Return the similarity of each term to each of these vectors, 0 below `near`."""
        likeness = np.zeros((len(self._counts), len(vectors)), np.float32)
        if vectors:
            numbers, cosines = self._vectors.compare(vectors)
            likeness[numbers] = np.where(cosines < near, 0, cosines)
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


def find_members(sorted: Rows, rows: Rows) -> Mask:
    """Return a mask of the rows that are in a sorted list of rows."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    members: Mask = sorted.take(sorted.searchsorted(rows), mode="clip") == rows
    return members


def _to_units(vectors: WordVector) -> NDArray[np.float32]:
    wide = vectors.astype(np.float32)
    units: NDArray[np.float32] = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), np.float32(1e-9))
    return units
