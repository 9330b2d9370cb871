"""The running total of a person's day.

The sum is noted, so that no turn reads other turns' traces. It is derived: without a note, or on another day, it is
added up again from the traces, and from the ledger of turns that leave none.

If there is a budget, a part of it is reserved for each call before the call is made, so that simultaneous calls do not
spend the same money.
"""

import json
import logging
import math
import os
import secrets
import time as timing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, time
from typing import Any, Protocol

from ana.deadline import get_remaining_seconds
from ana.errors import BudgetReached, StoreBroken, StoreBusy
from ana.models.prices import cost
from ana.notes import TextPlace
from ana.settings import Settings
from ana.spending.day import DayNote, Reservation, is_running, parse_day
from ana.stopping import check_stopped
from ana.time.clock import Clock
from ana.tracing.port import Traces
from ana.tracing.schema import find_fault
from ana.translation import _
from ana.values import read_json_lines

LEDGER = "spending.ledger"
"""The name of the account of turns that leave no trace."""
LEDGER_KEYS = ("model", "provider", "usage", "cost_usd")
"""What is kept of a turn that leaves no trace."""
LATE = 60.0
"""Seconds that a call may last longer than a turn; what it reserved ends then, if its process is gone."""
_PAID = ("ts", "model", "usage", "cost_usd")
"""What a record must have to be added up."""
_POLL_SECONDS = 0.02

_log = logging.getLogger(__name__)


class Bills(Protocol):
    """Storage of the cost of turns that leave no trace: the part of a person's storage that spending needs."""

    def add_bills(self, lines: Sequence[str]) -> None: ...

    def read_bills(self, since: float = 0.0) -> str: ...


