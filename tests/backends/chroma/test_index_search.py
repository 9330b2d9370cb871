"""Search by meaning, words and days; what comes first; and why."""

import math
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ana.embedders.wordllama import embed_words
from ana.memory.filters import matches, parse
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.memory.search.property_text import render_text
from ana.memory.search.query import ParsedQuery, parse_query
from ana.memory.search.ranking import Weights
from ana.memory.search.tokens import tokenize
from ana.memory.status import CLOSED, DONE, has_status
from ana.time.clock import Clock
from ana.time.spans import read_date_span
from evals.retrieval.measure import load_items as kept
from evals.retrieval.measure import load_queries
from tests.chroma import fill_chroma, open_memory
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY
from tests.examples import examples

CLOCK = Clock(BERLIN, lambda: WEDNESDAY)
WEIGHTS = Weights()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = open_memory(tmp_path_factory.mktemp("search"), EMBEDDER, CLOCK)
    fill_chroma(memory, kept())
    return memory


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("tags", ["garden", "home"], "#home roses"),
        ("tags", ["Deep-Work"], "#deep_work"),
        ("project", "Acme", "what is there for #acme"),
        ("labels", "x", "#X"),
    ],
)
def test_a_tag_comes_before_what_only_sounds_like_it(memory: Memory, key: str, value: Any, text: str) -> None:
    tagged = memory.create("something else entirely", {key: value}).id
    memory.create(f"roses at home, deep work for acme x: {text.replace('#', '')}")
    found = memory.find(text)
    assert found.items[0].id == tagged
    assert found.reasons[0].first == "tag"


def test_first_places_pass_the_filter_like_all_others(memory: Memory) -> None:
    done = memory.create("paint the fence", {"status": "done", "tags": ["home"]}).id
    open_ = memory.create("paint the wall", {"status": "active"}).id
    for text in (done, '"paint the fence"', "#home"):
        assert [item.id for item in memory.find(text, {"status": "active"}).items] == [open_]


def test_a_due_question_is_a_filter_by_date_and_says_so(store: Memory) -> None:
    found = store.find("what's due Tuesday")
    assert found.due == (date(2026, 1, 13), date(2026, 1, 13))
    assert found.total == len(found.items) == 6
    assert all(str(item.properties["due_date"]).startswith("2026-01-13") for item in found.items)
    assert all(reason.date is not None and reason.vector is None for reason in found.reasons)
    assert store.find("what's due Tuesday", {"type": "appointment"}).total == 2
    assert store.find("presents for Tuesday").due is None


def test_similar_items_are_found_through_an_item_s_own_content(store: Memory) -> None:
    item = next(i for i in kept() if i.content == "Choir rehearsal, bring the black folder")
    found = store.find(item.content, {"id": {"$ne": item.id}}, 1)
    assert found.items[0].content == "Choir rehearsal"
    assert found.total == len(kept()) - 1
    assert found.reasons[0].filter


def test_a_reason_has_cosine_words_and_day(store: Memory) -> None:
    found = store.find("the dentist check-up on January 13", limit=3)
    reason = found.reasons[0]
    assert found.items[0].content.startswith("Check-up at Dr. Wagner")
    assert reason.date == "2026-01-13T14:30"
    assert {"check", "up", "january", "13"} <= set(reason.words)
    item = found.items[0]
    vector = np.array(EMBEDDER.embed_query("the dentist check-up on January 13"))
    document = np.array(EMBEDDER.embed_documents([render_text(item)])[0])
    assert reason.vector == pytest.approx(float(vector @ document), abs=1e-5)


@cache
def embed_kept() -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return np.array(EMBEDDER.embed_documents([render_text(item) for item in kept()]))


@cache
def match_words(text: str) -> list[float]:
    """How well each item's words match a query's, one item and one word at a time."""
    texts = [set(tokenize(render_text(item))) for item in kept()]
    asked = parse_query(text, WEDNESDAY.date()).words
    rare = {word: max(sum(word in text for text in texts), 1) for word in asked}
    idf = {word: math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in rare.items()}

    def compare(word: str, other: str) -> float:
        cosine = float(embed_word(word) @ embed_word(other))
        return 1.0 if word == other else max(cosine, 0.0)

    best = [[max(compare(word, other) for other in text) for word in asked] for text in texts]
    total = sum(idf.values()) or 1.0
    return [sum(idf[word] * each for word, each in zip(asked, row, strict=True)) / total for row in best]


@cache
def embed_word(word: str) -> NDArray[np.float64]:
    vector: NDArray[np.float64] = embed_words([word])[0].astype(float)
    vector /= max(float(np.linalg.norm(vector)), 1e-9)
    return vector


