"""The sentences, how what came of them is judged, and how useful the offline reader must be."""

from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from ana.tracing.schema import Step
from evals.sentences.__main__ import score_sentences, split_by_language
from evals.sentences.data import SETS, Sentence, load_life, load_sentences
from evals.sentences.judge import Outcome, judge
from evals.sentences.world import put_all

LEAST_USEFUL = {"people": 0.81, "tuning": 0.8, "traps": 0.92, "held-out": 0.68, "unseen": 0.81}
"""Share of the English sentences of each set that is answered usefully, with all that is left to a model."""

MOST_WRONG = {"people": 0, "tuning": 11, "traps": 1, "held-out": 15, "unseen": 0}
"""Wrong writes among them. They may only become fewer."""

MOST_WRONG_ELSEWHERE = {"people": 4, "tuning": 1, "traps": 3, "held-out": 0, "unseen": 3}
"""Wrong writes among those in other languages: questions, orders and dates in words that are kept as they are."""

LONG = ("tuning", "traps", "held-out")
"""Of these a part is put by test_a_part_of_the_others_is_as_good in `make test`."""

LIFE = load_life()
CONTENTS = {item["id"]: item["content"] for item in LIFE["items"]}
FIRST, SECOND, *MORE = CONTENTS


@pytest.mark.parametrize("name", ["people", "unseen", *(pytest.param(n, marks=pytest.mark.long) for n in LONG)])
def test_the_reader_is_useful_and_writes_hardly_anything_wrong(name: str) -> None:
    english, others = split_by_language(put_all(load_sentences(name)))
    assert _share_useful(english) >= LEAST_USEFUL[name]
    assert _count_wrong(english) <= MOST_WRONG[name]
    assert _count_wrong(others) <= MOST_WRONG_ELSEWHERE[name]


def test_a_part_of_the_others_is_as_good() -> None:
    for name in LONG:
        english, others = split_by_language(put_all(load_sentences(name)[::6]))
        assert _share_useful(english) >= LEAST_USEFUL[name] - 0.05
        assert _count_wrong(english) <= MOST_WRONG[name]
        assert _count_wrong(others) <= MOST_WRONG_ELSEWHERE[name]


def _share_useful(outcomes: list[Outcome]) -> float:
    return sum(outcome.verdict == "useful" for outcome in outcomes) / len(outcomes)


def _count_wrong(outcomes: list[Outcome]) -> int:
    return sum(outcome.verdict == "wrong" for outcome in outcomes)


def test_no_sentence_is_there_twice() -> None:
    # who wrote the unseen ones had not seen the others either
    every = [sentence for name in SETS if name != "unseen" for sentence in load_sentences(name)]
    for texts in ([s.text.casefold() for s in every], [s.id for s in every]):
        assert [text for text, count in Counter(texts).items() if count > 1] == []


@pytest.mark.parametrize("name", SETS)
def test_what_is_expected_exists(name: str) -> None:
    for sentence in load_sentences(name):
        assert set(sentence.items) <= CONTENTS.keys(), sentence.id
        for value in (*(sentence.due or ()), sentence.to):
            assert not value or datetime.fromisoformat(value).year == 2026, sentence.id
        assert sentence.words or "paste" not in (sentence.means, *sentence.also), sentence.id


def step(tool: str, observation: Any = None, **args: Any) -> Step:
    return {"tool": tool, "args": args, "observation": observation or {"ok": True}}


def keep(content: str, due: str | None = None, type: str = "") -> Step:
    properties = {"due_date": due} if due else {}
    return step("create_item", content=content, properties=properties | ({"type": type} if type else {}))


def verdict(answer: str, *steps: Step, **meant: Any) -> str:
    return judge(Sentence(**{"id": "x", "text": "x", **meant}), list(steps), answer, CONTENTS).verdict


FRIDAY = {"means": "keep", "words": ("buy", "milk"), "due": ("2026-01-09",)}
LOOKED = step("query_items")
SHOWN = "\n".join(CONTENTS[id] for id in (FIRST, SECOND))
MOVE = {"means": "move", "items": (FIRST,), "to": "2026-01-09"}

