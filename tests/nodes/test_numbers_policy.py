"""Numbers that were worked out come from the calculator, those of stored items from the results."""

import pytest

from nodes.policies.evidence import Call
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.results import put_value
from tests.nodes.policies import found, make_turn, ran

INVOICES = found("Invoice A", "Invoice B", amount=[1200, 345.5])
THREE = found("Ink", "Rent", "Gym", status="active")
SPENT = found("Props", spent=[714.6], on=[["lamp", "burlap", "candles", "tape"]])
PACE = ran("calculator", {"result": "5 min 55.7142857143 s"})
HALF = ran("calculator", {"result": 1234.5})

HONEST: list[tuple[str, str, tuple[Call, ...]]] = [
    ("how many people live in Portugal?", "About 10.4 million.", ()),
    ("when was the bridge built and how long is it?", "In 1937; it is 2,737 metres long.", ()),
    (
        "give me 3 tips for 2 weeks in Rome",
        "1. Book the museum 30 days ahead\n2. Walk 10 km a day\n3. Eat at 21:00",
        (),
    ),
    ("write an offer", "Phase 1: €1,200\nPhase 2: €2,400\nTotal: €3,600\nDeposit: 50%\nValid for 30 days", ()),
    ("how many open tasks do I have?", "Three: ink, rent and the gym.", (THREE,)),
    ("how many open tasks do I have?", "You have 3 open tasks.", (THREE,)),
    ("how many of them are bills?", "1 of the 3.", (THREE,)),
    ("how many things did I spend money on?", "On four: lamp, burlap, candles and tape.", (SPENT,)),
    ("13 guests, 5 chairs and 3 tables for the press night", "Kept for viernes 11.", ()),
    ("what was invoice A?", "Invoice A was €1,200.", (INVOICES,)),
    ("was war Rechnung B?", "Rechnung B: 345,50 €.", (INVOICES,)),
    ("what's half of 2469?", "It's 1,234.5.", (HALF,)),
    ("Was ist die Hälfte von 2469?", "Das sind 1.234,50.", (HALF,)),
    ("quelle est la moitié de 2469 ?", "Cela fait 1 234,5.", (HALF,)),
    ("la mitad de 2469", "Son unos 1.235.", (HALF,)),
    ("2469の半分は？", "1,234.5です。", (HALF,)),
    ("what's half of 2469?", "Roughly 1,230.", (HALF,)),
    ("add 2 eggs and 3 apples to the list", "I need the shop's name first.", ()),
    ("split 84.60 between 3", "Do you mean evenly, 28.20 each?", ()),
    ("what is 17 times 23?", "I can't say without the calculator.", ()),
    ("remind me at 5 to take 2 pills", "Shall I set it for 17:00?", ()),
    ("is 3.11.2 newer than 3.10.4?", "Yes, 3.11.2 is newer; 3.12 came in 2023.", ()),
    ("how do I cook rice for 4 people?", "300 g of rice and 600 ml of water, 12 minutes.", ()),
    ("¿a qué temperatura hierve el agua?", "A 100 °C al nivel del mar.", ()),
    ("wie lange fliegt man nach New York?", "Etwa 9 Stunden.", ()),
    ("plan 2 runs of 5 km", "Tue: 5 km easy\nFri: 5 km with 4 sprints\nSun: 20 min walk\nSleep 8 hours\nDrink 2 l", ()),
    ("what's the meaning of 404?", "Not found: the server has no such page. 403 is forbidden.", ()),
    ("130 over 85, is that high?", "A bit: the ideal is below 120 over 80.", ()),
    ("is 8 hours of sleep for 3 nights enough?", "Most adults need 7 to 9 hours.", ()),
    ("3 eggs and 200 g flour, what can I bake?", "Pancakes: add 400 ml milk, fry 2 minutes a side.", ()),
    ("and for 2 people?", "Use 200 g of pasta.", ()),
    ("how many open tasks do I have?", "Three. Once you have paid the rent, two.", (THREE,)),
    ("wie viele Aufgaben sind offen?", "Drei.", (THREE,)),
    ("combien de tâches ?", "Trois, dont une urgente depuis la semaine dernière.", (THREE,)),
    ("タスクは何件？", "三件です。", (THREE,)),
    ("tell me about flight LH2041", "It leaves from gate 17 at 14:30.", ()),
    ("21 km, 2:04:30. what pace is that?", "Well run! That is about 5:56 min per km.", (PACE,)),
]
FALSE: list[tuple[str, str, tuple[Call, ...]]] = [
    ("21 km, 2:04:30. what pace is that?", "Well run! That is about 5:46 min per km.", (PACE,)),
    ("what is 17 times 23?", "17 times 23 is 391.", ()),
    ("wie viel ist 17 mal 23?", "Das ist 391.", ()),
    ("¿cuánto es 17 por 23?", "Son 391.", ()),
    ("combien font 17 fois 23 ?", "Cela fait 391.", ()),
    ("17かける23は？", "391です。", ()),
    ("split 84.60 between 3 people", "28.20 each.", ()),
    ("84,60 € auf 3 Leute verteilen", "Jeder zahlt 28,20 €.", ()),
    ("reparte 84,60 € entre 3", "Son 28,20 € cada uno.", ()),
    ("84,60 € à partager entre 3", "28,20 € chacun.", ()),
    ("84600円を3人で分けると？", "28,200円です。", ()),
    ("12% tip on 58?", "6.96", ()),
    ("19 % von 250", "47,50 €", ()),
    ("el 21 % de 350", "73,50 €", ()),
    ("20 % de 350 ?", "70 €", ()),
    ("350の8%は？", "28です。", ()),
    ("square root of 1849", "43.", ()),
    ("la mitad de 90", "45", ()),
    ("how many minutes are in 7 days?", "10,080", ()),
    ("what is 7/2?", "3.5", ()),
    ("17 minus 9", "8", ()),
    ("Wurzel aus 1849?", "43", ()),
    ("what do my invoices add up to?", "€1,545.50 in total.", (INVOICES,)),
    ("was machen meine Rechnungen zusammen?", "Zusammen 1.645,50 €.", (INVOICES,)),
    ("¿cuánto suman mis facturas?", "Suman 1.545 €.", (INVOICES,)),
    ("total de mes factures ?", "1 600 € au total.", (INVOICES,)),
    ("how many open tasks do I have?", "You have 7 open tasks.", (THREE,)),
    ("how many things did I spend money on?", "On five things.", (SPENT,)),
    ("wie viele Aufgaben sind offen?", "Offen sind 9 Aufgaben.", (THREE,)),
    ("¿cuántas tareas tengo?", "Tienes 8 tareas.", (THREE,)),
    ("combien de tâches ?", "Tu as 12 tâches.", (THREE,)),
    ("タスクは何件？", "8件あります。", (THREE,)),
    ("how many open tasks do I have?", "Seven things are open.", (THREE,)),
    ("wie viele Aufgaben sind offen?", "Offen sind vierzehn.", (THREE,)),
    ("combien de tâches ?", "Une quinzaine, courage !", (THREE,)),
    ("タスクは何件？", "八件あります。", (THREE,)),
    ("un comprimé 500 toutes les 6 h pendant 4 jours, il m'en faut combien", "Il t'en faudra 16.", ()),
    ("a pass is 244 a year, worth it with two trips at 39.90?", "958 euros without it, half is 479, so 235 less.", ()),
    ("what's half of 2469?", "It's 1,243.5.", (HALF,)),
    ("Was ist die Hälfte von 2469?", "Das sind 1.324,50.", (HALF,)),
]


