"""The vectors in memory."""

import numpy as np
import pytest

from ana.backends.sql.items import MANY, RowVectors


@pytest.mark.parametrize("wanted", [1, MANY, 4 * MANY])
def test_cosines_are_those_of_the_rows_that_are_asked_for(wanted: int) -> None:
    known = {row: np.array([row, 1], np.float32) for row in range(1, 4 * MANY + 2)}
    vectors = RowVectors((row, vector.tobytes()) for row, vector in known.items())
    vectors.remove(2)
    vectors.put(5, np.array([-5, 1], np.float32))
    rows = np.array([row for row in known if row != 2][-wanted:] if wanted > 1 else [5])
    expected = [-5 if row == 5 else row for row in rows.tolist()]
    assert vectors.compute_cosines(np.array([1, 0], np.float32), rows).tolist() == expected
