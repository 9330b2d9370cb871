"""Numbers that had to be worked out come from the calculator, those of stored items from the results."""

import pytest

from nodes.policies.numbers import find_own, numbers_are_traced
from nodes.receipt import Call
from tests.nodes.policies import found, make_turn, ran, wrote

INVOICES = found("Invoice A", "Invoice B", amount=[1200, 345.5])
THREE = found("Ink", "Rent", "Gym", status="active")
BUDGET = found("Flat: total budget £38,000", "I hope for 3,750", budget=[38000, 3750])
LEFT = ran("calculator", {"result": 3700}, expression="38000 - 34300")

HONEST: list[tuple[str, str, tuple[Call, ...]]] = [
    ("how many people live in Portugal?", "About 10.4 million.", ()),
    ("when was the bridge built and how long is it?", "In 1937; it is 2,737 metres long.", ()),
    ("give me 3 tips for 2 weeks in Rome", "1. Book 30 days ahead\n2. Walk 10 km a day\n3. Eat at 21:00", ()),
    ("write an offer", "Phase 1: €1,200\nPhase 2: €2,400\nTotal: €3,600\nDeposit: 50%\nValid for 30 days", ()),
    ("how many open tasks do I have?", "You have 3 open tasks.", (THREE,)),
    ("how many of them are bills?", "1 of the 3.", (THREE,)),
    ("how many days until the concert?", "12 days.", (found("Concert", due_date="2026-12-04"),)),
    ("13 guests, 5 chairs and 3 tables for the press night", "Kept for viernes 11.", ()),
    ("what was invoice A?", "Invoice A was €1,200.", (INVOICES,)),
    ("was war Rechnung B?", "Rechnung B: 345,50 €.", (INVOICES,)),
    ("add 2 eggs and 3 apples to the list", "I need the shop's name first.", ()),
    ("split 84.60 between 3", "Do you mean evenly, 28.20 each?", ()),
    ("remind me at 5 to take 2 pills", "Shall I set it for 17:00?", ()),
    ("is 3.11.2 newer than 3.10.4?", "Yes, 3.11.2 is newer; 3.12 came in 2023.", ()),
    ("what is in my garden?", "```\nprint(17 * 23 + 4)\n```\nThat prints what you asked for.", ()),
    ("¿a qué temperatura hierve el agua?", "A 100 °C al nivel del mar.", ()),
    ("130 over 85, is that high?", "A bit: the ideal is below 120 over 80.", ()),
    ("is 8 hours of sleep for 3 nights enough?", "Most adults need 7 to 9 hours.", ()),
    ("2 eggs and 200 g flour, what can I bake?", "Pancakes: add 400 ml milk, fry 2 minutes a side.", ()),
    ("how long do I roast 2 kg?", "40 minutes at 180 degrees.", ()),
    (
        "6 guests and 120 euros, what can I cook?",
        "Raclette for about €15 a head, with a salad on the side.",
        (),
    ),
    ("tell me about flight LH2041", "It leaves from gate 17 at 14:30.", ()),
    ("remind me to buy 2 x 4 screws", "Where shall I put them, drawer 12?", ()),
    ("3 x 5 mg a day, right?", "Yes, 3 x 5 mg, as on the label of box 20.", ()),
    ("what is left for contingency?", "£3,700 is left, £50 less than you hoped.", (BUDGET, LEFT)),
    ("the fee is 3,400 net, with 19% VAT?", "€4,046 gross (VAT: €646).", (ran("calculator", {"result": 4046}),)),
    ("what does that make a week?", "12.75 h × €85 = €1,083.75 a week, if nothing of what we said has changed.", ()),
    ("2,480円のTシャツを18枚だと？", "4万4,640円になります。", (ran("calculator", {"result": 44640}),)),
    ("plan the visit on 3/4 at 14:30 - 15:00", "Take line 12 and then the 25.", ()),
    ("note: lunch 12.40, taxi 18.60, hotel 89", "Stored; 120 in all.", (wrote("Trip"),)),
]
FALSE: list[tuple[str, str, tuple[Call, ...]]] = [
    ("what is 17 * 23?", "391.", ()),
    ("What's 2^10?", "It is 1,024 of course, as every one of us who ever counted in bits knows by heart.", ()),
    ("17 + 25 + 3?", "That makes 46, since 17 and 25 are 42 and there are 3 more of them to be added.", ()),
    ("what is 500 - 120?", "380.", ()),
    ("how much is 84 / 3?", "28", ()),
    ("wie viel sind 12 mal 85?", "12 × 85 = 1.020", ()),
    ("what is 17 times 23?", "17 times 23 is 391.", ()),
    ("what is 17 times 23?", "It is 381.", ()),
    ("wie viel ist 17 mal 23?", "Das ist 391.", ()),
    ("¿cuánto es 17 por 23?", "Son 391.", ()),
    ("combien font 17 fois 23 ?", "Cela fait 391.", ()),
    ("17かける23は？", "391です。", ()),
    ("split 84.60 between 3 people", "28.20 each.", ()),
    ("84,60 € auf 3 Leute verteilen", "Jeder zahlt 28,20 €.", ()),
    ("84600円を3人で分けると？", "28,200円です。", ()),
    ("12% tip on 58?", "6.96", ()),
    ("19 % von 250", "47,50 €", ()),
    ("350の8%は？", "28です。", ()),
    ("what do my invoices add up to?", "€1,545.50 in total.", (INVOICES,)),
    ("was machen meine Rechnungen zusammen?", "Zusammen 1.645,50 €.", (INVOICES,)),
    ("I ran 7.4 km, 5.2 and 11", "23.6 km in all.", ()),
    ("tax: 18,450 + 6,920 − 4,185", "| In | 25,370 |\n|---|---|\n| Costs | 4,185 |\n| Profit | 21,185 |\n\nRight?", ()),
    ("list my costs", "| a | 1,200 |\n| --- | --- |\n| b | 345.50 |\n| **Sum** | **1,545.50** |\n\nYes.", (INVOICES,)),
]