@pytest.mark.parametrize(("question", "draft", "calls"), HONEST)
def test_a_number_that_needs_no_proof_is_left_alone(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    assert numbers_are_traced(make_turn(draft, question, *calls)) is None


@pytest.mark.parametrize(("question", "draft", "calls"), FALSE)
def test_a_number_that_was_worked_out_in_the_head_goes_back(question: str, draft: str, calls: tuple[Call, ...]) -> None:
    violation = numbers_are_traced(make_turn(draft, question, *calls))
    assert violation
    assert "calculator" in violation.reason


def test_a_result_that_the_answer_leaves_out_is_put_there() -> None:
    assert put_value(make_turn("Here you are.", "half of 2469?", HALF)) == "Here you are.\n\n(= 1,234.5)"
    for draft in ("It is 1,234.5.", "Das sind 1.234,50.", "About 1,235."):
        assert put_value(make_turn(draft, "half of 2469?", HALF)) == draft


FLIGHT = ("how much is the flight?", "149 euros.")
RELATED = [
    ("double it, how much?", "That's 298."),
    ("das Doppelte?", "298 Euro."),
    ("¿y el doble?", "298 euros."),
    ("et le double ?", "298 euros."),
    ("2倍だと？", "298ユーロです。"),
    ("und für 4 Personen?", "596 Euro."),
    ("plus 19 %?", "177,31 €."),
]


@pytest.mark.parametrize(("question", "draft"), RELATED)
def test_a_number_made_of_the_last_answer_needs_the_calculator(question: str, draft: str) -> None:
    assert numbers_are_traced(make_turn(draft, question, earlier=FLIGHT))


def test_a_number_made_of_what_was_asked_before_needs_the_calculator() -> None:
    earlier = ("42 tiles at 3.85 each, what am I paying?", "$161.70 for the lot.")
    assert numbers_are_traced(make_turn("Eight more would add $30.80.", "and if i need 8 more?", earlier=earlier))


def test_a_sum_in_a_table_needs_the_calculator() -> None:
    table = "| a | 120 |\n| --- | --- |\n| b | 80 |\n| c | 45 |\n| **Total** | **254** |\n\nAnything else?"
    assert numbers_are_traced(make_turn(table, "list my costs", found("a", "b", "c", amount=[120, 80, 45])))


@pytest.mark.parametrize("question", ["how far is 26.2 miles in km?", "26,2 miles en km ?", "26.2マイルは何キロ？"])
def test_another_unit_needs_the_calculator(question: str) -> None:
    assert numbers_are_traced(make_turn("42.2 km.", question))


QUOTA = (ran("calculator", {"result": 1161.11}), ran("calculator", {"result": 1306.25}, step=2))


@pytest.mark.parametrize(
    "draft", ["about 1,162 words a day", "at least 1,307 words", "etwa 1.162", "environ 1 162 mots"]
)
def test_who_says_about_may_round_to_the_whole_number_above_or_below(draft: str) -> None:
    assert numbers_are_traced(make_turn(draft, "how many words a day?", *QUOTA)) is None


@pytest.mark.parametrize("draft", ["over 1,306 words a day", "gut 1.306 Wörter", "plus de 1 306 mots"])
def test_who_says_more_than_may_round_to_the_whole_number_below(draft: str) -> None:
    assert numbers_are_traced(make_turn(draft, "how many words a day?", ran("calculator", {"result": 1306.75}))) is None


@pytest.mark.parametrize(
    ("draft", "nearest"),
    [
        ("1,162 words a day", "1161.11"),
        ("about 1,309 words", "1306.25"),
        ("over 1,307 words", "1306.25"),
        ("gut 1.162", "1161.11"),
    ],
)
def test_another_number_goes_back_with_the_nearest_result(draft: str, nearest: str) -> None:
    violation = numbers_are_traced(make_turn(draft, "how many words a day?", *QUOTA))
    assert violation
    assert f"The calculator returned {nearest}" in violation.reason
