"""The score of words is that of its formula, whatever was put and removed before."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ana.memory.search import words as search_words
from ana.memory.search.tokens import tokenize
from ana.memory.search.words import QueryWord, Words
from tests.examples import examples

TERMS = range(12)
VECTORS = np.random.default_rng(5).integers(-127, 128, (len(TERMS) + 1, 6)).astype(np.int8)
"""The vector of each term, and last that of a word that no document has."""

UNITS = VECTORS / np.linalg.norm(VECTORS.astype(float), axis=1, keepdims=True)
DOCUMENT = st.lists(st.sampled_from(TERMS), max_size=8)
CHANGES = st.lists(st.tuples(st.integers(1, 9), st.none() | DOCUMENT), max_size=12)


def make_words(documents: dict[int, list[int]]) -> Words:
    return Words(((row, np.array(terms, np.uint32)) for row, terms in documents.items()), enumerate(VECTORS[:-1]))


def ask(terms: list[int], unseen: bool = False) -> list[QueryWord]:
    known = [QueryWord(term, VECTORS[term]) for term in terms]
    return [*known, QueryWord(None, VECTORS[-1])] if unseen else known


def naive(documents: dict[int, list[int]], query: list[int], near: float) -> dict[int, float]:
    """The formula as it is written, one document and one word at a time; the last term is in no document."""
    holding = {term: max(sum(term in terms for terms in documents.values()), 1) for term in query}
    count = max(len(documents), 1)
    idf = {term: math.log(1 + (count - n + 0.5) / (n + 0.5)) for term, n in holding.items()}

    def compare(term: int, other: int) -> float:
        cosine = float(UNITS[term] @ UNITS[other])
        return 1.0 if term == other else cosine if cosine >= near else 0.0

    return {
        row: sum(idf[term] * max((compare(term, other) for other in terms), default=0.0) for term in query)
        / max(sum(idf.values()), 1e-9)
        for row, terms in documents.items()
    }


@settings(max_examples=examples(200))
@example(base={1: [], 2: [0]}, changes=[(1, [0])], query=[0], unseen=False, near=0.0)
@given(
    base=st.dictionaries(st.integers(1, 9), DOCUMENT),
    changes=CHANGES,
    query=st.lists(st.sampled_from(TERMS), unique=True, max_size=11),
    unseen=st.booleans(),
    near=st.sampled_from([0.0, 0.5, 2.0]),
)
def test_scores_are_those_of_the_formula(
    base: dict[int, list[int]],
    changes: list[tuple[int, list[int] | None]],
    query: list[int],
    unseen: bool,
    near: float,
) -> None:
    words, now = make_words(base), dict(base)
    for row, terms in changes:
        if terms is None:
            words.remove(row)
            now.pop(row, None)
        else:
            words.put(row, np.array(terms, np.uint32))
            now[row] = terms
    asked, rows = ask(query, unseen), sorted(now)
    scorer = words.weigh(asked, near)
    assert words.list_rows().tolist() == rows
    expected = naive(now, [*query, len(TERMS)] if unseen else query, near)
    assert scorer.score(words.list_rows()) == pytest.approx([expected[row] for row in rows], abs=1e-5)
    assert all(expected[row] <= scorer.most + 1e-5 for row in rows if row not in scorer.rare)
    every = [row for row in now if set(query) <= set(now[row])] if query else []
    assert words.find_with_all(query) == sorted(every)


@settings(max_examples=examples(50))
@given(
    documents=st.dictionaries(st.integers(1, 40), DOCUMENT, min_size=16, max_size=40),
    chosen=st.sets(st.integers(0, 15), max_size=6),
)
def test_few_documents_score_as_they_do_among_all(documents: dict[int, list[int]], chosen: set[int]) -> None:
    words = make_words(documents)
    scorer, rows, places = words.weigh(ask([*TERMS], unseen=True), 0.5), words.list_rows(), sorted(chosen)
    assert scorer.score(rows[places]).tolist() == scorer.score(rows)[places].tolist()


def test_documents_with_a_rare_word_are_listed_and_no_other_scores_more_than_the_most() -> None:
    vectors = np.eye(3, dtype=np.int8) * 127
    vectors[2, 0] = 127
    common = {row: [0] for row in range(search_words.RARE * 2)}
    words = Words(
        ((row, np.array(terms, np.uint32)) for row, terms in (common | {90: [0, 1], 91: [2]}).items()),
        enumerate(vectors),
    )
    scorer = words.weigh([QueryWord(0, vectors[0]), QueryWord(1, vectors[1])])
    assert scorer.rare.tolist() == [90]
    others = scorer.score(words.list_rows()[[0, -1]])
    assert others.max() == pytest.approx(scorer.most, abs=1e-6)
    assert scorer.most < 0.5


def test_a_document_is_compared_to_its_end() -> None:
    long, short, empty = np.zeros(800, np.uint32), np.zeros(2, np.uint32), np.empty(0, np.uint32)
    long[-1] = 1
    vectors = np.eye(2, dtype=np.int8) * 127
    documents = [(1, short), (2, empty), (3, long), (4, np.append(long, 0).astype(np.uint32)), (5, empty)]
    words = Words(documents, enumerate(vectors))
    assert words.weigh([QueryWord(1, vectors[1])]).score(words.list_rows()).tolist() == [0, 0, 1, 1, 0]
    assert words.find_with_all([0, 1]) == [3, 4]


def test_a_term_learned_later_is_found_and_compared() -> None:
    words = Words(())
    for number, vector in enumerate(VECTORS[:3]):
        words.learn(number, vector)
        words.put(10 + number, np.array([number], np.uint32))
    assert words.weigh(ask([2])).score(np.array([12], np.int64)).tolist() == [1.0]


def test_of_a_page_of_text_the_rarest_words_count() -> None:
    many = search_words.MOST + 4
    vectors = np.eye(many, dtype=np.int8) * 127
    common = [(row, np.arange(4, dtype=np.uint32)) for row in range(5)]
    words = Words([*common, (9, np.array([many - 1], np.uint32))], enumerate(vectors))
    scorer = words.weigh([QueryWord(number, vectors[number]) for number in range(many)])
    *others, rarest = scorer.score(words.list_rows()).tolist()
    assert others == [0.0] * 5
    assert rarest > 0


def test_words_are_folded_and_singular() -> None:
    assert tokenize("Zürich's Müsli, 14:30 – NOTES about parties and places, bus_stop") == (
        ["zurich", "s", "musli", "14", "30", "note", "about", "party", "and", "place", "bus", "stop"]
    )
    assert tokenize("ＦＵＬＬ ﬁle ½") == tokenize("full file 1⁄2")
    assert tokenize("\ud800 ... !!") == []


def test_of_scripts_without_spaces_each_pair_is_a_word() -> None:
    assert tokenize("東京都に2028年、猫 and 旅行plans") == (
        ["東京", "京都", "都に", "2028", "年", "猫", "and", "旅行", "plan"]
    )
    assert tokenize("パン") == tokenize("ﾊﾟﾝ")
    assert tokenize("서울 여행") == tokenize("서울, 여행")


def test_words_that_are_like_no_other_and_empty_documents_score_without_a_warning() -> None:
    nothing = np.zeros(6, np.int8)
    words = Words([(1, np.array([0, 1], np.uint32)), (2, np.array([], np.uint32))], [(0, nothing), (1, nothing)])
    asked = [QueryWord(0, nothing), QueryWord(None, nothing)]
    with np.errstate(all="raise"):
        scores = words.weigh(asked).score(words.list_rows())
    assert scores[0] > 0
    assert scores[1] == 0
