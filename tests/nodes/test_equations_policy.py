"""An equation that a draft writes is true."""

import pytest

from nodes.policies.equations import equations_are_true, find_equations
from tests.nodes.policies import make_turn

TRUE = [
    "12.75 h × €85 = €1,083.75", "12 × 85 = 1.020", "17 + 25 + 3 = 45", "5 − 3 = 2", "387,80 ÷ 14 = 27,70",
    "1.250 + 1.000 = 2.250", "40 min + 20 min = 60 min", "100 / 3 = 33.33", "100/3 = 33.3", "3 x 5 mg = 15 mg",
    "3,400 + 646 = 4,046", "2 + 3 * 4 = 14", "3/8 = 37.5%", "1 234 + 6 = 1 240",
]  # fmt: skip
FALSE = [
    "12.75 h × €85 = €1,183.75", "12 × 85 = 1.030", "17+25+3=46", "5 − 3 = 1", "6 h × 55 € = 340 €",
    "8 × 30 = 250 €", "**12 * 8 = 97**", "2 kg × 3 = 7 kg", "Total: €40 + €20 = €70.",
    "- rent: 800 + 150 = 1,050",
]  # fmt: skip
UNDECIDED = [
    "3 × 20 min = 1 h", "200 + 19 % = 238", "2 * (3 + 4) = 14", "x + 2 + 3 = 9", "2 + 3 = 4 + 1",
    "10:30 + 2 = 12:30", "1/2 + 1/4 = 3/4", "1 cup + 2 tbsp = 270 ml", "if a == 3 - 1:", "5 = 2 + 3",
    "1 + 1 =\n 3", "1 € = 1.08 $", "100 / 7 ≈ 14", "2 h + 30 min = 2.5 h", "He wrote \"2 + 2 = 5\".",
    "```\ny = 2 + 2 = 5\n```", "Is 2 + 2 = 5?", "E = mc²", "2 ! + 3 = 9", "√9 + 1 = 4",
]  # fmt: skip


@pytest.mark.parametrize("draft", [*TRUE, *UNDECIDED])
def test_an_equation_that_is_true_or_more_than_plain_arithmetic_is_left_alone(draft: str) -> None:
    assert [*equations_are_true(make_turn(draft))] == []


@pytest.mark.parametrize("draft", FALSE)
def test_a_wrong_equation_goes_back(draft: str) -> None:
    (wrong,) = equations_are_true(make_turn(draft))
    assert "which is wrong" in wrong


@pytest.mark.parametrize("draft", TRUE)
def test_a_true_equation_shows_where_its_result_is_from(draft: str) -> None:
    assert [each.is_true for each in find_equations(make_turn(draft))] == [True]
