"""What counts a person's spending passes the suite, and the suite notices one that reserves nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from ana.settings import load_settings
from ana.spending.folder import FolderSpending
from ana.spending.port import Spending
from ana.time.clock import Clock
from ana.workspace import open_workspace
from tests.conftest import BERLIN, folders
from tests.spending.conformance import (
    SPENDING,
    Calendar,
    OpenSpending,
    a_spent_budget_allows_no_call,
    calls_at_once_spend_the_budget_once,
)


def opener(folder: Path, calendar: Calendar) -> OpenSpending:
    settings = load_settings(folders(folder, ANA_DAILY_BUDGET_USD="1", ANA_TURN_SECONDS="0.1"))

    def open_spending(person: str) -> Spending:
        return open_workspace(settings, person).open_spending(Clock(BERLIN, calendar.now))

    return open_spending


@pytest.mark.parametrize("check", SPENDING)
def test_the_spending_of_a_folder_conforms(check: Callable[[OpenSpending, Calendar], None], tmp_path: Path) -> None:
    calendar = Calendar()
    check(opener(tmp_path, calendar), calendar)


@pytest.mark.parametrize("check", [a_spent_budget_allows_no_call, calls_at_once_spend_the_budget_once])
def test_the_suite_notices_one_that_reserves_nothing(
    check: Callable[[OpenSpending, Calendar], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reserve(_: FolderSpending, __: float | None) -> AbstractContextManager[None]:
        return nullcontext()

    monkeypatch.setattr(FolderSpending, "reserve", reserve)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check(opener(tmp_path, Calendar()), Calendar())
