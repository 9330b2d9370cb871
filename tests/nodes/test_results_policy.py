"""The value of the calculator or the clock stands in the answer, and no other number in its place."""

import pytest

from nodes.policies.results import keep_values, results_are_unchanged
from nodes.receipt import Call
from tests.nodes.policies import found, make_turn, ran, wrote


def calculated(result: float | str, expression: str = "") -> Call:
    return ran("calculator", {"result": result}, expression=expression)


RESULTS: list[tuple[float | str, str, bool]] = [
    (391, "It's 391.", True),
    (391, "It's 381.", False),
    (1234.5, "Das sind 1.234,50.", True),
    (1234.5, "Cela fait 1 234,5.", True),
    (1234.5, "Son unos 1.235.", True),
    (1234.5, "1,234.5です。", True),
    (1234.5, "Roughly 1,230.", True),
    (1234.5, "It's 1,243.5.", False),
    (1161.11, "about 1,162 words a day", True),
    (1161.11, "about 1,172 words a day", False),
    (7.2, "You need 8 bottles.", True),
    (-4, "It is 4 less.", True),
    ("18:15", "You'll be there at 18:15.", True),
    ("18:15", "You'll be there at 6:15 pm.", True),
    ("18:15", "Du bist um 18:15 Uhr da.", True),
    ("18:15", "You'll be there at 18:20.", False),
    ("02:00, 1 day later", "You'd land at 2 am.", True),
    ("2026-12-24", "That is 24 December.", True),
    ("4 h 45 min", "It takes 4 hours and 45 minutes.", True),
    ("4 h 45 min", "It takes 285 minutes.", True),
    ("4 h 45 min", "Es dauert 4,75 Stunden.", True),
    ("4 h 45 min", "It takes 5 hours and 35 minutes.", False),
    ("7.5 h", "That is 7.5 hours.", True),
    ("7.5 h", "That is 7 h 30 min.", True),
    ("7.5 h", "That is 6.5 hours.", False),
    ("56 oz", "It's 56 ounces.", True),
    ("56 oz", "It's 58 ounces.", False),
    ("22.2222222222 °C", "That's about 22 °C.", True),
    ("1,234.5 g", "Das sind 1.234,5 g.", True),
]


@pytest.mark.parametrize(("result", "draft", "stated"), RESULTS)
def test_the_last_result_is_stated_or_another_number_goes_back(result: float | str, draft: str, stated: bool) -> None:
    turn = make_turn(draft, "how much is it?", calculated(result))
    assert ([*results_are_unchanged(turn)] == []) is stated
    assert (keep_values(turn) == draft) is stated


def test_a_result_is_put_where_it_is_missing() -> None:
    assert keep_values(make_turn("Here you are.", "when?", calculated("18:15"))) == "Here you are.\n\n(= 18:15)"
    assert keep_values(make_turn("Here you are.", "half?", calculated(1234.5))) == "Here you are.\n\n(= 1,234.5)"
    text = "\n".join(["A long text of many lines."] * 20)
    assert keep_values(make_turn(text, "half of 2469?", calculated(1234.5))) == f"{text}\n\n(= 1,234.5)"
    assert keep_values(make_turn("Nothing to say.", "hm", calculated("no number"))) == "Nothing to say."


def test_general_knowledge_may_stand_beside_a_result() -> None:
    draft = "$161.70 for the lot. Most people buy around 10% extra for breakage."
    assert not [*results_are_unchanged(make_turn(draft, "42 tiles at 3.85 each?", calculated(161.7, "42*3.85")))]


def test_a_plan_with_numbers_of_its_own_is_not_measured_by_one_result() -> None:
    plan = "Mon: 20 min\nTue: 25 min\nWed: 35 min\nThu: 45 min"
    assert not [*results_are_unchanged(make_turn(plan, "a plan", calculated(1700)))]


HERE = ran("now", {"iso": "2026-11-22T18:31:05+09:00", "weekday": "Sunday"})


@pytest.mark.parametrize(
    "draft",
    [
        "It's 18:31.",
        "6:32 pm in Tokyo.",
        "Es ist Sonntag.",
        "今日は11月22日です。",
        "The year is 2026.",
        "Le 22 novembre.",
    ],
)
def test_the_clock_is_told_by_its_time_day_or_year(draft: str) -> None:
    assert keep_values(make_turn(draft, "what time is it in Tokyo?", HERE)) == draft


def test_the_clock_is_put_where_it_is_missing_unless_something_else_ran() -> None:
    assert keep_values(make_turn("It is late there.", "?", HERE)) == "It is late there.\n\n(= 18:31, Sunday 2026-11-22)"
    for other in (found("Yoga"), wrote("Yoga")):
        assert keep_values(make_turn("It is late there.", "?", HERE, other)) == "It is late there."
