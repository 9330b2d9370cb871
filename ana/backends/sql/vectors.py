"""The vectors of all items in memory, and their comparison with a query's."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import Vector
from ana.memory.search.words import Rows, Scores

MANY = 32
"""If more than one row in so many is wanted, multiplying all of them is faster than copying the wanted ones."""


class RowVectors:
    """Vectors of length 1, by row. They are changed in place, so that after a write nothing is read again."""

    def __init__(self, stored: Iterable[tuple[int, bytes]]) -> None:
        rows, flat = [], bytearray()  # read one by one: a list of all would take several times the memory
        for row, vector in stored:
            rows.append(row)
            flat += vector
        self._count = len(rows)
        self._rows: Rows = np.array(rows, np.int64)
        self._places = {row: place for place, row in enumerate(rows)}
        matrix = np.frombuffer(flat, np.float32).reshape(len(rows), -1) if rows else np.empty((0, 0), np.float32)
        self._matrix = np.asfortranarray(matrix)
        """A vector in each row, in the memory column by column, which halves the time of multiplying all of them."""
        self._order: NDArray[np.intp] | None = None
        """The places of all rows, ascending by row."""

    def compute_cosines(self, vector: Vector, rows: Rows) -> Scores:
        """Return the cosine of a vector of length 1 and each of these rows, ascending."""
        places = self._find_places(rows)
        if len(rows) > self._count // MANY:
            every: Scores = self._matrix[: self._count] @ vector
            return every[places]
        cosines: Scores = self._matrix[places] @ vector
        return cosines

    def list_rows(self) -> Rows:
        """Return all rows, ascending."""
        return np.sort(self._rows[: self._count])

    def put(self, row: int, vector: Vector) -> None:
        """Add a vector, or replace it."""
        place = self._places.setdefault(row, self._count)
        if place == self._count:
            if place == len(self._rows):
                self._grow(len(vector))
            self._count += 1
        self._set(place, row, vector)

    def _grow(self, dimension: int) -> None:
        """Make room for more rows than are added now, so that most additions copy nothing."""
        room = max(64, self._count // 4)
        missing_columns = dimension - self._matrix.shape[1]  # all of them while there is no vector
        self._rows = np.pad(self._rows, (0, room))
        self._matrix = np.asfortranarray(np.pad(self._matrix, ((0, room), (0, missing_columns))))

    def remove(self, row: int) -> None:
        """Remove a vector, if it exists; the last takes its place."""
        place = self._places.pop(row, None)
        if place is None:
            return
        self._count -= 1
        self._order = None
        if place < self._count:
            last = int(self._rows[self._count])
            self._places[last] = place
            self._set(place, last, self._matrix[self._count])

    def _set(self, place: int, row: int, vector: Vector) -> None:
        self._rows[place], self._matrix[place], self._order = row, vector, None

    def _find_places(self, rows: Rows) -> NDArray[np.intp]:
        """Return the places of rows that all have a vector, each once, ascending."""
        existing = self._rows[: self._count]
        if self._order is None:
            self._order = np.argsort(existing, kind="stable")  # fast: nearly sorted if few were removed
        if len(rows) == self._count:
            return self._order  # as many as there are: these are all rows, in the same order
        return self._order[np.searchsorted(existing, rows, sorter=self._order)]
