"""The vectors of all items in memory, and their comparison with a query's.

Among many items only those are compared that can be among the best. What a cosine cannot exceed is told by a part of
each vector, along the directions in which the items lie most (principal components: Pearson, "On lines and planes of
closest fit to systems of points in space", 1901), and by how long the rest of both is (Cauchy-Schwarz inequality).
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ana.embedders.base import Vector
from ana.memory.search.postings import Rows
from ana.memory.search.ranking import find_bar
from ana.memory.search.words import Scores

MANY = 8
"""From this share of all rows on, to multiply all of them is faster than to take out those that are wanted."""

FEW = 5_000
"""Up to this number all items are compared, which takes half a millisecond."""

LEADING = 100
"""How many, at least, are compared first: those that may score highest."""

SAMPLE = 10_000
"""Of about so many vectors the principal components are computed; of others the bounds hold as well, a little wider."""

HELD = 0.75
"""The share of the squared lengths that the part of each vector holds. With 100,000 sentences that took 96 of 256
dimensions and left 1,300 to compare, where .64 took 64 and left 8,300."""

STEP = 16
"""The number of parts is a multiple of this: products of matrices are computed in blocks."""

ROUNDING = 1e-5
"""By how much a bound may be too low."""

Matrix: TypeAlias = NDArray[np.float32]
"""One vector a row."""


class RowVectors:
    """Vectors of length 1 by row. Written in place, so that a write costs no reading."""

    def __init__(self, stored: Iterable[tuple[int, bytes]]) -> None:
        rows, flat = [], bytearray()  # read one by one into writable memory: a list of all would double it
        for row, vector in stored:
            rows.append(row)
            flat += vector
        self._count = len(rows)
        self._rows: Rows = np.array(rows, np.int64)
        self._places = {row: place for place, row in enumerate(rows)}
        self._matrix = np.frombuffer(flat, np.float32).reshape(len(rows), -1) if rows else np.empty((0, 0), np.float32)
        self._order: NDArray[np.intp] | None = None
        """The places of all rows, ascending by row."""
        self._axes: Axes | None = None
        self._short: Matrix = np.empty((0, 0), np.float32)
        """Every vector along the axes, once there are any."""

    def compute_cosines(self, vector: Vector, rows: Rows) -> Scores:
        """Return the cosine of a vector of length 1 and each of these rows, ascending."""
        places = self._find_places(rows)
        if len(rows) > self._count // MANY:
            every: Scores = self._matrix[: self._count] @ vector
            return every[places]
        cosines: Scores = self._matrix[places] @ vector
        return cosines

    def compare_likely(
        self, vector: Vector, rows: Rows, bonus: Scores, weight: float, limit: int, first: Sequence[int]
    ) -> Scores:
        """Return the cosines of all rows that can be among the best, and NaN for others.

        Args:
            vector: Of length 1.
            rows: Those to choose from, ascending.
            bonus: What each one's score has beside its cosine.
            weight: That of a cosine in a score.
            limit: How many are wanted.
            first: Rows among them whose cosines are wanted in any case.
        """
        if self._count <= FEW or len(rows) <= self._count // MANY:
            return self.compute_cosines(vector, rows)
        possible = weight * self._compute_most(vector)[self._find_places(rows)] + bonus
        wanted = min(max(limit, LEADING), len(rows))
        leading = np.union1d(np.argpartition(possible, -wanted)[-wanted:], np.searchsorted(rows, first))
        cosines = np.full(len(rows), np.nan, np.float32)
        cosines[leading] = self.compute_cosines(vector, rows[leading])
        likely = np.flatnonzero(np.isnan(cosines) & (possible > find_bar(weight * cosines + bonus, limit)))
        if len(likely) > self._count // MANY:
            return self.compute_cosines(vector, rows)
        cosines[likely] = self.compute_cosines(vector, rows[likely])
        return cosines

    def compare_nearest(self, vector: Vector, limit: int) -> tuple[Rows, Scores]:
        """Return all rows, and the cosines of those that can be among the nearest to a vector, NaN for others."""
        rows = np.sort(self._rows[: self._count])
        return rows, self.compare_likely(vector, rows, np.zeros(len(rows), np.float32), 1.0, limit, [])

    def put(self, row: int, vector: Vector) -> None:
        """Add a vector, or replace it."""
        place = self._places.setdefault(row, self._count)
        if place == self._count:
            if place == len(self._rows):
                more = max(64, place // 4)
                self._rows = np.pad(self._rows, (0, more))
                self._matrix = np.pad(self._matrix, ((0, more), (0, len(vector) - self._matrix.shape[1])))
                self._short = np.pad(self._short, ((0, more), (0, 0)))
            self._count += 1
        self._set(place, row, vector)

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
        if self._axes:
            self._short[place] = self._axes.shorten(vector[np.newaxis])[0]

    def _find_places(self, rows: Rows) -> NDArray[np.intp]:
        known = self._rows[: self._count]
        if self._order is None:
            self._order = np.argsort(known, kind="stable")  # which is fast where hardly any was removed
        if len(rows) == self._count:
            return self._order
        return self._order[np.searchsorted(known, rows, sorter=self._order)]

    def _compute_most(self, vector: Vector) -> Scores:
        """Return for each place what its cosine does not exceed."""
        if self._axes is None:
            self._axes = Axes(self._matrix[: self._count : max(1, self._count // SAMPLE)])
            self._short = self._axes.shorten(self._matrix)
        most: Scores = self._short[: self._count] @ self._axes.shorten(vector[np.newaxis])[0] + ROUNDING
        return most


class Axes:
    """The directions in which vectors lie most.

    Args:
        sample: Some of them.
    """

    def __init__(self, sample: Matrix) -> None:
        energies, axes = np.linalg.eigh(sample.T @ sample)
        held = np.cumsum(energies[::-1]) / energies.sum()
        count = STEP * (int(np.searchsorted(held, HELD)) // STEP + 1) - 1
        self._axes: Matrix = np.ascontiguousarray(axes[:, ::-1][:, :count])

    def shorten(self, vectors: Matrix) -> Matrix:
        """Return each vector's parts along the axes, and how long the rest of it is.

        The product of two of these is never less than that of the vectors.
        """
        parts = vectors @ self._axes
        rest = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", parts, parts)
        return np.column_stack([parts, np.sqrt(np.maximum(rest, 0))])
