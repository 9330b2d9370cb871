"""The lexical leg is BM25, whatever was put and removed before."""

import math
from collections import Counter

import numpy as np
from ana.memory.search.bm25 import K1, B, Words
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.memory.search.tokens import tokenize
from tests.examples import examples

DOCUMENT = st.lists(st.integers(0, 8), max_size=6)
CHANGES = st.lists(st.tuples(st.integers(1, 9), st.none() | DOCUMENT), max_size=12)


def naive(documents: dict[int, list[int]], query: list[int], unseen: int) -> dict[int, float]:
    """BM25 as the formula is written, one document at a time."""
    count = len(documents)
    mean = max(sum(map(len, documents.values())) / count, 1.0) if count else 1.0

    def idf(containing: int) -> float:
        return math.log(1 + (count - containing + 0.5) / (containing + 0.5))

    holding = {term: sum(term in document for document in documents.values()) for term in query}
    most = (K1 + 1) * (sum(idf(holding[term]) for term in query) + unseen * idf(1))
    scores = {}
    for row, document in documents.items():
        often = Counter(document)
        length = K1 * (1 - B + B * len(document) / mean)
        score = sum(idf(holding[t]) * often[t] * (K1 + 1) / (often[t] + length) for t in query if often[t])
        if score:
            scores[row] = score / most
    return scores


@settings(max_examples=examples(200), deadline=None)
@given(
    base=st.dictionaries(st.integers(1, 9), DOCUMENT),
    changes=CHANGES,
    query=st.lists(st.integers(0, 8), unique=True, max_size=4),
    unseen=st.integers(0, 2),
)
def test_scores_are_those_of_the_formula(
    base: dict[int, list[int]], changes: list[tuple[int, list[int] | None]], query: list[int], unseen: int
) -> None:
    words = Words((row, np.array(terms, np.uint32)) for row, terms in base.items())
    now = dict(base)
    for row, terms in changes:
        if terms is None:
            words.remove(row)
            now.pop(row, None)
        else:
            words.put(row, np.array(terms, np.uint32))
            now[row] = terms
    scored = words.score(query, unseen)
    expected = naive(now, query, unseen)
    rows = np.array(sorted(now), np.int64)
    got = dict(zip(rows.tolist(), scored.look_up(rows).tolist(), strict=True))
    assert len(words) == len(now)
    assert set(scored.find_top(100).tolist()) == set(expected)
    assert all(math.isclose(got[row], expected.get(row, 0.0), rel_tol=1e-4, abs_tol=1e-6) for row in now)
    assert all(score <= 1.0001 for score in got.values())
    every = [row for row in now if set(query) <= set(now[row])] if query else []
    assert words.find_with_all(query) == sorted(every)


def test_the_top_are_the_highest_of_what_is_allowed() -> None:
    words = Words((row, np.array([1] * row + [2], np.uint32)) for row in range(1, 7))
    scored = words.score([1])
    assert sorted(scored.find_top(2).tolist()) == [5, 6]
    assert sorted(scored.find_top(2, allowed=np.array([1, 2, 3], np.int64)).tolist()) == [2, 3]
    assert scored.find_top(2, allowed=np.array([], np.int64)).tolist() == []


def test_words_are_folded_and_singular() -> None:
    assert tokenize("Zürich's Müsli, 14:30 – NOTES about parties and places, bus_stop") == (
        ["zurich", "s", "musli", "14", "30", "note", "about", "party", "and", "place", "bus", "stop"]
    )
    assert tokenize("ＦＵＬＬ ﬁle ½") == tokenize("full file 1⁄2")
    assert tokenize("\ud800 ... !!") == []