def score_all(weights: Weights, text: str, where: Any, limit: int) -> list[float]:
    """The scores of the best items, with every item compared."""
    every, lexical = kept(), match_words(text)
    query = parse_query(text, WEDNESDAY.date())
    cosines = embed_kept() @ np.array(EMBEDDER.embed_query(text))

    def on_day(item: Item) -> bool:
        span = read_date_span(item.date, BERLIN)
        if query.undated and span is None:
            return True
        days = [(read_date_span(str(m.first), BERLIN), read_date_span(str(m.last), BERLIN)) for m in query.mentions]
        return any(span and a and b and a[0] <= span[0] and span[1] <= b[1] for a, b in days)

    node = parse(where, BERLIN)
    scores = [
        weights.vector * float(cosine)
        + weights.words * float(words)
        + weights.day * on_day(item)
        + weights.status * has_asked_status(query, item)
        for item, cosine, words in zip(every, cosines, lexical, strict=True)
        if matches(node, item)
    ]
    return sorted(scores, reverse=True)[:limit]


def has_asked_status(query: ParsedQuery, item: Item) -> bool:
    """Return whether an item's status says that it is open, or done, and the query asks for that."""
    if query.is_open is None or not isinstance(item.properties.get("status"), str):
        return False
    return not has_status(item.properties, CLOSED) if query.is_open else has_status(item.properties, DONE)


FILTERS: list[Any] = [None, {"status": "active"}, {"type": {"$ne": "task"}}, {"priority": "high"}, {"person": "Tom"}]
TEXTS = [query.text for query in load_queries() if parse_query(query.text, WEDNESDAY.date()).due is None]


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.sampled_from(TEXTS), where=st.sampled_from(FILTERS), limit=st.sampled_from([1, 5, 10, 60]))
def test_the_best_are_those_of_comparing_every_item(store: Memory, text: str, where: Any, limit: int) -> None:
    """Items that the threshold leaves out would never have been among the best."""
    assert_the_best(store, text, where, limit)


@pytest.mark.parametrize("text", [text for text in TEXTS if parse_query(text, WEDNESDAY.date()).undated])
def test_nor_does_having_no_date(store: Memory, text: str) -> None:
    assert_the_best(store, text, None, 60)
    assert_the_best(store, text, {"status": "active"}, 10)


def test_an_item_in_other_words_is_found_by_them(memory: Memory) -> None:
    wanted = memory.create("The physician said to rest for a week", {"type": "note"}).id
    for n in range(30):
        memory.create(f"note {n} about the {['garden', 'bicycle', 'invoice', 'kitchen'][n % 4]}", {"type": "note"})
    found = memory.find("doctor", limit=1)
    assert found.items[0].id == wanted
    assert found.reasons[0].words == ()


@pytest.mark.parametrize("text", ["what doesn't she like", "which food is not to her like", "without what she likes"])
def test_a_word_that_is_denied_is_looked_for(memory: Memory, text: str) -> None:
    memory.create("Ida likes no olives")
    assert "like" in memory.find(text).reasons[0].words


@pytest.mark.parametrize("text", ["garden, no roses", "garden things other than roses", "garden except for roses"])
def test_a_word_that_is_excepted_is_not_looked_for(memory: Memory, text: str) -> None:
    memory.create("roses for the garden")
    beans = memory.create("beans for the garden").id
    found = memory.find(text)
    assert all("rose" not in reason.words for reason in found.reasons)
    assert beans in {item.id for item in found.items}


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("tax papers that are still open", "waiting"),
        ("unfinished tax papers", "waiting"),
        ("tax papers, not done yet", "waiting"),
        ("tax papers that haven't been finished", "waiting"),
        ("completed tax papers", "done"),
    ],
)
def test_what_is_open_or_done_comes_first_if_that_is_asked_for(
    store: Memory, memory: Memory, text: str, status: str
) -> None:
    for each in ("cancelled", "waiting", "done", None):
        memory.create("tax papers", {"type": "task", "status": each})
    assert memory.find(text, limit=1).items[0].properties["status"] == status
    assert_the_best(store, text, None, 10)


def assert_the_best(store: Memory, text: str, where: Any, limit: int) -> None:
    found = store.find(text, where, limit)
    firsts = [reason for reason in found.reasons if reason.first]
    if firsts:
        return
    expected = score_all(WEIGHTS, text, where, limit)
    known = {item.id: reason for item, reason in zip(found.items, found.reasons, strict=True)}
    assert len(known) == len(expected)
    cosines = [reason.vector or 0.0 for reason in found.reasons]
    assert all(a is not None for a in cosines)
    got = score_all(WEIGHTS, text, {"id": {"$in": [item.id for item in found.items]}}, limit)
    assert got == pytest.approx(expected, abs=1e-4)


def test_a_filter_that_many_pass_loses_nothing(tmp_path: Path) -> None:
    """Also where the nearest are exactly those that do not pass."""
    store = open_memory(tmp_path, EMBEDDER, CLOCK)
    stamp = CLOCK.stamp()
    near = [Item(f"n{n}", f"water the roses {n}", {"kind": "near"}, stamp, stamp) for n in range(60)]
    far = [Item(f"f{n}", f"file the tax papers {n}", {"kind": "far"}, stamp, stamp) for n in range(1010)]
    fill_chroma(store, [*near, *far])
    found = store.find("water the roses", {"kind": "far"}, 10)
    assert found.total == 1010
    assert len(found.items) == 10
    assert all(item.properties["kind"] == "far" for item in found.items)
    store.close()
