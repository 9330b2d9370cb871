"""The best items are the same ones, whether the words of all items are compared or only of those that may be best."""

from collections.abc import Iterable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.memory.search.ranking import FIRST, Described, Ranking, Weights
from ana.memory.search.words import QueryWord, Words
from tests.examples import examples

COUNT = FIRST * 6
TERMS = 80


def describe(rows: Iterable[int]) -> Iterable[Described]:
    return ((row, f"{row}", None, "2026-01-01") for row in rows)


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    words=st.integers(0, 8),
    limit=st.sampled_from([1, 10, FIRST + 20]),
    share=st.sampled_from([1, 3]),
)
def test_the_best_are_the_first_of_all(seed: int, spread: float, words: int, limit: int, share: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-127, 128, (TERMS + 1, 16)).astype(np.int8)
    often = 1 / np.arange(1, TERMS + 1)
    documents = [
        (row, rng.choice(TERMS, rng.integers(0, 12), p=often / often.sum()).astype(np.uint32)) for row in range(COUNT)
    ]
    asked = {f"{n}": QueryWord(n if n < TERMS else None, vectors[n]) for n in rng.choice(TERMS + 1, words).tolist()}
    rows = np.arange(0, COUNT, share)
    cosines, first = (spread * rng.random(COUNT)).astype(np.float32), rng.choice(COUNT, 2).tolist()

    def rank(limit: int) -> list[tuple[int, float, float]]:
        ranking = Ranking(
            rows=rows,
            cosines=cosines[rows],
            on_day=rows % 31 == 0,
            has_status=rows % 7 == 0,
            first=dict.fromkeys(first, "tag"),
            query_words=asked,
            words=Words(documents, enumerate(vectors[:-1])),
            weights=Weights(),
        )
        return [(hit.row, hit.reason.share, hit.reason.score) for hit in ranking.find_best(limit, describe)]

    assert rank(limit) == rank(COUNT)[:limit]
