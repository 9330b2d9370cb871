"""The expression behind a question, and what it comes to."""

import pytest

from ana.models.offline.sums import find_expression
from tools.calculator import calculate

SUMS = """
What's 9! / (3!*3!*3!)? Just the integer.                                      | 1680
Compute 7//2                                                                   | 3
If I spend $12.50 daily for 9 days, what's the total?                          | 112.5
If I spend $5 daily for 2 weeks, what's the total?                             | 70
15% of 240                                                                     | 36
what is 15 percent of 240                                                      | 36
split 96.40 between 4 people                                                   | 24.1
how much is an 18% tip on 50 euros                                             | 9
how much is 60 plus 15% tip                                                    | 69
20% off 80                                                                     | 64
If a jacket costs 80 euros and there's 30% off, what do I pay?                 | 56
add 20% to 150                                                                 | 180
half of 390?                                                                   | 195
a quarter of three hundred                                                     | 75
subtract 38 from 105                                                           | 67
seven hundred minus forty-five                                                 | 655
three times four                                                               | 12
We were 6 people and dinner came to 174 euros, how much does each of us pay?   | 29
A ticket is 2.90 and I need 12, what do I pay?                                 | 34.8
I need 3 coffees at 4.20 each, how much is that?                               | 12.6
I earn 22 an hour, how much is that for 35 hours?                              | 770
Our rent is 940 a month, what does that come to in a year?                     | 11280
the sum of 14, 29 and 57?                                                      | 100
what is the average of 4, 6 and 11                                             | 7
what's 5 factorial                                                             | 120
what is 3 squared plus 4 squared                                               | 25
2^10 = ?                                                                       | 1024
What is 1,200 / 12?                                                            | 100
work out 7 x 8                                                                 | 56
-5 + 3                                                                         | -2
square root of 196                                                             | 14
What's the cube root of 27?                                                    | 3
I had 50 euros and spent 12.80, how much is left?                              | 37.2
my pension is 1840 a month and the rent takes 760, how much remains            | 1080
if 5 notebooks cost 13.50, what's the price of one?                            | 2.7
three kids, 8.50 pocket money each, how much do I need                         | 25.5
add 8% tax to 45                                                               | 48.6
increase 200 by 15%                                                            | 230
reduce 80 by 25%                                                               | 60
how much do I save with 15% off 60                                             | 9
what percentage is 30 of 120?                                                  | 25
what percent of 120 is 30                                                      | 25
30 is what percent of 120                                                      | 25
average of 4, 8 and 15                                                         | 9
what's 1/3 of 90                                                               | 30
two thirds of 90                                                               | 60
how many minutes are in 3 hours                                                | 180
how many hours is 150 minutes                                                  | 2.5
3 dozen eggs at 0.25 each                                                      | 9
120 euros split between 5 friends                                              | 24
four of us share a bill of 92.40                                               | 23.1
how much is 37.5 hours at 16 euros an hour                                     | 600
six boards at 2.4 metres each, how many metres altogether?                     | 14.4
"""

NO_SUMS = """
buy 2 breads
who won the world cup in 2014
how many people live in Peru
what do I have on 1/13
What's scheduled for 1/15?
anything for 13-14 January?
I was 6 minutes late
remind me to pay 3 * 20 euros
what's the square root of love
how many months are in 3 weeks
wedding of my niece at 2 pm - June 20 - 2 pm
at half past three
If I get 5 a night for 2 months, what's the total?
"""


@pytest.mark.parametrize("row", SUMS.strip().splitlines())
def test_a_sum(row: str) -> None:
    question, _, result = row.partition("|")
    expression = find_expression(question.strip())
    assert expression is not None
    assert calculate(expression) == pytest.approx(float(result))


@pytest.mark.parametrize("text", NO_SUMS.strip().splitlines())
def test_what_is_no_sum(text: str) -> None:
    assert find_expression(text) is None
