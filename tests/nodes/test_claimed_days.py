"""A day that an answer says something was set to is one that was written or read."""

import pytest

from nodes.policies.claimed_days import claimed_days_are_written
from nodes.policies.evidence import Call
from tests.nodes.policies import found, make_turn, ran, wrote

RENT = wrote("Pay the rent", properties={"status": "done"})
MOVED = wrote("Dentist", properties={"due_date": "2026-12-10"})


@pytest.mark.parametrize(
    "draft",
    [
        "Marked as done. I've set the next one for 1 January.",
        "I've moved the dentist to 11 December.",
        "Moved to 2026-12-11.",
        "Moved to 2027-12-10.",
        "I've added it for Nov 27.",
    ],
)
def test_a_day_that_nobody_wrote_is_sent_back(draft: str) -> None:
    violation = claimed_days_are_written(make_turn(draft, "move it to 11 December, or to 27 November", MOVED))
    assert violation
    assert violation.policy == "claimed_day"


@pytest.mark.parametrize(
    ("draft", "calls"),
    [
        ("I've moved the dentist to Thursday 10 December.", (MOVED,)),
        ("I've moved it from 3 December to 10 December.", (found("Dentist", due_date="2026-12-03"), MOVED)),
        ("I've noted that you are away until 3 January.", (wrote("Away until 3 January", "append_context"),)),
        ("Marked as done. The next one would be due on 1 January: shall I set it?", (RENT,)),
        ("Marked as done. I haven't moved it to 1 January.", (RENT,)),
        ("Marked as done. The letter says “I've moved it to 1 January”.", (RENT,)),
        ("I've marked the rent as done today, 22 November.", (RENT,)),
        ("Easter is on 28 March 2027.", (RENT,)),
        ("I've added a reminder for 10 December, a week before Dad's birthday on 17 December.", (MOVED,)),
        ("I've noted Mum's birthday, 3 August.", (wrote("Mum was born", properties={"birthday": "1950-08-03"}),)),
        ("I've noted that you rate it 4/5, that it is open 24/7, and size 10.5.", (RENT,)),
        ("I've moved it to 1 January.", (ran("query_items", {"items": []}),)),  # nothing written: another policy's
    ],
)
def test_a_day_that_was_written_or_is_not_claimed_is_left_alone(draft: str, calls: tuple[Call, ...]) -> None:
    assert claimed_days_are_written(make_turn(draft, "the rent is paid", *calls)) is None