JUDGED: dict[str, tuple[str, str, tuple[Step, ...], dict[str, Any]]] = {
    "kept whole": ("useful", "Kept.", (keep("Buy milk on Friday", "2026-01-09"),), FRIDAY),
    "kept without its date": ("useless", "Kept.", (keep("Buy milk on Friday"),), FRIDAY),
    "kept with another date": ("wrong", "Kept.", (keep("Buy milk", "2026-01-10"),), FRIDAY),
    "kept with words lost": ("wrong", "Kept.", (keep("Milk", "2026-01-09"),), FRIDAY),
    "kept twice": ("wrong", "Kept.", (keep("Buy milk", "2026-01-09"),) * 2, FRIDAY),
    "not kept": ("useless", "Sorry?", (), FRIDAY),
    "a copy that was not stored": (
        "useless",
        "You have that.",
        (step("create_item", {"existing": {}}, content="Buy milk"),),
        FRIDAY,
    ),
    "of another type": (
        "useless",
        "Kept.",
        (keep("Buy milk", "2026-01-09", "task"),),
        FRIDAY | {"type": "reminder"},
    ),
    "without a date where none is clear": (
        "useful",
        "Kept.",
        (keep("buy milk"),),
        FRIDAY | {"due": (None, "2026-01-09")},
    ),
    "another reading that is right too": (
        "useful",
        "Done.",
        (step("update_item", id=FIRST, properties={"status": "done"}),),
        FRIDAY | {"also": ("done",), "items": (FIRST,)},
    ),
    "a line": ("useful", "Ok.", (step("append_context", content="I hate tea"),), {"means": "about me"}),
    "an item in place of a line": ("useless", "Ok.", (keep("I hate tea"),), {"means": "about me"}),
    "a line in place of an item": ("wrong", "Ok.", (step("append_context", content="buy milk"),), FRIDAY),
    "a paste": ("useful", "Kept.", (keep("a"), keep("b")), {"means": "paste", "words": ("a", "b"), "count": 2}),
    "a paste in one": ("useless", "Kept.", (keep("a b"),), {"means": "paste", "words": ("a", "b"), "count": 2}),
    "a paste in pieces": ("wrong", "Kept.", (keep("a"), keep("b")), {"means": "paste", "words": ("a", "b")}),
    "found": ("useful", SHOWN, (LOOKED,), {"means": "find", "items": (FIRST,)}),
    "five of six found": (
        "useful",
        "\n".join([SHOWN, *(CONTENTS[id] for id in MORE[:3])]),
        (LOOKED,),
        {"means": "find", "items": (FIRST, SECOND, *MORE[:4])},
    ),
    "not found": ("useless", CONTENTS[SECOND], (LOOKED,), {"means": "find", "items": (FIRST,)}),
    "found too much": ("useless", "\n".join(CONTENTS.values()), (LOOKED,), {"means": "find", "items": (FIRST,)}),
    "nothing there": ("useful", "Nothing like that is kept.", (LOOKED,), {"means": "find"}),
    "something shown where nothing is": ("useless", f"Nothing, but {SHOWN}", (LOOKED,), {"means": "find"}),
    "a question that is kept": ("wrong", "Kept.", (keep("where is it"),), {"means": "find"}),
    "done": (
        "useful",
        "Done.",
        (step("update_item", id=FIRST, properties={"status": "done"}),),
        {"means": "done", "items": (FIRST,)},
    ),
    "another item is done": (
        "wrong",
        "Done.",
        (step("update_item", id=SECOND, properties={"status": "done"}),),
        {"means": "done", "items": (FIRST,)},
    ),
    **{
        f"{status} in place of deleted": (
            verdict,
            "Ok.",
            (step("update_item", id=FIRST, properties={"status": status}),),
            {"means": "delete", "items": (FIRST,)},
        )
        for status, verdict in (("cancelled", "useful"), ("done", "wrong"))
    },
    "asked which": ("useful", f"Which?\n{SHOWN}", (LOOKED,), {"means": "delete", "items": (FIRST, SECOND)}),
    "one of two deleted": (
        "wrong",
        "Deleted.",
        (step("delete_item", id=FIRST),),
        {"means": "delete", "items": (FIRST, SECOND)},
    ),
    "none said": ("useful", "Nothing fits.", (LOOKED,), {"means": "delete"}),
    "an order that is kept": ("wrong", "Kept.", (keep("delete it"),), {"means": "delete"}),
    "moved": ("useful", "Moved.", (step("update_item", id=FIRST, properties={"due_date": "2026-01-09"}),), MOVE),
    "moved elsewhere": (
        "wrong",
        "Moved.",
        (step("update_item", id=FIRST, properties={"due_date": "2026-01-10"}),),
        MOVE,
    ),
    "a failed write": ("useless", "No.", (step("update_item", {"error": "full"}, id=SECOND),), MOVE),
    "undone": ("useful", "Taken back.", (step("undo"),), {"means": "undo"}),
    "a sum": ("useful", "6 * 7 = 42", (step("calculator"),), {"means": "sum", "says": "42"}),
    "another sum": ("useless", "43", (step("calculator"),), {"means": "sum", "says": "42"}),
    "talk": ("useful", "Hello.", (), {"means": "talk"}),
    "talk that is looked up": ("useless", "Nothing.", (LOOKED,), {"means": "talk"}),
    "talk that is kept": ("wrong", "Kept.", (keep("hi"),), {"means": "talk"}),
    "refused": ("useful", "I changed nothing.", (), {"means": "refuse"}),
    "not refused": ("wrong", "Deleted.", (step("delete_item", id=FIRST),), {"means": "refuse"}),
}


@pytest.mark.parametrize("how", JUDGED)
def test_what_came_of_a_sentence_is_judged_by_what_was_done_and_shown(how: str) -> None:
    expected, answer, steps, meant = JUDGED[how]
    assert verdict(answer, *steps, **meant) == expected


def test_the_score_counts_each_meaning() -> None:
    outcomes = [judge(Sentence("x", "hi", "talk"), steps, "Hello.", {}) for steps in ([], [keep("hi")], [LOOKED])]
    outcomes.append(judge(Sentence("y", "hallo", "talk", other_language=True), [keep("hallo")], "Kept.", {}))
    assert dict(score_sentences(outcomes)) == {
        "sentences, talk": "1 of 3, wrong 1",
        "sentences, useful (goal 0.75)": "1 of 3 = 0.33",
        "sentences, wrong writes (goal 0.02)": "1 of 3 = 0.33",
        "sentences, other languages": "0 of 1, wrong 1",
    }
