"""The personal set is sound, its halves never change, and what search finds on it may only get better."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.embedders.minilm import MiniLmEmbeddings, find_minilm
from ana.memory.filters import matches, parse
from ana.memory.item import check_properties
from ana.memory.memory import Memory
from ana.time.clock import Clock
from evals.figures import PAGE, render_context, render_recall
from evals.pages import replace_parts
from evals.retrieval import ablation, locomo
from evals.retrieval.cached import PlainEmbeddings
from evals.retrieval.context import load_questions, measure_presence
from evals.retrieval.measure import SETS, Scores, Set, load_items, load_queries, score_set
from evals.retrieval.scores import Score, score_queries
from tests.conftest import BERLIN, EMBEDDER

LAST: dict[Set, list[str]] = {"personal": ["q272", "q273", "q274"], "blind": ["q299", "q300", "q303"]}
"""The last queries of the tuning halves: another split would make every earlier figure worthless."""

LEAST = {
    "paraphrase": 55,
    "weekday": 25,
    "day": 30,
    "range": 25,
    "property": 35,
    "mixed": 20,
    "negation": 15,
    "unanswerable": 15,
}
FLOORS: dict[str, dict[Set, dict[str, float]]] = {
    "wordllama": {
        "personal": {
            "paraphrase": 0.75,
            "weekday": 1.00,
            "day": 1.00,
            "range": 0.96,
            "property": 0.99,
            "mixed": 1.00,
            "negation": 0.95,
        },
        "blind": {
            "paraphrase": 0.48,
            "weekday": 0.93,
            "day": 1.00,
            "range": 1.00,
            "property": 0.98,
            "mixed": 0.95,
            "negation": 0.75,
        },
    },
    "minilm": {
        "personal": {
            "paraphrase": 0.95,
            "weekday": 1.00,
            "day": 1.00,
            "range": 0.98,
            "property": 0.96,
            "mixed": 1.00,
            "negation": 0.92,
        },
        "blind": {
            "paraphrase": 0.86,
            "weekday": 0.93,
            "day": 1.00,
            "range": 1.00,
            "property": 0.93,
            "mixed": 0.91,
            "negation": 0.77,
        },
    },
}
"""Recall@10 on the held-out halves, by embedder and set. These figures may only rise. Negations fell
once, when "not" and "without" became words to look for: what somebody does not eat is found, and who says "not Felix"
excludes him in a filter."""

SAMPLE_FLOOR = 0.9
"""Recall@3 of a few paraphrases with MiniLM, whose whole sets `make crash` measures: they take it half a minute."""

with_minilm = pytest.mark.skipif(find_minilm() is None, reason="the encoder's package could not be installed")


@pytest.mark.parametrize("name", SETS)
def test_the_items_are_enough_and_sound(name: Set) -> None:
    every = load_items(name)
    assert len(every) >= 250
    assert len({item.id for item in every}) == len({item.content for item in every}) == len(every)
    for item in every:
        check_properties(item.properties)


@pytest.mark.parametrize("name", SETS)
def test_the_queries_are_enough_and_their_answers_are_what_their_filters_mean(name: Set) -> None:
    every = load_queries(name=name)
    by_id = {item.id: item for item in load_items(name)}
    counts = Counter(query.kind for query in every)
    assert len(every) >= 200
    assert counts.keys() == LEAST.keys()
    assert all(counts[kind] >= least for kind, least in LEAST.items())
    assert len({query.text for query in every}) == len({query.id for query in every}) == len(every)
    for query in every:
        assert set(query.relevant) <= by_id.keys()
        assert (len(query.relevant) in range(1, 11)) == (query.kind != "unanswerable")
        if query.gold is not None:
            node = parse(query.gold, BERLIN)
            assert {id for id, item in by_id.items() if matches(node, item)} == set(query.relevant), query.text


@pytest.mark.parametrize("name", SETS)
def test_the_halves_are_even_and_apart(name: Set) -> None:
    tuning, held_out = {q.id for q in load_queries("tuning", name)}, {q.id for q in load_queries("held-out", name)}
    assert tuning.isdisjoint(held_out)
    assert len(tuning | held_out) == len(load_queries(name=name))
    assert abs(len(held_out) - len(tuning)) <= len(LEAST)
    assert sorted(tuning)[-3:] == LAST[name]


def check_recall(embedder: str, every: dict[Set, Scores], part: str) -> None:
    for name, scores in every.items():
        found = {kind: score.recall10 for kind, score in scores["hybrid"].items()}
        assert {kind: recall for kind, recall in found.items() if recall < FLOORS[embedder][name][kind]} == {}
    assert replace_parts(PAGE, {part: render_recall(every)}) == PAGE.read_text(encoding="utf-8"), "run `make readme`"


def test_what_is_found_is_what_the_readme_says_and_not_below_the_floor() -> None:
    every = {name: score_set(name, EMBEDDER) for name in SETS}
    check_recall("wordllama", every, "found")
    shown = re.search(r"^\| wordllama, everything \| (.*) \|$", ablation.DOC.read_text(encoding="utf-8"), re.M)
    assert shown, "run `make search-docs`"
    assert shown[1].split(" | ") == ablation.summarize("hybrid", list(every.values())), "run `make search-docs`"


@pytest.mark.long
@with_minilm
def test_so_it_is_with_minilm() -> None:
    embedder = MiniLmEmbeddings(find_minilm())
    check_recall("minilm", {name: score_set(name, embedder) for name in SETS}, "found-minilm")


@with_minilm
def test_minilm_finds_paraphrases_among_a_few_items(clock: Clock) -> None:
    queries = [query for query in load_queries("tuning", "blind") if query.kind == "paraphrase"][:10]
    items = load_items("blind")
    kept = [item for n, item in enumerate(items) if n % 10 == 0 or any(item.id in q.relevant for q in queries)]
    memory = Memory(InMemoryBackend(MiniLmEmbeddings(find_minilm())), clock)
    stored = {memory.create(item.content, dict(item.properties)).id: item.id for item in kept}
    found = [{stored[item.id] for item in memory.find(query.text, limit=3).items} for query in queries]
    recall = [len(ids & set(query.relevant)) / len(query.relevant) for ids, query in zip(found, queries, strict=True)]
    assert sum(recall) / len(recall) >= SAMPLE_FLOOR


def test_a_plain_embedder_embeds_a_document_like_a_query() -> None:
    assert PlainEmbeddings(EMBEDDER).embed_documents(["milk"]) == [EMBEDDER.embed_query("milk")]


def test_scores_are_those_of_the_definitions() -> None:
    first, second, *_ = (query for query in load_queries() if len(query.relevant) == 2)
    found = {
        first.text: ["x", first.relevant[0], "y", "z", "a", first.relevant[1]],
        second.text: [],
    }
    (score,) = score_queries(lambda text, _: found[text], [first, second]).values()
    assert (score.count, score.recall5, score.recall10, score.mrr) == (2, 0.25, 0.5, 0.25)


def sample(path: Path) -> Path:
    """A small file in the format of LoCoMo, its oddities included."""
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a puppy called Rex."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "I bought a violin.", "blip_caption": "a red violin case"},
        ],
        "session_2_date_time": "10:00 am on 9 June, 2023",
        "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "My marathon went well."}],
    }
    asked = [
        {"question": "What is Ann's puppy called?", "answer": "Rex", "evidence": ["D1:1"], "category": 4},
        {"question": "What happened to Bo?", "answer": "", "evidence": ["D1:02; D2:1"], "category": 1},
        {"question": "What is Bo's sister called?", "adversarial_answer": "", "evidence": [], "category": 5},
    ]
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": talk, "qa": asked}]))
    return path


def test_a_locomo_file_is_read_as_items_and_questions(tmp_path: Path) -> None:
    (talk,) = locomo.read_conversations(sample(tmp_path / "locomo.json"))
    assert [item.id for item in talk.items] == ["D1:1", "D1:2", "D2:1"]
    assert talk.items[1].content == "I bought a violin. [a picture: a red violin case]"
    assert talk.items[1].properties == {"speaker": "Bo", "date": "2023-05-08"}
    assert [(query.kind, query.relevant) for query in talk.queries] == [
        ("category 4", ("D1:1",)),
        ("category 1", ("D1:2", "D2:1")),
        ("category 5", ()),
    ]
    assert talk.clock.now().date().isoformat() == "2023-06-09"


def test_a_locomo_file_is_measured_in_halves_and_whole(tmp_path: Path) -> None:
    path = sample(tmp_path / "locomo.json")
    path.write_text(json.dumps(json.loads(path.read_text()) * 2))
    legs = {leg: ablation.LEGS[leg] for leg in ("everything", "without vectors")}
    figures = ablation.compare_conversations(path)(EMBEDDER, legs)
    assert figures.keys() == legs.keys()
    assert figures["everything"] == ["1.00", "1.00", "1.00"]


def test_every_question_of_a_conversation_counts_the_same() -> None:
    talks = [{"one": Score(3, 0, 1.0, 0)}, {"one": Score(1, 0, 0.0, 0), "two": Score(1, 0, 0.5, 0)}]
    assert locomo.pool_recall(talks) == 0.7


def test_a_line_that_decides_a_question_reaches_the_model_from_the_prompt_and_seldom_as_an_item() -> None:
    asked = load_questions()
    assert len({each.line for each in asked}) == len({each.question for each in asked}) == len(asked) >= 40
    presence = measure_presence(EMBEDDER)
    assert presence.in_prompt == 1.0
    row = render_context({"wordllama": presence}).splitlines()[-1]
    page = PAGE.read_text()
    assert row in page, "run `make readme`"
    assert f"{presence.characters:,} characters longer" in " ".join(page.split())
