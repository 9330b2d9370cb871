"""Which document has which words, laid out so that all documents are compared in a few steps of numpy.

The first word of every document, then the second of every one that has two, and so on: each such step is one operation
on neighbouring memory, and thousands of documents need no more steps than the longest has words.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

PIECE = 64
"""Longer documents are laid out as several, or one of a book would need a step for each of its words."""

LANES = 8
"""Words of a query that are compared at once: their likenesses, a byte each, are one number of 64 bits."""

Terms = NDArray[np.uint32]
Rows = NDArray[np.int64]
Places = NDArray[np.int64]
Bytes = NDArray[np.uint8]


class Postings:
    """The words of documents that do not change. A place is a document's position in `rows`.

    Args:
        documents: Row and terms of each document.
    """

    def __init__(self, documents: Iterable[tuple[int, Terms]]) -> None:
        known = sorted(documents, key=lambda document: document[0])
        self.rows: Rows = np.array([row for row, _ in known], np.int64)
        places = np.repeat(np.arange(len(known), dtype=np.uint64), [len(terms) for _, terms in known])
        flat = np.concatenate([terms for _, terms in known]) if known else np.empty(0, np.uint32)
        # place and term as one number: one sort groups a document's words; numpy's unique hashes, in thrice the time
        pairs = np.sort(places << np.uint64(32) | flat.astype(np.uint64))
        pairs = pairs[np.diff(pairs, prepend=np.uint64(2**64 - 1)) != 0]
        self._lay_out((pairs >> np.uint64(32)).astype(np.int64), pairs.astype(np.uint32))

    def _lay_out(self, places: Places, terms: Terms) -> None:
        lengths = np.bincount(places, minlength=len(self.rows))
        nth = np.arange(len(terms)) - (np.cumsum(lengths) - lengths)[places]
        parts = -(-lengths // PIECE)  # rounded up
        pieces = (np.cumsum(parts) - parts)[places] + nth // PIECE
        order = np.argsort(-np.bincount(pieces), kind="stable")  # the longest first, so that each step is a beginning
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        self._is_split = bool((parts > 1).any())
        self._owners: Places = np.repeat(np.arange(len(self.rows)), parts)[order]
        self._terms: Terms = terms[np.argsort(nth % PIECE * len(order) + rank[pieces])]
        self._widths = np.bincount(nth % PIECE)
        self._starts = np.cumsum(self._widths) - self._widths

    def count_terms(self) -> int:
        """Return a number above those of all terms."""
        return int(self._terms.max(initial=0)) + 1

    def count_containing(self, terms: int) -> NDArray[np.int64]:
        """Return how many documents have each term, for the terms below a number."""
        return np.bincount(self._terms, minlength=terms)

    def find_containing(self, term: int) -> Places:
        """Return the places of the documents that have a term, in no order."""
        found = np.flatnonzero(self._terms == term)
        steps = np.searchsorted(self._starts, found, side="right") - 1
        places: Places = self._owners[found - self._starts[steps]]
        return places

    def get_terms(self, place: int) -> Terms:
        """Return the terms of a document, each once."""
        pieces = np.flatnonzero(self._owners == place)
        steps = [self._starts[self._widths > piece] + piece for piece in pieces]
        terms: Terms = self._terms[np.concatenate(steps)] if steps else np.empty(0, np.uint32)
        return terms

    def find_best(self, likeness: Bytes) -> Bytes:
        """Return the highest likeness among each document's words, shape (documents, LANES).

        Args:
            likeness: Of each term to up to LANES words, shape (terms, LANES).
        """
        found = likeness.view(np.uint64).ravel()[self._terms].view(np.uint8).reshape(-1, LANES)
        best = np.zeros((len(self._owners), LANES), np.uint8)
        for start, width in zip(self._starts.tolist(), self._widths.tolist(), strict=True):
            np.maximum(best[:width], found[start : start + width], out=best[:width])
        every = np.zeros((len(self.rows), LANES), np.uint8)
        if self._is_split:
            np.maximum.at(every, self._owners, best)
        else:
            every[self._owners] = best
        return every
