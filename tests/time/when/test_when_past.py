"""In questions: two days with "to" between them are a stretch, and the past is looked for behind."""

from datetime import date

import pytest

from ana.time.when import find_named_days, read_due_question, resolve

TODAY = date(2026, 1, 7)

ONE = """
between January 20 and January 22       2026-01-20 2026-01-22
from Feb 3 to Feb 5                     2026-02-03 2026-02-05
Jan 20 - Jan 22                         2026-01-20 2026-01-22
January 20 to 22                        2026-01-20 2026-01-22
January 20 until 22nd                   2026-01-20 2026-01-22
from Monday to Wednesday                2026-01-12 2026-01-14
Monday through Wednesday                2026-01-12 2026-01-14
between Monday and Thursday             2026-01-12 2026-01-15
between tomorrow and Friday             2026-01-08 2026-01-09
first week of March                     2026-03-01 2026-03-07
the second week of February             2026-02-08 2026-02-14
the last week of January                2026-01-25 2026-01-31
the last week of December               2025-12-25 2025-12-31
first week of January 2027              2027-01-01 2027-01-07
the week of January 12                  2026-01-12 2026-01-18
the week after next                     2026-01-19 2026-01-25
weekend after next                      2026-01-24 2026-01-25
the rest of the week                    2026-01-07 2026-01-11
rest of this month                      2026-01-07 2026-01-31
the coming weekend                      2026-01-10 2026-01-11
what did I do on December 29            2025-12-29 2025-12-29
what was due on Monday                  2026-01-05 2026-01-05
what had I planned for the 3rd          2026-01-03 2026-01-03
what was on the 20th                    2025-12-20 2025-12-20
what did I do on 12/24                  2025-12-24 2025-12-24
what happened in December               2025-12-01 2025-12-31
what was due between December 20 and December 23 2025-12-20 2025-12-23
what was due yesterday                  2026-01-06 2026-01-06
what was planned for next Friday        2026-01-16 2026-01-16
what did I plan for tomorrow            2026-01-08 2026-01-08
was there anything today                2026-01-07 2026-01-07
what was due on January 20, 2026        2026-01-20 2026-01-20
what were the tasks for this week       2026-01-05 2026-01-11
"""


@pytest.mark.parametrize("row", ONE.strip().splitlines())
def test_a_question_names_one_stretch_of_days(row: str) -> None:
    text, first, last = row.rsplit(maxsplit=2)
    (found,) = find_named_days(text.strip(), TODAY)
    assert (str(found.first), str(found.last)) == (first, last)
    assert text.strip()[found.start : found.end] == found.text


@pytest.mark.parametrize("text", ["Monday and Tuesday", "on Friday or the 20th", "Monday, later Thursday"])
def test_other_days_stay_two(text: str) -> None:
    assert len(find_named_days(text, TODAY)) == 2


def test_three_days_in_a_row_join_two_by_two() -> None:
    found = find_named_days("from Monday to Wednesday and on January 20", TODAY)
    assert [(str(m.first), str(m.last)) for m in found] == [("2026-01-12", "2026-01-14"), ("2026-01-20", "2026-01-20")]


def test_a_wish_that_moves_something_names_two_days() -> None:
    assert len(resolve("move it from Monday to Wednesday", TODAY)) == 2


def test_a_stretch_is_what_is_due_then() -> None:
    assert read_due_question("what is due from January 20 to 22", TODAY) == (date(2026, 1, 20), date(2026, 1, 22))
    assert read_due_question("what was due on Monday", TODAY) == (date(2026, 1, 5), date(2026, 1, 5))


MONTHS = """
December things that are still open         2025-12-01 2025-12-31
invoices of December                        2025-12-01 2025-12-31
what is due from March to April for Tom     2026-03-01 2026-04-30
trips between Mar and may                   2026-03-01 2026-05-31
anything until March about tax              0001-01-01 2026-03-31
notes before may                            0001-01-01 2026-04-30
tax papers since November                   2025-11-01 9999-12-31
"""


@pytest.mark.parametrize("row", MONTHS.strip().splitlines())
def test_a_search_may_name_a_month_by_nothing_but_its_name(row: str) -> None:
    text, first, last = row.rsplit(maxsplit=2)
    (mention,) = find_named_days(text, TODAY, months=True)
    assert (mention.first, mention.last) == (date.fromisoformat(first), date.fromisoformat(last))
    assert [found.text for found in resolve(text, TODAY)] == [], "in a wish it may be a person, or no date at all"


@pytest.mark.parametrize(
    "text",
    [
        "April is coming to dinner",
        "the march demo",
        "what may go wrong",
        "mail from June",
        "after sun lotion",
        "before 1/2 cup",
    ],
)
def test_a_month_that_may_be_another_word_needs_more(text: str) -> None:
    assert find_named_days(text, TODAY, months=True) == []
