"""The vectors in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ana.backends.sql import vectors as module
from ana.backends.sql.vectors import MANY, Axes, Matrix, RowVectors
from ana.embedders.base import Vector
from ana.memory.search.ranking import find_bar
from tests.conftest import EMBEDDER

DIMENSIONS = 40


@pytest.mark.parametrize("wanted", [1, MANY, 4 * MANY])
def test_cosines_are_those_of_the_rows_that_are_asked_for(wanted: int) -> None:
    known = {row: np.array([row, 1], np.float32) for row in range(1, 4 * MANY + 2)}
    vectors = RowVectors((row, vector.tobytes()) for row, vector in known.items())
    vectors.remove(2)
    vectors.put(5, np.array([-5, 1], np.float32))
    rows = np.array([row for row in known if row != 2][-wanted:] if wanted > 1 else [5])
    expected = [-5 if row == 5 else row for row in rows.tolist()]
    assert vectors.compute_cosines(np.array([1, 0], np.float32), rows).tolist() == expected


@pytest.mark.parametrize("row", [1, 2, 3])
def test_what_was_removed_is_compared_no_more(row: int) -> None:
    known = {row: np.array([row, 1], np.float32) for row in (1, 2, 3)}
    vectors, asked = RowVectors((row, vector.tobytes()) for row, vector in known.items()), np.array([1, 0], np.float32)
    vectors.compute_cosines(asked, np.array([1, 2, 3]))
    vectors.remove(row)
    left = sorted({1, 2, 3} - {row})
    assert vectors.compute_cosines(asked, np.array(left)).tolist() == left
    assert vectors.compute_cosines(asked, np.array(left[:1])).tolist() == left[:1]


def make_units(seed: int, count: int, spread: float) -> Matrix:
    """Return unit vectors that lie mostly in a few directions, or, with more spread, in all of them."""
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(count, 4)) @ rng.normal(size=(4, DIMENSIONS)) + spread * rng.normal(
        size=(count, DIMENSIONS)
    )
    units: Matrix = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return units


@given(seed=st.integers(0, 10_000), spread=st.sampled_from([0, 0.3, 3]), share=st.sampled_from([1, 2, MANY + 1]))
def test_of_many_rows_the_best_are_compared_after_any_changes(seed: int, spread: float, share: int) -> None:
    rng, units = np.random.default_rng(seed), make_units(seed, 500, spread)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", 100)
        patch.setattr(module, "LEADING", 7)
        vectors, known = RowVectors([]), dict[int, Vector]()
        for step, row in enumerate(rng.integers(1, 300, 400).tolist()):
            if step == 200 and len(known) > 100:  # from here on there are axes
                vectors.compare_likely(units[0], np.array(sorted(known)), np.zeros(len(known), np.float32), 1.0, 5, [])
            if step % 5 == 4:
                vectors.remove(row)
                known.pop(row, None)
            else:
                vectors.put(row, units[step])
                known[row] = units[step]
        rows = np.array(sorted(known))[::share]
        bonus = (rng.random(len(rows)) * rng.integers(0, 2)).astype(np.float32)
        first = rows[rng.integers(0, len(rows), 2)].tolist()
        found = vectors.compare_likely(units[-1], rows, bonus, 0.8, 10, first)
    exact = np.array([known[row] for row in rows.tolist()]) @ units[-1]
    scores = 0.8 * exact + bonus
    assert not np.isnan(found[np.searchsorted(rows, first)]).any()
    assert not np.isnan(found[scores > find_bar(scores, 10) + 1e-5]).any()
    some = ~np.isnan(found)
    assert np.allclose(found[some], exact[some], atol=1e-5)


def test_sentences_leave_most_of_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 100)
    words = ("garden", "invoice", "doctor", "bicycle", "holiday", "school", "kitchen", "music", "train", "tax")
    texts = [f"{a} and {b}, about the {c}" for a in words for b in words for c in words]
    units = np.array(EMBEDDER.embed_documents(texts), np.float32)
    vectors, rows = RowVectors((row, unit.tobytes()) for row, unit in enumerate(units)), np.arange(len(texts))
    found = vectors.compare_likely(units[123], rows, np.zeros(len(rows), np.float32), 1.0, 10, [])
    assert np.count_nonzero(~np.isnan(found)) < len(rows) // 4
    assert np.nanargmax(found) == 123


@given(seed=st.integers(0, 10_000), spread=st.sampled_from([0, 0.3, 3]))
def test_no_cosine_exceeds_what_its_parts_say(seed: int, spread: float) -> None:
    units = make_units(seed, 120, spread)
    axes = Axes(units[:60])
    short = axes.shorten(units)
    assert short.shape[1] <= DIMENSIONS + 1
    assert (short @ short.T >= units @ units.T - module.ROUNDING).all()
