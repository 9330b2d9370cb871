"""Which document has which words: for each word, the places of the documents that have it."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Terms = NDArray[np.uint32]
Rows = NDArray[np.int64]
Places = NDArray[np.int32]


class Postings:
    """The words of documents, each given as row and terms. A place is a document's position in `rows`."""

    def __init__(self, documents: Iterable[tuple[int, Terms]]) -> None:
        known = sorted(documents, key=lambda document: document[0])
        self.rows: Rows = np.array([row for row, _ in known], np.int64)
        places = np.repeat(np.arange(len(known), dtype=np.uint64), [len(terms) for _, terms in known])
        flat = np.concatenate([terms for _, terms in known]) if known else np.empty(0, np.uint32)
        # term and place as one number: one sort groups the places of a term; numpy's unique hashes, in thrice the time
        pairs = np.sort(flat.astype(np.uint64) << np.uint64(32) | places)
        pairs = pairs[np.diff(pairs, prepend=np.uint64(2**64 - 1)) != 0]
        self._places: Places = pairs.astype(np.uint32).view(np.int32)
        counts = np.bincount((pairs >> np.uint64(32)).astype(np.int64))
        self._ends = [0, *np.cumsum(counts).tolist()]  # a list: single numbers of an array are slow to read

    def find_containing(self, term: int | None) -> Places:
        """Return the places of the documents that have a term, ascending."""
        if term is None or term + 1 >= len(self._ends):
            return self._places[:0]
        return self._places[self._ends[term] : self._ends[term + 1]]
