"""BM25 over every item's words, in memory.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the idf of Lucene, which
is never negative. Scores are divided by the most that the query could score, so that they lie between 0 and 1 and can
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
"""Words in more than this share of many documents are not looked up: they tell none from another and cost the most."""
MANY = 1000

Terms = NDArray[np.uint32]
Rows = NDArray[np.int64]
Scores = NDArray[np.float32]


class WordScores:
    """What a query scores: above 0 and up to 1 where a document has one of its words.

    Args:
        rows: Ascending.
        scores: Beside them.
        late: The same for documents in the tail.
    """

    def __init__(self, rows: Rows, scores: Scores, late: dict[int, float]) -> None:
        self._rows = rows
        self._scores = scores
        self._late = late

    def look_up(self, rows: Rows) -> Scores:
        """Each row's score; 0 where it has none of the words."""
        if not len(self._rows):
            return np.array([self._late.get(int(row), 0.0) for row in rows], np.float32)
        places = np.minimum(np.searchsorted(self._rows, rows), len(self._rows) - 1)
        scores: Scores = np.where(self._rows[places] == rows, self._scores[places], np.float32(0))
        for place, row in enumerate(rows if self._late else ()):
            scores[place] = self._late.get(int(row), scores[place])
        return scores

    def top(self, limit: int, above: float = 0.0, allowed: Rows | None = None) -> Rows:
        """The rows that score highest, in no order.

        Args:
            limit: At most how many.
            above: Only those that score more; never those without any of the words.
            allowed: Only these, given ascending.
        """
        above = max(above, 0.0)
        found = np.flatnonzero(self._scores > above)
        late = [row for row, score in self._late.items() if score > above]
        rows = np.concatenate([self._rows[found], np.array(late, np.int64)])
        scores = np.concatenate([self._scores[found], np.array([self._late[row] for row in late], np.float32)])
        if allowed is not None:
            held = find_members(allowed, rows)
            rows, scores = rows[held], scores[held]
        if len(rows) > limit:
            rows = rows[np.argpartition(-scores, limit - 1)[:limit]]
        return rows


class Words:
    """An inverted index of term numbers. Documents are known by their row; those changed since lie in a small tail.

    Args:
        documents: Row and terms of each document.
    """

    def __init__(self, documents: Iterable[tuple[int, Terms]]) -> None:
        rows, parts = [], []
        for row, terms in documents:
            rows.append(row)
            parts.append(terms)
        order = np.argsort(np.array(rows, np.int64))
        self._rows: Rows = np.array(rows, np.int64)[order]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))[order]
        flat = np.concatenate([parts[place] for place in order]) if parts else np.empty(0, np.uint32)
        places = np.repeat(np.arange(len(rows), dtype=np.uint64), lengths)
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
        """How many documents were put or removed since; a long tail is slow, make a new index then."""

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
        """Take a document out; nothing happens where it is not there."""
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
        """Every document with at least one of the terms.

        Args:
            terms: Term numbers, each once.
            unseen: How many words of the query no document has; they count as the rarest.
        """
        count = len(self)
        mean = max(self._total / count, 1.0) if count else 1.0
        base, tail, most = np.zeros(len(self._rows), np.float32), dict.fromkeys(self._tail, 0.0), 0.0
        for term in terms:
            places, often = self._postings(term)
            late = self._late.get(term, {})
            idf = _idf(len(places) + len(late), count)
            most += idf
            if count > MANY and len(places) > COMMON * count:
                continue
            base[places] += _weight(idf, often, self._lengths[places] / mean)
            for row, times in late.items():
                tail[row] += float(_weight(idf, np.array(times), np.array(len(self._tail[row]) / mean)))
        most = max((K1 + 1) * (most + unseen * _idf(1, count)), 1e-9)
        return WordScores(self._rows, base / most, {row: score / most for row, score in tail.items()})

    def find_with_all(self, terms: Sequence[int]) -> list[int]:
        """The rows that have all of these terms."""
        found = [{*self._rows[self._postings(term)[0]].tolist(), *self._late.get(term, {})} for term in terms]
        return sorted(set.intersection(*found)) if found else []

    def _postings(self, term: int) -> tuple[NDArray[np.uint32], Scores]:
        at = int(np.searchsorted(self._terms, term))
        if at == len(self._terms) or self._terms[at] != term:
            return np.empty(0, np.uint32), np.empty(0, np.float32)
        end = self._begins[at + 1] if at + 1 < len(self._begins) else len(self._places)
        places, often = self._places[self._begins[at] : end], self._often[self._begins[at] : end]
        if self.changed:
            alive = self._alive[places]
            places, often = places[alive], often[alive]
        return places, often


def find_members(sorted: Rows, rows: Rows) -> NDArray[np.bool_]:
    """Which of the rows are among the sorted ones."""
    if not len(sorted):
        return np.zeros(len(rows), bool)
    held: NDArray[np.bool_] = sorted[np.minimum(np.searchsorted(sorted, rows), len(sorted) - 1)] == rows
    return held


def _idf(containing: int, count: int) -> float:
    return float(np.log1p((count - containing + 0.5) / (containing + 0.5)))


def _weight(idf: float, often: NDArray[Any], length: NDArray[Any]) -> NDArray[Any]:
    """What a term adds to documents where it stands so often; their length is relative to the mean."""
    weight: NDArray[Any] = idf * often * (K1 + 1) / (often + K1 * (1 - B + B * length))
    return weight
