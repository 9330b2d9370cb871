"""All policies together: what they send back, in which order, and how long they take."""

import json
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from nodes.evidence import Evidence
from nodes.policies.check import FALLBACKS, MOST_CHARACTERS, MOST_NAMED, POLICIES, WAYS_OUT, find_violation
from nodes.policies.results import keep_values
from nodes.receipt import Call
from tests.nodes.policies import found, make_turn, ran, wrote

LONG = 10_000
PIECES = [
    "I ", "1+", "((((", "1,", "- ", "'", "\"", "“", "„", "> ", "```", "14:30 ", "2 pm ", "27 Nov ", "may 1  ",
    "今は", "1. ", "1.1.", "lunes ", "Mon, ", "Mo., ", "（月）", "月曜日", "12月4日（金）", "1 ", "1\n", "111 ",
    "1.111 ", "1 111 111a1 ", "３", "1万", "a1", "1a", "abcd2e4f ", "line 1 ", "3/4 ", "2026-11-22 ", "9-",
    "–1", "+1 ", "%1 ", "=", "1=", "1+1=", "1 € + ", "12 * 8 ", "1? ", "\n",
]  # fmt: skip

HONEST = [
    ("how do I cook rice for 4 people?", "300 g of rice and 600 ml of water, 12 minutes."),
    ("how long do I roast a chicken?", "40 minutes at 180 degrees, then 10 more without the lid."),
    ("what's a good tip in Italy?", "Nothing is expected; 5–10% for great service is generous."),
    ("plan my Tuesday", "9-12 deep work, 13-17 calls. A walk fits at 17:30."),
    ("I run 3 times a week, make a plan", "Week 1: 2 × 20 min\nWeek 2: 3 × 20 min\nWeek 3: 3 × 30 min\nWeek 4: 5 km"),
    ("a call on Wed 9 Dec, 15:00, I am in Tokyo then", "Wednesday 9 December, 15:00. In Tokyo it is 23:00."),
    ("thanks", "You're welcome!"),
]


@pytest.mark.parametrize(("question", "draft"), HONEST)
def test_plans_recipes_and_estimates_are_left_alone(question: str, draft: str) -> None:
    assert find_violation(make_turn(draft, question)) is None


@pytest.mark.parametrize(
    "draft",
    ["I've saved it.", "I've sent Dana an email.", "I'll remind you at 5.", "Deleted, for good.", "All done!"],
)
def test_what_a_draft_says_was_done_is_not_read(draft: str) -> None:
    assert find_violation(make_turn(draft, "do it, please")) is None


def test_every_policy_has_its_words() -> None:
    names = {name for name, _ in POLICIES}
    assert set(WAYS_OUT) == set(FALLBACKS) == names == {"arithmetic", "clock", "dates", "citation"}


@pytest.mark.parametrize("fallback", FALLBACKS.values())
def test_a_fallback_breaks_no_policy(fallback: str) -> None:
    assert find_violation(make_turn(fallback, "what is 17 * 23, and what time is it?")) is None


def test_the_first_mistake_is_told_with_the_ways_out() -> None:
    violation = find_violation(make_turn("17 × 23 = 381, by Friday 28 November.", "what is 17 * 23?"))
    assert violation
    assert (violation.policy, violation.fallback) == ("arithmetic", FALLBACKS["arithmetic"])
    assert '"17 × 23 = 381"' in violation.reason
    assert violation.reason.endswith(WAYS_OUT["arithmetic"])


def test_all_mistakes_of_a_kind_are_told_at_once() -> None:
    question = "the fence: 8.5 m at 7 a metre, the gate 3 x 12.5, posts 9 at 6.25. what is each?"
    violation = find_violation(make_turn("Fence 59.50, gate 37.50, posts 56.25.", question))
    assert violation
    for number in ("59.50", "37.50", "56.25"):
        assert violation.reason.count(f'"{number}"') == 1
    assert violation.reason.count(WAYS_OUT["arithmetic"]) == 1


def test_of_many_mistakes_some_are_told() -> None:
    days = [f"Friday {n} November" for n in range(1, 28) if n % 7 != 6]
    violation = find_violation(make_turn(f"It is due on {', '.join(days)}.", "when?"))
    assert violation
    assert sum(day in violation.reason for day in days) == MOST_NAMED


def test_what_follows_in_a_long_draft_is_a_document() -> None:
    assert find_violation(make_turn("Due Friday 28 November." + " " * MOST_CHARACTERS))
    assert find_violation(make_turn(" " * MOST_CHARACTERS + "Due Friday 28 November.")) is None


def test_where_no_clock_is_known_nothing_fails() -> None:
    assert find_violation(Evidence("", "It is 14:20.")) is None
    assert find_violation(Evidence("", "Thursday 27 November 2026"))


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_are_read_before_the_time_of_a_test_is_over(piece: str) -> None:
    text = piece * LONG
    query, clock = Call("query_items", {}, text), ran("now", {"iso": "2026-11-22T10:31:05+01:00"})
    for e in (
        make_turn(text, text),
        make_turn(text, text, query, clock, earlier=(text,), lines={0: text}),
        make_turn("It is 391, or 4,371.", "3 and 4 of 7?", query, ran("calculator", {"result": 2.5}), earlier=(text,)),
    ):
        find_violation(e)
        keep_values(e)


@pytest.mark.parametrize(
    "text", ["", "null", "[]", '{"items": [{}]}', '{"result": null}', '{"iso": "soon"}', "not JSON"]
)
def test_a_result_of_any_form_is_read(text: str) -> None:
    calls = [Call(tool, {}, text) for tool in ("query_items", "calculator", "now", "append_context")]
    e = make_turn("It is 391 at 14:20, line 9, abcd2e4f.", "17 and 23?", *calls)
    find_violation(e)
    assert keep_values(e).startswith(e.draft)


def test_what_a_call_was_asked_and_what_it_wrote_may_be_said_again() -> None:
    now = datetime(2026, 12, 5, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
    items = found("Choir", "Concert", start_date=["2026-12-08T19:30", "2026-12-13T17:00"])
    free = "That leaves Monday 7, Wednesday 9 and Thursday 10 December."
    assert find_violation(make_turn(free, "which evenings are free next week?", items, now=now)) is None
    item = wrote("Tiles, 42 at 3.85", price=161.7)
    assert json.loads(item.text)["content"] == "Tiles, 42 at 3.85"
    assert find_violation(make_turn("Kept: 42 tiles, 161.70 in all.", "note the tiles", item)) is None
