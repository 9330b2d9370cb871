"""Numbers that need no calculator because the draft shows what they are made of, and the calculator's results."""

from typing import Any

import pytest

from nodes.policies.check import first_violation
from nodes.policies.evidence import Call
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.results import put_value
from tests.nodes.policies import found, make_turn, ran, wrote

WEEK = (
    "Plan my week please. Dana's wireframes are about 12 hours of work, the Brandt logos 8. I never work before 9 and "
    "I stop at 5. Wednesday afternoon is blocked, dentist at 3."
)
PLAN = (
    "**Mon 23 Nov**: 9–12 and 13–17 Helios wireframes (7 h)\n**Tue 24 Nov**: 9–12 and 13–15 Helios wireframes (5 h, "
    "done: 12 h), 15–17 Brandt logos (2 h)\n**Thu 26 Nov**: 9–12 Brandt logos (3 h, done: 8 h), 13–17 buffer\n"
    "At 85 €/h those 20 hours are 1,700 € worth of work."
)
LATEST = (
    "when is the latest I can start with the Brandt logos if I still need 5 hours? and how many working days until the "
    "Nordwind prototype is due?"
)
DAYS = "Safer: 2 hours on Thursday, 3 on Friday. With today that's 6 days (9, 10, 11, 14, 15, 16 December)."
TRIP = (
    "I need a packing list for the ski trip 19-26 Dec. Rental car is booked, pick up 19th at 8, return 26th by 6pm, "
    "costs 340 euros, split with Jan half half"
)
HOURS = "Yesterday you worked 4.5 hours: 3 on login and 1.5 on booking. That's €382.50."
RATE = {"lines": {0: "Freelance designer, bills 85 euros an hour"}}

HONEST: list[tuple[str, str, tuple[Call, ...], dict[str, Any]]] = [
    (WEEK, PLAN, (wrote("Dentist"),), RATE),
    (LATEST, DAYS, (), {}),
    (TRIP, "- **Rental car**: €340 in all, so €170 each for you and Jan", (wrote("Ski trip"),), {}),
    ("what's that in money?", HOURS, (found("Login", "Booking", hours_spent=[4.5, 1.5]),), RATE),
    ("what do I bill for 12.75 h?", "12.75 h × €85 = €1,083.75", (), RATE),
    ("wie viel sind 12 mal 85?", "12 × 85 = 1.020", (), {}),
    ("17 + 25 + 3?", "17 + 25 + 3 = 45", (), {}),
]
FALSE: list[tuple[str, str, tuple[Call, ...], dict[str, Any]]] = [
    ("what's that in money?", HOURS.replace("382", "392"), (found("Login", "Booking", hours_spent=[4.5, 1.5]),), RATE),
    ("how much is 12.75 h at 85?", "12.75 h × €85 = €1,183.75", (), {}),
    ("what's 17 times 23?", "17 times 23 is 391.", (), {}),
    (TRIP, "- **Rental car**: €340 in all, so €180 each for you and Jan", (wrote("Ski trip"),), {}),
]


@pytest.mark.parametrize(("question", "draft", "done", "more"), HONEST)
def test_what_a_draft_shows_the_way_to_is_left_alone(
    question: str, draft: str, done: tuple[Call, ...], more: dict[str, Any]
) -> None:
    assert numbers_are_traced(make_turn(draft, question, *done, **more)) is None


@pytest.mark.parametrize(("question", "draft", "done", "more"), FALSE)
def test_what_it_does_not_make_goes_back(
    question: str, draft: str, done: tuple[Call, ...], more: dict[str, Any]
) -> None:
    assert numbers_are_traced(make_turn(draft, question, *done, **more))


def calculated(result: float | str, expression: str = "") -> Call:
    return ran("calculator", {"result": result}, expression=expression)


