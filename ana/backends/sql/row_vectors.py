"""The vectors of all items in memory, of a collection small enough to compare every one."""

from collections.abc import Iterable

import numpy as np

from ana.embedders.base import Vector
from ana.memory.search.postings import Rows

MANY = 8
"""From this share of all rows on, to multiply all of them is faster than to take out those that are wanted."""


class RowVectors:
    """Vectors by row. Written in place, so that a write costs no reading."""

    def __init__(self, stored: Iterable[tuple[int, bytes]]) -> None:
        rows, flat = [], bytearray()  # read one by one into writable memory: a list of all would double it
        for row, vector in stored:
            rows.append(row)
            flat += vector
        self._count = len(rows)
        self._rows: Rows = np.array(rows, np.int64)
        self._places = {row: place for place, row in enumerate(rows)}
        self._matrix = np.frombuffer(flat, np.float32).reshape(len(rows), -1) if rows else np.empty((0, 0), np.float32)

    def compute_cosines(self, vector: Vector, rows: Rows) -> Vector:
        """Return the cosine of a vector of length 1 and each of these rows."""
        if len(rows) == self._count and np.array_equal(rows, self._rows[: self._count]):
            return self._compare_all(vector)
        places = [self._places[row] for row in rows.tolist()]
        if len(rows) > self._count // MANY:
            return self._compare_all(vector)[places]
        cosines: Vector = self._matrix[places] @ vector
        return cosines

    def _compare_all(self, vector: Vector) -> Vector:
        cosines: Vector = self._matrix[: self._count] @ vector
        return cosines

    def put(self, row: int, vector: Vector) -> None:
        """Add a vector, or replace it."""
        place = self._places.setdefault(row, self._count)
        if place == self._count:
            if place == len(self._rows):
                self._grow(len(vector))
            self._count += 1
        self._rows[place], self._matrix[place] = row, vector

    def remove(self, row: int) -> None:
        """Remove a vector, if it exists; the last takes its place."""
        place = self._places.pop(row, None)
        if place is None:
            return
        self._count -= 1
        if place < self._count:
            self._rows[place], self._matrix[place] = self._rows[self._count], self._matrix[self._count]
            self._places[int(self._rows[place])] = place

    def _grow(self, dimension: int) -> None:
        size = max(64, self._count + self._count // 4)
        rows, matrix = np.empty(size, np.int64), np.empty((size, dimension), np.float32)
        rows[: self._count] = self._rows[: self._count]
        if self._count:
            matrix[: self._count] = self._matrix[: self._count]
        self._rows, self._matrix = rows, matrix
