"""The running total of a person's day, whatever it is noted in.

The sum is noted, so that no turn reads other turns' traces. It is derived: without a note, or on another day, it is
added up again from the traces, and from the ledger of turns that leave none.

Where there is a budget, a part of it is reserved for each call before it is made, so that calls at the same time do not
spend the same money.
"""

import json
import logging
import math
import time as timing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from typing import Annotated, Any, Protocol

from pydantic import Field

from ana.deadline import seconds_left
from ana.errors import BudgetReached
from ana.settings import Settings
from ana.spending.port import LEDGER_KEYS, Account, Spending, recorded_cost
from ana.stopping import check_stopped
from ana.time.clock import Clock
from ana.tracing.port import Traces
from ana.tracing.schema import find_fault
from ana.values import read_json_lines

LEDGER = "spending.ledger"
"""The name of the account of turns that leave no trace."""
_PAID = ("ts", "model", "usage", "cost_usd")
"""What a record must have to be added up."""
_POLL_SECONDS = 0.02
_NOTHING = 1e-9
"""USD; sums of fractions are not exact."""

_log = logging.getLogger(__name__)

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Release = Callable[[], None]


@dataclass(frozen=True)
class SpendingNote:
    """What was spent on a day."""

    day: str
    usd: Usd
    most: Usd | None = None
    """What its costliest call cost; None where none is known."""


class OpenBooks(Protocol):
    """What is noted, while nobody else changes it."""

    def read(self) -> SpendingNote | None:
        """Return the note that was written last; None if there is none, or it is damaged."""

    def write(self, note: SpendingNote) -> None:
        """Keep a note in the place of the last one."""

    def list_held(self) -> list[float]:
        """Return what is reserved, in USD, by those who are not gone."""

    def hold(self, usd: float) -> Release:
        """Reserve an amount, and return what lets it go."""


class Books(Protocol):
    """Where a person's spending is noted."""

    errors: tuple[type[Exception], ...]
    """What is raised where nothing can be noted."""

    def read(self) -> SpendingNote | None:
        """Return the note that was written last; None if there is none, or it is damaged."""

    def open(self) -> AbstractContextManager[OpenBooks]:
        """Keep others out while the books are changed."""

    def append(self, lines: list[str]) -> None:
        """Keep lines of the ledger."""

    def read_ledger(self, since: float) -> str:
        """Return the lines of the ledger if it was written to since a moment, in seconds."""


class DayTotal(Spending):
    """The running total of a person, made of the traces, for the day of the person's clock."""

    def __init__(self, books: Books, settings: Settings, clock: Clock, traces: Traces) -> None:
        self._books = books
        self._settings = settings
        self._clock = clock
        self._traces = traces

    def today(self) -> float:
        return self._find_note().usd

    def add(self, usd: float) -> None:
        if not (math.isfinite(usd) and usd > 0):
            return
        try:
            with self._open() as (books, note):
                most = max(note.most or 0.0, usd)
                books.write(SpendingNote(day=note.day, usd=round(note.usd + usd, 9), most=most))
        except self._books.errors as exc:
            _log.warning("what a model call cost could not be noted: %s", exc)

    @contextmanager
    def reserve(self, usd: float | None) -> Iterator[None]:
        release = self._wait_for_room(usd)
        try:
            yield
        finally:
            if release:
                release()

    def _wait_for_room(self, usd: float | None) -> Release | None:
        """Return what lets a reservation go; None where there is no budget or no price, or nothing can be written."""
        budget, left = self._settings.ana_daily_budget_usd, seconds_left()
        until = timing.monotonic() + (self._settings.ana_turn_seconds if left is None else left)
        if budget is None:
            return None
        limit = f"the budget of ${budget:g} for one day"
        while True:
            if self.today() >= budget:
                raise BudgetReached(limit)
            if usd is None:
                return None
            try:
                if release := self._try_to_reserve(usd, budget):
                    return release
            except self._books.errors as exc:
                _log.warning("what a model call may cost could not be reserved: %s", exc)
                return None
            if timing.monotonic() > until:
                raise BudgetReached(f"what other calls leave of {limit}")
            check_stopped()
            timing.sleep(_POLL_SECONDS)

    def _try_to_reserve(self, usd: float, budget: float) -> Release | None:
        """Return a reservation; None while other calls hold what is left, or when nothing is left by now."""
        with self._open() as (books, note):
            left, held = budget - note.usd, books.list_held()
            expected = left if note.most is None else max(usd, note.most)
            if left <= 0 or (held and sum(held) + expected > left + _NOTHING):
                return None
            return books.hold(expected)

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        now = self._clock.now().isoformat()
        bills = ({"ts": now} | {key: each[key] for key in LEDGER_KEYS} for each in records if each["cost_usd"] != 0)
        try:
            self._books.append([json.dumps(bill) for bill in bills])
        except self._books.errors as exc:
            _log.warning("what a turn cost could not be kept: %s", exc)

    def iter_accounts(self, since: float = 0.0) -> Iterator[Account]:
        for id in self._traces.ids(since):
            yield _read_account(id, self._traces.read_text(id))
        if ledger := self._books.read_ledger(since):
            yield _read_account(LEDGER, ledger)

    @contextmanager
    def _open(self) -> Iterator[tuple[OpenBooks, SpendingNote]]:
        """Yield the books, while nobody else changes them, and today's note, which is in them."""
        found = self._find_note()  # before others are kept out: it may have to be added up
        with self._books.open() as books:
            note = self._take_todays(books.read())
            if note is None:  # who waits looks often
                books.write(found)
            yield books, note or found

    def _find_note(self) -> SpendingNote:
        """Return today's note; if it is of another day, damaged or missing, the sum is added up again."""
        return self._take_todays(self._books.read()) or SpendingNote(day=self._today(), usd=self._add_up())

    def _take_todays(self, note: SpendingNote | None) -> SpendingNote | None:
        return note if note and note.day == self._today() else None

    def _today(self) -> str:
        return self._clock.now().date().isoformat()

    def _add_up(self) -> float:
        today = self._clock.now().date()
        midnight = datetime.combine(today, time(), self._clock.zone).timestamp()
        total = 0.0
        for account in self.iter_accounts(midnight):  # a record of today was written today
            records = (record for record in account.records if self._clock.day(record["ts"]) == today)
            total += sum(recorded_cost(record, self._settings) or 0.0 for record in records)
        return total


def _read_account(name: str, text: str) -> Account:
    found = [record for record in read_json_lines(text) if not find_fault(record, _PAID, _PAID)]
    return Account(name, found, len(text.splitlines()) - len(found))