RESULTS: list[tuple[float | str, str, bool]] = [
    ("18:15", "You'll be there at 18:15.", True),
    ("18:15", "You'll be there at 6:15 pm.", True),
    ("18:15", "Du bist um 18:15 Uhr da.", True),
    ("18:15", "You'll be there at 18:20.", False),
    ("02:00, 1 day later", "You'd land at 2 am.", True),
    ("4 h 45 min", "It takes 4 hours and 45 minutes.", True),
    ("4 h 45 min", "It takes 285 minutes.", True),
    ("4 h 45 min", "Es dauert 4,75 Stunden.", True),
    ("4 h 45 min", "It takes 5 hours and 35 minutes.", False),
    ("7.5 h", "That is 7.5 hours.", True),
    ("7.5 h", "Das sind 7,5 Stunden.", True),
    ("7.5 h", "That is 7 h 30 min.", True),
    ("7.5 h", "That is 6.5 hours.", False),
    ("56 oz", "It's 56 ounces.", True),
    ("56 oz", "It's 58 ounces.", False),
    ("22.2222222222 °C", "That's about 22 °C.", True),
    ("1,234.5 g", "Das sind 1.234,5 g.", True),
]


@pytest.mark.parametrize(("result", "draft", "stated"), RESULTS)
def test_a_result_with_a_unit_or_a_time_is_understood(result: float | str, draft: str, stated: bool) -> None:
    turn = make_turn(draft, "how much is it?", calculated(result))
    assert (numbers_are_traced(turn) is None) is stated
    assert (put_value(turn) == draft) is stated


def test_a_result_with_a_unit_is_put_where_it_is_missing() -> None:
    assert put_value(make_turn("Here you are.", "when?", calculated("18:15"))) == "Here you are.\n\n(= 18:15)"


def test_one_calculation_does_not_answer_for_another() -> None:
    question, call = "what's 17 times 23, and 19 times 21?", calculated(391, "17*23")
    violation = numbers_are_traced(make_turn("391 and 399.", question, call))
    assert violation
    assert "399" in violation.reason
    both = (call, calculated(399, "19*21"))
    assert numbers_are_traced(make_turn("391 and 399.", question, *both)) is None


def test_the_steps_of_a_calculation_are_results_too() -> None:
    question = "what did I bill so far?"
    call = calculated(1147.5, "(9.75 + 0.75 + 3) * 85")
    hours = found("Wireframes", "Call", "Logos", hours_spent=[9.75, 0.75, 3])
    draft = "You worked 13.5 billable hours, which is €1,147.50."
    assert numbers_are_traced(make_turn(draft, question, hours, call)) is None


def test_a_difference_of_results_is_shown_by_them() -> None:
    question = "the fee is 3,400 net. what's the total with 19% VAT?"
    call = calculated(4046, "3400 * 1.19")
    assert numbers_are_traced(make_turn("€4,046.00 gross (VAT: €646.00).", question, call)) is None
    assert numbers_are_traced(make_turn("€4,046.00 gross (40% are €1,618.40).", f"{question} and 40% of it?", call))


def test_a_difference_of_a_result_and_a_number_of_an_item_is_shown_by_them() -> None:
    question, call = "flour 80, gas 15 at 35, tins 145. how much is that? note it", calculated(750, "80 + 15*35 + 145")
    item = wrote("Helicopter (975 kg at most)", weights=["flour 80"], total=750)
    assert numbers_are_traced(make_turn("750 kg. That leaves 225 kg.", question, call, item)) is None
    assert numbers_are_traced(make_turn("750 kg. That leaves 210 kg.", question, call, item))


def test_general_knowledge_may_stand_beside_a_result() -> None:
    draft = "$161.70 for the lot. Most people buy around 10% extra for breakage."
    assert numbers_are_traced(make_turn(draft, "42 tiles at 3.85 each?", calculated(161.7, "42*3.85"))) is None


@pytest.mark.parametrize(
    "draft",
    [
        "Sorry about that! The antibiotic now runs until Monday, 30 November. Today Lena has had 1 of 3 doses.",
        "Du bekommst sie bis Montag, 7. Dezember. Heute und morgen bin ich nur per Mail erreichbar.",
    ],
)
def test_the_honest_drafts_with_a_full_stop_pass_every_policy(draft: str) -> None:
    assert first_violation(make_turn(draft, "no, she only had 1 dose today so far")) is None
