"""BM25 over every item's words, in memory.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of Lucene, which
is never negative. Scores are divided by the most that the query could score, so that they are between 0 and 1 and can
be added to a cosine.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75
COMMON = 0.2
"""Words in more than this share of many documents are not looked up: they distinguish nothing and cost the most."""
MANY = 1000

Terms = NDArray[np.uint32]
Rows = NDArray[np.int64]
Scores = NDArray[np.float32]


class WordScores:
    """The scores of a query's words: above 0 and up to 1 for a document that has one of them.

    Args:
        rows: Ascending.
        scores: One for each row.
        late: The scores of documents in the tail, by row.
    """

    def __init__(self, rows: Rows, scores: Scores, late: dict[int, float]) -> None:
        self._rows = rows
        self._scores = scores
        self._late = late

    def look_up(self, rows: Rows) -> Scores:
        """Return the score of each row; 0 if it has none of the words."""
        if not len(self._rows):
            return np.array([self._late.get(int(row), 0.0) for row in rows], np.float32)
        places = np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)
        scores: Scores = np.where(self._rows[places] == rows, self._scores[places], np.float32(0))
        for place, row in enumerate(rows if self._late else ()):
            scores[place] = self._late.get(int(row), scores[place])
        return scores

    def find_top(self, limit: int, above: float = 0.0, allowed: Rows | None = None) -> Rows:
        """Return the rows that score highest, in no order.

        Args:
            limit: At most how many.
            above: Only rows that score more; never those without any of the words.
            allowed: Only these, given ascending.
        """
        above = max(above, 0.0)
        found = np.flatnonzero(self._scores > above)
        late = [row for row, score in self._late.items() if score > above]
        rows = np.concatenate([self._rows[found], np.array(late, np.int64)])
        scores = np.concatenate([self._scores[found], np.array([self._late[row] for row in late], np.float32)])
        if allowed is not None:
            kept = find_members(allowed, rows)
            rows, scores = rows[kept], scores[kept]
        if len(rows) > limit:
            rows = rows[np.argpartition(-scores, limit - 1)[:limit]]
        return rows


class Words:
    """An inverted index of term numbers. Documents are known by their row; those changed later are in a small tail.

    Args:
        documents: Row and terms of each document.
    """

    def __init__(self, documents: Iterable[tuple[int, Terms]]) -> None:
        rows, parts = [], []
        for row, terms in documents:
            rows.append(row)
            parts.append(terms)
        order = np.argsort(np.array(rows, np.int64))  # ascending, so that a row is found by bisection
        self._rows: Rows = np.array(rows, np.int64)[order]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))[order]
        flat = np.concatenate([parts[place] for place in order]) if parts else np.empty(0, np.uint32)
        places = np.repeat(np.arange(len(rows), dtype=np.uint64), lengths)
        # term and place as one number: one sort groups all postings and counts them
        pairs, often = np.unique(flat.astype(np.uint64) << np.uint64(32) | places, return_counts=True)
        self._terms, self._begins = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_index=True)
        self._places = pairs.astype(np.uint32)
        self._often: Scores = often.astype(np.float32)
        self._lengths: Scores = lengths.astype(np.float32)
        self._alive = np.ones(len(rows), bool)
        self._total = int(lengths.sum())
        self._tail: dict[int, Terms] = {}
        self._late: dict[int, dict[int, int]] = {}
        self.changed = 0
        """How many documents were put or removed since it was made; a long tail is slow, and calls for a new index."""

    def __len__(self) -> int:
        return int(self._alive.sum()) + len(self._tail)

    def put(self, row: int, terms: Terms) -> None:
        """Add a document, or replace it."""
        self.remove(row)
        self._tail[row] = terms
        self._total += len(terms)
        for term, often in Counter(terms.tolist()).items():
            self._late.setdefault(term, {})[row] = often

    def remove(self, row: int) -> None:
        """Remove a document, if it exists."""
        self.changed += 1
        late = self._tail.pop(row, np.empty(0, np.uint32))
        for term in set(late.tolist()):
            del self._late[term][row]
        self._total -= len(late)
        place = int(np.searchsorted(self._rows, row))
        if place < len(self._rows) and self._rows[place] == row and self._alive[place]:
            self._alive[place] = False
            self._total -= int(self._lengths[place])

    def score(self, terms: Sequence[int], unseen: int = 0) -> WordScores:
        """Return the scores of every document with at least one of the terms.

        Args:
            terms: Term numbers, each once.
            unseen: How many words of the query occur in no document; they count as the rarest.
        """
        count = len(self)
        mean = max(self._total / count, 1.0) if count else 1.0
        base, tail, most = np.zeros(len(self._rows), np.float32), dict.fromkeys(self._tail, 0.0), 0.0
        for term in terms:
            places, often = self._find_postings(term)
            late = self._late.get(term, {})
            idf = _idf(len(places) + len(late), count)
            most += idf
            if count > MANY and len(places) > COMMON * count:
                continue  # its weight still counts in `most`, so that scores stay a share of the possible
            base[places] += _weigh(idf, often, self._lengths[places] / mean)
            for row, times in late.items():
                tail[row] += float(_weigh(idf, np.array(times), np.array(len(self._tail[row]) / mean)))
        most = max((K1 + 1) * (most + unseen * _idf(1, count)), 1e-9)
        return WordScores(self._rows, base / most, {row: score / most for row, score in tail.items()})

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """Return the rows that have all of these terms."""
        found = [{*self._rows[self._find_postings(term)[0]].tolist(), *self._late.get(term, {})} for term in terms]
        return sorted(set.intersection(*found)) if found else []

    def _find_postings(self, term: int) -> tuple[NDArray[np.uint32], Scores]:
        at = int(np.searchsorted(self._terms, term))
        if at == len(self._terms) or self._terms[at] != term:
            return np.empty(0, np.uint32), np.empty(0, np.float32)
        end = self._begins[at + 1] if at + 1 < len(self._begins) else len(self._places)
        places, often = self._places[self._begins[at] : end], self._often[self._begins[at] : end]
        if self.changed:  # else every document is alive, and the test is not needed
            alive = self._alive[places]
            places, often = places[alive], often[alive]
        return places, often


def find_members(sorted: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Return for each of the rows whether it is among the sorted ones."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    members: NDArray[np.bool_] = sorted[np.minimum(np.searchsorted(sorted, rows), len(sorted) - 1)] == rows
    return members


def _idf(containing: int, count: int) -> float:
    return float(np.log1p((count - containing + 0.5) / (containing + 0.5)))  # the 1 in log1p keeps it above 0


def _weigh(idf: float, often: NDArray[Any], length: NDArray[Any]) -> NDArray[Any]:
    """Return what a term adds to documents that have it so often; their length is relative to the mean."""
    weight: NDArray[Any] = idf * often * (K1 + 1) / (often + K1 * (1 - B + B * length))
    return weight