@pytest.mark.parametrize(("question", "draft", "calls"), HONEST)
def test_a_number_that_needs_no_proof_is_left_alone(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    assert [*numbers_are_traced(make_turn(draft, question, *calls))] == []


@pytest.mark.parametrize(("question", "draft", "calls"), FALSE)
def test_a_number_that_was_worked_out_in_the_head_goes_back(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    wrong = [*numbers_are_traced(make_turn(draft, question, *calls))]
    assert wrong
    assert "no call of calculator" in wrong[0]


@pytest.mark.parametrize("question", ["what is 17 * 23?", "12 * 8 + 3 = ?"])
def test_a_calculation_in_the_message_needs_the_calculator_though_the_number_stands_somewhere(question: str) -> None:
    lines = {0: "Room 391, price 99"}
    assert [*numbers_are_traced(make_turn("391 and 99.", question, lines=lines))]
    assert not [*numbers_are_traced(make_turn("391.", question, ran("calculator", {"result": 391}), lines=lines))]
    assert not [*numbers_are_traced(make_turn("391.", "which room and what price?", lines=lines))]


@pytest.mark.parametrize(
    "question", ["3/4", "2-3 pages", "14:30 - 15:00", "room 4-12", "2 * 4 screws", "9 - 12 is blocked"]
)
def test_dates_ranges_fractions_and_quantities_are_no_calculation(question: str) -> None:
    assert [*numbers_are_traced(make_turn("There are 42 pages left in it, as far as I can see.", question))] == []


FLIGHT = ("how much is the flight?", "149 euros.")


@pytest.mark.parametrize(("question", "draft"), [("und für 4 Personen?", "596 Euro."), ("plus 19 %?", "177,31 €.")])
def test_a_number_made_of_the_last_answer_needs_the_calculator(question: str, draft: str) -> None:
    assert [*numbers_are_traced(make_turn(draft, question, earlier=FLIGHT))]


def test_one_calculation_does_not_answer_for_another() -> None:
    question, call = "what's 17 times 23, and 19 times 21?", ran("calculator", {"result": 391}, expression="17*23")
    (wrong,) = numbers_are_traced(make_turn("391 and 399.", question, call))
    assert "399" in wrong
    both = (call, ran("calculator", {"result": 399}, expression="19*21"))
    assert not [*numbers_are_traced(make_turn("391 and 399.", question, *both))]


def test_the_steps_of_a_calculation_are_results_too() -> None:
    call = ran("calculator", {"result": 1147.5}, expression="(9.75 + 0.75 + 3) * 85")
    hours = found("Wireframes", "Call", "Logos", hours_spent=[9.75, 0.75, 3])
    draft = "You worked 13.5 billable hours, which is €1,147.50."
    assert find_own(make_turn(draft, "what did I bill so far?", hours, call)) == []


def test_of_more_numbers_than_can_be_looked_through_none_is_judged() -> None:
    many = found(*(f"Thing {n}" for n in range(2000)), amount=[*range(10_000, 12_000)])
    assert find_own(make_turn("€7,654.", "what do I own?", many)) == []
    assert find_own(make_turn(" ".join(f"{n}.5 kg" for n in range(100)), "a table, please")) == []
