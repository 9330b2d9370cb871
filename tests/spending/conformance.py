"""The spec of what counts a person's spending, written once, as checks that run on every implementation.

A check takes a function that opens a person's spending, as one more process would, with a budget of a dollar a day and
a tenth of a second for a turn, at a moment that the check moves.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ana.errors import BudgetReached
from ana.spending.total import Spending, read_bills

LATE = datetime(2026, 1, 7, 22, 30, tzinfo=UTC)
"""23:30 in Berlin."""

USAGE = {"input_tokens": 1000, "output_tokens": 10, "estimated": False}


class Calendar:
    """A moment that can be moved."""

    def __init__(self) -> None:
        self.time = LATE

    def now(self) -> datetime:
        return self.time


OpenSpending = Callable[[str], Spending]


def bill(usd: float | None, **more: Any) -> dict[str, Any]:
    return {"model": "gpt-4o-mini", "provider": "openai", "usage": USAGE, "cost_usd": usd} | more


def costs_are_added_up_by_every_process(open_spending: OpenSpending, _: Calendar) -> None:
    assert open_spending("owner").today() == 0
    open_spending("owner").add(0.25)
    open_spending("owner").add(0.5)
    assert open_spending("owner").today() == pytest.approx(0.75)
    assert open_spending("eve").today() == 0


def what_is_no_cost_is_not_added(open_spending: OpenSpending, _: Calendar) -> None:
    spending = open_spending("owner")
    for usd in (0.0, -1.0, math.nan, math.inf):
        spending.add(usd)
    assert spending.today() == 0


def a_day_begins_at_the_persons_midnight(open_spending: OpenSpending, calendar: Calendar) -> None:
    spending = open_spending("owner")
    spending.add(0.25)
    calendar.time = LATE + timedelta(minutes=20)
    assert spending.today() == pytest.approx(0.25)
    calendar.time = LATE + timedelta(hours=1)
    assert spending.today() == 0


def costs_at_once_are_all_added(open_spending: OpenSpending, _: Calendar) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: open_spending("owner").add(0.01), range(40)))
    assert open_spending("owner").today() == pytest.approx(0.4)


def a_spent_budget_allows_no_call(open_spending: OpenSpending, calendar: Calendar) -> None:
    spending = open_spending("owner")
    spending.add(1.0)
    for usd in (0.01, None):
        with pytest.raises(BudgetReached, match=r"the budget of \$1 for one day"):
            spending.reserve(usd).__enter__()
    with open_spending("eve").reserve(0.01):
        pass
    calendar.time = LATE + timedelta(hours=1)
    with spending.reserve(0.01):
        pass


def calls_at_once_spend_the_budget_once(open_spending: OpenSpending, _: Calendar) -> None:
    with open_spending("owner").reserve(0.1):  # the first of a day takes all that is left
        with pytest.raises(BudgetReached, match="what other calls leave"):
            open_spending("owner").reserve(0.1).__enter__()
        open_spending("owner").add(0.3)
    with ExitStack() as stack:
        for _n in range(2):
            stack.enter_context(open_spending("owner").reserve(0.1))
        with pytest.raises(BudgetReached, match="what other calls leave"):
            open_spending("owner").reserve(0.1).__enter__()
    with open_spending("owner").reserve(0.1):
        pass


def a_call_whose_price_is_not_known_reserves_nothing(open_spending: OpenSpending, _: Calendar) -> None:
    with open_spending("owner").reserve(None), open_spending("owner").reserve(0.1):
        pass


def what_leaves_no_trace_is_accounted_for(open_spending: OpenSpending, _: Calendar) -> None:
    spending = open_spending("owner")
    for record in (bill(0.25), bill(0), bill(None, model="another")):
        spending.keep(record)
    ((_name, text),) = open_spending("owner").iter_accounts()
    found = [(each["model"], each["cost_usd"]) for each in read_bills(text)]
    assert found == [("gpt-4o-mini", 0.25), ("another", None)]
    assert len(text.splitlines()) == 2
    assert [*spending.iter_accounts(since=4e9)] == [*open_spending("eve").iter_accounts()] == []


SPENDING = (
    costs_are_added_up_by_every_process,
    what_is_no_cost_is_not_added,
    a_day_begins_at_the_persons_midnight,
    costs_at_once_are_all_added,
    a_spent_budget_allows_no_call,
    calls_at_once_spend_the_budget_once,
    a_call_whose_price_is_not_known_reserves_nothing,
    what_leaves_no_trace_is_accounted_for,
)
