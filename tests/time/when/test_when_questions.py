"""Which texts plainly ask for what is due, on Wednesday, January 7, 2026."""

from datetime import date

import pytest

from ana.time.when import read_due_question

TODAY = date(2026, 1, 7)

QUESTIONS = """
what's due Tuesday                          2026-01-13 2026-01-13
What’s due Tuesday?                         2026-01-13 2026-01-13
what is due on tuesday                      2026-01-13 2026-01-13
whats due tues                              2026-01-13 2026-01-13
due Tuesday                                 2026-01-13 2026-01-13
due on 2026-01-13                           2026-01-13 2026-01-13
What's due on Tuesday, January 13?          2026-01-13 2026-01-13
anything due this week?                     2026-01-05 2026-01-11
Is there anything due today?                2026-01-07 2026-01-07
what do I have on Friday                    2026-01-09 2026-01-09
What do I have to do today?                 2026-01-07 2026-01-07
what have I got planned for the weekend     2026-01-10 2026-01-11
do I have anything tomorrow                 2026-01-08 2026-01-08
what's on tomorrow                          2026-01-08 2026-01-08
what's coming up next week?                 2026-01-12 2026-01-18
what should I do today?                     2026-01-07 2026-01-07
what is happening on Saturday               2026-01-10 2026-01-10
deadlines next week                         2026-01-12 2026-01-18
agenda for Monday                           2026-01-12 2026-01-12
today's agenda                              2026-01-07 2026-01-07
show me my schedule for tomorrow please     2026-01-08 2026-01-08
my calendar this month                      2026-01-01 2026-01-31
tasks for Friday                            2026-01-09 2026-01-09
to-dos for today                            2026-01-07 2026-01-07
list all tasks due within 3 days            2026-01-07 2026-01-10
how many tasks are due this week            2026-01-05 2026-01-11
how does Friday look                        2026-01-09 2026-01-09
what was due yesterday                      2026-01-06 2026-01-06
what's due by Friday                        2026-01-07 2026-01-09
what's due by the end of the month          2026-01-07 2026-01-31
everything due before next week             2026-01-07 2026-01-11
overdue                                     0001-01-01 2026-01-06
what's overdue?                             0001-01-01 2026-01-06
any overdue tasks                           0001-01-01 2026-01-06
past due items                              0001-01-01 2026-01-06
"""

OTHERS = """
notes about the Friday demo
Friday
tomorrow
on Friday
what's due
agenda
what is today
what's today's date
when is the report due
what's due at work on Friday
report due Friday
what did I do yesterday
what happened on Friday
what about Friday
what's not due Friday
open tasks for Friday
done tasks this week
what's due after Friday
what's due every Friday
what's due by yesterday
overdue this week
overdue library books
what's due today and tomorrow
remind me to call Anna tomorrow
what's due tomorrow morning
what's due Feb 30
who has the deadline Friday
"""


@pytest.mark.parametrize("row", [line for line in QUESTIONS.splitlines() if line])
def test_plain_questions_give_their_days(row: str) -> None:
    text, first, last = row.rsplit(maxsplit=2)
    assert read_due_question(text, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("text", [line for line in OTHERS.splitlines() if line])
def test_anything_with_content_of_its_own_gives_none(text: str) -> None:
    assert read_due_question(text, TODAY) is None
