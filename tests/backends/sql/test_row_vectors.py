"""The vectors in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.backends.sql.vectors import MANY, RowVectors
from ana.embedders.base import Vector


@pytest.mark.parametrize("row", [1, 2, 3])
def test_what_was_removed_is_compared_no_more(row: int) -> None:
    known = {row: np.array([row, 1], np.float32) for row in (1, 2, 3)}
    vectors, asked = RowVectors((row, vector.tobytes()) for row, vector in known.items()), np.array([1, 0], np.float32)
    vectors.compute_cosines(asked, np.array([1, 2, 3]))
    vectors.remove(row)
    left = sorted({1, 2, 3} - {row})
    assert vectors.compute_cosines(asked, np.array(left)).tolist() == left
    assert vectors.compute_cosines(asked, np.array(left[:1])).tolist() == left[:1]


@given(seed=st.integers(0, 10_000), share=st.sampled_from([1, 2, MANY + 1]))
def test_cosines_are_exact_after_any_changes(seed: int, share: int) -> None:
    rng = np.random.default_rng(seed)
    units = rng.normal(size=(401, 40)).astype(np.float32)
    known: dict[int, Vector] = {row: units[-row] for row in range(1, 100)}
    vectors = RowVectors((row, vector.tobytes()) for row, vector in known.items())
    for step, row in enumerate(rng.integers(1, 300, 400).tolist()):
        if step % 5 == 4:
            vectors.remove(row)
            known.pop(row, None)
        else:
            vectors.put(row, units[step])
            known[row] = units[step]
    assert vectors.list_rows().tolist() == sorted(known)
    rows = vectors.list_rows()[::share]
    exact = np.array([known[row] for row in rows.tolist()]) @ units[-1]
    assert np.allclose(vectors.compute_cosines(units[-1], rows), exact, atol=1e-4)
