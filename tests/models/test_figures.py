"""Sums, the time and dates: which tool a question goes to, and what is told."""

from typing import Any

import pytest

from ana.models.offline.questions import find_expression
from tests.models.conftest import Ask
from tests.models.test_offline import call_of, say
from tools.calculator import calculate

SUMS = """
12.5*4+7.75                                                                    | 57.75
285.60 / 1.19                                                                  | 240
What's 9! / (3!*3!*3!)? Just the integer.                                      | 1680
What's (3+4)*2?                                                                | 14
If I spend $12.50 daily for 9 days, what's the total?                          | 112.5
I pay 25 a week for 4 weeks. How much is that?                                 | 100
what is 15 percent of 240                                                      | 36
whats 15% of 86                                                                | 12.9
how much is 3 times 17.90                                                      | 53.7
split 96.40 between 4 people                                                   | 24.1
how much is an 18% tip on 50 euros                                             | 9
how much is 60 plus 15% tip                                                    | 69
20% off 80                                                                     | 64
half of 390?                                                                   | 195
subtract 38 from 105                                                           | 67
seven hundred minus forty-five                                                 | 655
We were 6 people and dinner came to 174 euros, how much does each of us pay?   | 29
I need 3 coffees at 4.20 each, how much is that?                               | 12.6
what is 3 squared plus 4 squared                                               | 25
2^10 = ?                                                                       | 1024
how much is 1,250.50 + 99.50?                                                  | 1350
-5 + 3                                                                         | -2
square root of 196                                                             | 14
work out 7 x 8                                                                 | 56
200 + 19%                                                                      | 238
45 euros minus 20%                                                             | 36
what's 20 quid an hour for 7.5 hours                                           | 150
100 - 20%                                                                      | 80
Combien font 12 fois 12 ?                                                      | 144
"""

NO_SUMS = """
buy 2 breads
owe sam 14.50 for the ubr
blood pressure 142/88 this morning
2 isolation valves 1/2"
quote for the bakery 2.450 + vat incl new pump
how many people live in Peru
what do I have on 1/13
at half past three
wed 11-12 dentist
0x1F
3 dozen eggs at 0.25 each
how much do I save with 15% off 60
200 - 10% - 5%
how much is 90 with 10% tip split between 3 people
If I get 5 a night for 2 months, what's the total?
"""


@pytest.mark.parametrize("row", SUMS.strip().splitlines())
def test_a_sum(row: str) -> None:
    question, _, result = row.partition("|")
    expression = find_expression(question.strip())
    assert expression is not None
    assert calculate(expression) == pytest.approx(float(result))


@pytest.mark.parametrize("text", NO_SUMS.strip().splitlines())
def test_what_is_no_sum_or_would_leave_an_amount_out(text: str) -> None:
    assert find_expression(text) is None


def test_a_sum_that_it_cannot_read_is_not_kept() -> None:
    for text in ("split 84 by 3 and add 10", "multiply the 3 by 4"):
        assert say(text).tool_calls == []
        assert "in figures" in say(text).text


CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("what time is it", "now", {"timezone": "local"}),
    ("What time is it right now? Use UTC.", "now", {"timezone": "utc"}),
    ("the current utc time", "now", {"timezone": "utc"}),
    ("could you tell me what time it is in New York", "now", {"timezone": "new york"}),
    ("what's today's date?", "now", {"timezone": "local"}),
    ("welches datum haben wir heute", "now", {"timezone": "local"}),
    ("qué hora es", "now", {"timezone": "local"}),
    ("what weekday is 12 march", "resolve_date", {"phrase": "12 march"}),
    ("what date is next friday?", "resolve_date", {"phrase": "next friday"}),
    ("how many days till 14 feb", "resolve_date", {"phrase": "14 feb"}),
    ("days until 1 march", "resolve_date", {"phrase": "1 march"}),
]


@pytest.mark.parametrize(("text", "tool", "args"), CALLS)
def test_the_time_and_dates_go_to_their_tools(text: str, tool: str, args: dict[str, Any]) -> None:
    assert call_of(say(text)) == (tool, args)


TOLD = """
What's 15% of 240?               | 15% of 240 = 36
What time is it? Use UTC.        | (UTC).
what time is it in Tokyo?        | (Asia/Tokyo).
what time is it in Atlantis?     | There is no time zone 'atlantis'.
"""


@pytest.mark.parametrize("row", TOLD.strip().splitlines())
def test_what_the_tools_answer_is_told(ask: Ask, row: str) -> None:
    text, _, told = (part.strip() for part in row.partition("|"))
    assert ask(text).answer.endswith(told)


def test_days_are_counted_from_today() -> None:
    found = {"date": "2026-02-14", "weekday": "Saturday", "phrase": "14 feb"}
    assert say("how many days till 14 feb", found).text == "38 days until Saturday 14 February 2026."
    assert say("what weekday is 14 feb", found).text == "Saturday 14 February 2026."
