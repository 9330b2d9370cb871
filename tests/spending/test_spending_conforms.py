"""What counts a person's spending passes the suite, and the suite notices one that reserves nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from ana.settings import Settings, load_settings
from ana.spending.total import Spending
from ana.time.clock import Clock
from ana.workspace import open_workspace
from ana.workspace.postgres import PostgresStorage
from tests.conftest import BERLIN, folders
from tests.postgres.server import open_people
from tests.spending.conformance import (
    SPENDING,
    Calendar,
    OpenSpending,
    a_spent_budget_allows_no_call,
    calls_at_once_spend_the_budget_once,
)


def settings_of(folder: Path) -> Settings:
    return load_settings(folders(folder, ANA_DAILY_BUDGET_USD="1", ANA_TURN_SECONDS="0.1"))


def opener(folder: Path, calendar: Calendar) -> OpenSpending:
    settings = settings_of(folder)

    def open_spending(person: str) -> Spending:
        return open_workspace(settings, person).open_spending(Clock(BERLIN, calendar.now))

    return open_spending


@pytest.mark.parametrize("check", SPENDING)
def test_the_spending_of_a_folder_conforms(check: Callable[[OpenSpending, Calendar], None], tmp_path: Path) -> None:
    calendar = Calendar()
    check(opener(tmp_path, calendar), calendar)


def opener_in_postgres(folder: Path, calendar: Calendar) -> OpenSpending:
    settings, people = settings_of(folder), open_people()

    def open_spending(person: str) -> Spending:
        rows = people(person)
        storage, clock = PostgresStorage(rows), Clock(BERLIN, calendar.now)
        note, traces = storage.note("spending.json"), storage.open_traces(settings)
        return Spending(note, storage, settings, clock, traces, is_local=False)

    return open_spending


@pytest.mark.parametrize("check", SPENDING)
def test_spending_in_postgres_conforms(check: Callable[[OpenSpending, Calendar], None], tmp_path: Path) -> None:
    calendar = Calendar()
    check(opener_in_postgres(tmp_path, calendar), calendar)


@pytest.mark.parametrize("make_opener", [opener, opener_in_postgres])
def test_what_was_reserved_ends_by_itself(
    make_opener: Callable[[Path, Calendar], OpenSpending], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.spending.total.LATE", -1.0)
    open_spending = make_opener(tmp_path, Calendar())
    open_spending("owner").reserve(0.1).__enter__()
    with open_spending("owner").reserve(0.1):
        pass


@pytest.mark.parametrize("check", [a_spent_budget_allows_no_call, calls_at_once_spend_the_budget_once])
def test_the_suite_notices_one_that_reserves_nothing(
    check: Callable[[OpenSpending, Calendar], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reserve(_: Spending, __: float | None) -> AbstractContextManager[None]:
        return nullcontext()

    monkeypatch.setattr(Spending, "reserve", reserve)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check(opener(tmp_path, Calendar()), Calendar())