class Spending:
    """The running total of the person's day, in all conversations and programs, and the accounts from which it is
    computed.

    Args:
        note: Holds the day's total.
        is_local: Whether every process that reserves works on this machine, so that those that ended are noticed.
    """

    def __init__(
        self, note: TextPlace, bills: Bills, settings: Settings, clock: Clock, traces: Traces, *, is_local: bool
    ) -> None:
        self._note, self._bills = note, bills
        self._settings = settings
        self._clock = clock
        self._traces = traces
        self._is_local = is_local

    def today(self) -> float:
        """Return today's spending in USD; it is added up again if the note is from another day, damaged or missing."""
        note = parse_day(self._note.read())
        return note.usd if note.day == self._name_day() else self._add_up()

    def add(self, usd: float) -> None:
        """Add the cost of a call. If it cannot be noted, a turn goes on all the same."""
        if math.isfinite(usd) and usd > 0:
            with _warn_unless_noted("what a model call cost"):
                self._change(lambda note: note.add(usd))

    @contextmanager
    def reserve(self, usd: float | None) -> Iterator[None]:
        """Reserve a part of the day's budget while a call is made. The cost of the call is added before the reservation
        ends.

        The cost of a call is known only afterwards. A call is expected to cost as much as the day's most expensive one;
        the first call of a day reserves the whole rest of the budget, and so runs alone. If the budget has no room for
        the expected cost beside the calls at work, the call waits for them; a call that runs alone may exceed the
        budget.

        Args:
            usd: The least cost of the call, as far as it is known; None if its price is unknown, so that nothing can be
                reserved.

        Raises:
            BudgetReached: The budget is spent, or other calls still reserve it when the turn's ANA_TURN_SECONDS are
                over.
            TurnStopped: The present run was stopped.
        """
        budget, id = self._settings.ana_daily_budget_usd, secrets.token_hex(8)
        if budget is None:
            yield
            return
        self._wait_for_room(id, usd, budget)
        try:
            yield
        finally:
            with _warn_unless_noted("the end of a model call"):
                self._change(lambda note: note.end(id))

    def keep(self, record: Mapping[str, Any]) -> None:
        """Store the cost of a turn that leaves no trace, LEDGER_KEYS of its record; `add` has counted it."""
        if record["cost_usd"] != 0:
            bill = {"ts": self._clock.now().isoformat()} | {key: record[key] for key in LEDGER_KEYS}
            with _warn_unless_noted("what a turn cost"):
                self._bills.add_bills([json.dumps(bill)])

    def iter_accounts(self, since: float = 0.0) -> Iterator[tuple[str, str]]:
        """Yield the name and the lines of each thread, and of the ledger, if written to since a moment, in seconds."""
        for id in self._traces.ids(since):
            yield id, self._traces.read_text(id)
        if ledger := self._bills.read_bills(since):
            yield LEDGER, ledger

    def _wait_for_room(self, id: str, usd: float | None, budget: float) -> None:
        """Return once a part of the budget is reserved, or at once if there is no price, or nothing can be written."""
        limit = _("the budget of ${budget:g} for one day").format(budget=budget)
        seconds = get_remaining_seconds()
        end = timing.monotonic() + (self._settings.ana_turn_seconds if seconds is None else seconds)
        while self.today() < budget:
            is_done = True
            with _warn_unless_noted("what a model call may cost"):
                is_done = usd is None or self._try_to_reserve(id, usd, budget)
            if is_done:
                return
            if timing.monotonic() > end:
                raise BudgetReached(_("what other calls leave of {limit}").format(limit=limit))
            check_stopped()
            timing.sleep(_POLL_SECONDS)
        raise BudgetReached(limit)

    def _try_to_reserve(self, id: str, usd: float, budget: float) -> bool:
        """Return False while other calls reserve the rest, or if nothing is left."""
        now = timing.time()

        def reserve(note: DayNote) -> None:
            note.held = [each for each in note.held if each.until > now and self._may_work(each)]
            left, held = budget - note.usd, sum(each.usd for each in note.held)
            expected = left if note.most is None else max(usd, note.most)
            if left > 0 and (not note.held or round(held + expected - left, 9) <= 0):
                until = now + self._settings.ana_turn_seconds + LATE
                note.held.append(Reservation(id, expected, until, os.getpid()))

        return any(each.id == id for each in self._change(reserve).held)

    def _may_work(self, reservation: Reservation) -> bool:
        return not self._is_local or is_running(reservation.process)

    def _change(self, change: Callable[[DayNote], None]) -> DayNote:
        """Change today's note, while nobody else can change it, and return it."""
        spent = self.today()  # before others are kept out: it may have to be added up
        note = DayNote("", 0.0)

        def write(text: str) -> str:
            nonlocal note
            note = parse_day(text)
            if note.day != self._name_day():
                note.day, note.usd, note.most = self._name_day(), spent, None
            change(note)
            return json.dumps(asdict(note))

        self._note.change(write)
        return note

    def _name_day(self) -> str:
        return self._clock.now().date().isoformat()

    def _add_up(self) -> float:
        today = self._clock.now().date()
        midnight = datetime.combine(today, time(), self._clock.zone).timestamp()
        total = 0.0
        for _name, text in self.iter_accounts(midnight):  # a record of today was written today
            records = (record for record in read_bills(text) if self._clock.day(record["ts"]) == today)
            total += sum(recorded_cost(record, self._settings) or 0.0 for record in records)
        return total


@contextmanager
def _warn_unless_noted(what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, StoreBroken, StoreBusy) as exc:
        _log.warning("%s could not be noted: %s", what, exc)


class NoSpending(Spending):
    """The total of turns without costs: their replies were paid for before, or come from a script."""

    def __init__(self) -> None:
        pass

    def add(self, usd: float) -> None:
        pass

    @contextmanager
    def reserve(self, usd: float | None) -> Iterator[None]:
        yield

    def keep(self, record: Mapping[str, Any]) -> None:
        pass


def recorded_cost(record: Mapping[str, Any], settings: Settings) -> float | None:
    """Return the cost of a turn: from its record, or by the present price; None if no price is known."""
    # before prices were known by themselves, a record said 0 for a model that was paid for
    if record.get("cost_usd"):
        return float(record["cost_usd"])
    provider = record.get("provider", "offline")
    return cost(record["usage"], record["model"], settings.model_copy(update={"llm_provider": provider}))


def read_bills(text: str) -> list[dict[str, Any]]:
    """Return the payments in lines of an account, including replaced turns, but without unreadable lines."""
    return [record for record in read_json_lines(text) if not find_fault(record, _PAID, _PAID)]
