"""What was spent on models today, in all conversations of a data folder and by every program that uses it.

The sum is a note in the data folder, so that no turn reads other turns' traces. It is derived: without it, or on
another day, it is added up again from the traces, and from the ledger of turns that leave none.

Where there is a budget, a part of it is reserved for each call before it is made, so that calls at the same time do not
spend the same money. A reservation is a file that its holder has locked. The system lets go of the lock with the
process, however that ends, so that nothing is reserved by who is gone.
"""

import json
import logging
import math
import os
import secrets
import time as timing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, time
from io import FileIO
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock, Timeout, lock_descriptor
from pydantic import Field

from ana.errors import BudgetReached, LinkRefused, StoreBroken
from ana.files import append_lines, open_own, write_whole
from ana.notes import read_note
from ana.settings import Settings
from ana.spending.port import LEDGER_KEYS, Account, Spending, recorded_cost
from ana.stopping import check_stopped
from ana.time.clock import Clock
from ana.tracing.port import Traces
from ana.tracing.schema import find_fault
from ana.values import read_json_lines

NOTE = "spending.json"
LEDGER = "spending.ledger"
"""What turns cost that leave no trace, a line of JSON for each."""
_PAID = ("ts", "model", "usage", "cost_usd")
"""What a record must have to be added up."""
RESERVED = "spending.*.reserved"
"""The files of reservations."""
SECONDS = 10.0
"""How long to wait for another program that writes the note."""

_POLL_SECONDS = 0.02
_NOTHING = 1e-9
"""USD; sums of fractions are not exact."""

_log = logging.getLogger(__name__)

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True)
class SpendingNote:
    """What was spent on a day."""

    day: str
    usd: Usd
    most: Usd | None = None
    """What its costliest call cost; None where none is known."""


class FolderSpending(Spending):
    """The running total of a data folder, made of the traces, for the day of the person's clock."""

    def __init__(self, folder: Path, settings: Settings, clock: Clock, traces: Traces) -> None:
        self._settings = settings
        self._clock = clock
        self._traces = traces
        self._note = folder / NOTE
        self._ledger = folder / LEDGER
        self._locks = folder / "locks"

    def today(self) -> float:
        return self._find_note().usd

    def add(self, usd: float) -> None:
        if not (math.isfinite(usd) and usd > 0):
            return
        try:
            with self._lock():
                note = self._find_note()
                self._write(SpendingNote(day=note.day, usd=round(note.usd + usd, 9), most=max(note.most or 0.0, usd)))
        except (OSError, Timeout) as exc:
            _log.warning("what a model call cost could not be noted: %s", exc)

    @contextmanager
    def reserve(self, usd: float | None) -> Iterator[None]:
        reserved = self._wait_for_room(usd)
        try:
            yield
        finally:
            if reserved:
                path, file = reserved
                file.close()
                path.unlink(missing_ok=True)

    def _wait_for_room(self, usd: float | None) -> tuple[Path, FileIO] | None:
        """Return a reservation; None where there is no budget or no price, or nothing can be written."""
        budget, until = self._settings.ana_daily_budget_usd, timing.monotonic() + self._settings.ana_turn_seconds
        if budget is None:
            return None
        limit = f"the budget of ${budget:g} for one day"
        while True:
            if self.today() >= budget:
                raise BudgetReached(limit)
            if usd is None:
                return None
            try:
                if reserved := self._try_to_reserve(usd, budget):
                    return reserved
            except (OSError, Timeout) as exc:
                _log.warning("what a model call may cost could not be reserved: %s", exc)
                return None
            if timing.monotonic() > until:
                raise BudgetReached(f"what other calls leave of {limit}")
            check_stopped()
            timing.sleep(_POLL_SECONDS)

    def _try_to_reserve(self, usd: float, budget: float) -> tuple[Path, FileIO] | None:
        """Return a reservation; None while other calls hold what is left, or when nothing is left by now."""
        with self._lock():
            note = self._read() or self._write(self._find_note())  # who waits looks often
            amounts = (_read_reserved(path) for path in self._locks.glob(RESERVED) if not path.is_symlink())
            left, held = budget - note.usd, [amount for amount in amounts if amount is not None]
            expected = left if note.most is None else max(usd, note.most)
            if left <= 0 or (held and sum(held) + expected > left + _NOTHING):
                return None
            self._locks.mkdir(parents=True, exist_ok=True, mode=0o700)
            path = self._locks / RESERVED.replace("*", secrets.token_hex(4))
            file = FileIO(open_own(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
            lock_descriptor(file.fileno())
            file.write(json.dumps(expected).encode())
            return path, file

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        now = self._clock.now().isoformat()
        try:
            for record in (record for record in records if record["cost_usd"] != 0):
                self._ledger.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                append_lines(self._ledger, json.dumps({"ts": now} | {key: record[key] for key in LEDGER_KEYS}))
        except (OSError, LinkRefused) as exc:
            _log.warning("what a turn cost could not be kept: %s", exc)

    def iter_accounts(self, since: float = 0.0) -> Iterator[Account]:
        for id in self._traces.ids(since):
            yield _read_account(id, self._traces.read_text(id))
        if self._ledger.exists() and self._ledger.stat().st_mtime >= since:
            yield _read_account(LEDGER, self._ledger.read_text(encoding="ascii", errors="replace"))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self._note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self._note.with_suffix(".lock"), timeout=SECONDS):
            yield

    def _find_note(self) -> SpendingNote:
        """Return today's note; if it is of another day, damaged or missing, the sum is added up again."""
        return self._read() or SpendingNote(day=self._today(), usd=self._add_up())

    def _read(self) -> SpendingNote | None:
        try:
            note = read_note(self._note, SpendingNote)
        except StoreBroken:
            return None
        return note if note and note.day == self._today() else None

    def _write(self, note: SpendingNote) -> SpendingNote:
        write_whole(self._note, json.dumps(asdict(note)), mode=0o600)
        return note

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


def _read_reserved(path: Path) -> float | None:
    """Return a reserved amount, infinite if it cannot be read; None if its holder is gone, whose file is removed."""
    try:
        with path.open("rb") as file:
            if lock_descriptor(file.fileno(), blocking=False):
                path.unlink(missing_ok=True)
                return None
            return float(file.read(100))
    except FileNotFoundError:  # released meanwhile
        return None
    except (OSError, ValueError):
        return math.inf


def _read_account(name: str, text: str) -> Account:
    found = [record for record in read_json_lines(text) if not find_fault(record, _PAID, _PAID)]
    return Account(name, found, len(text.splitlines()) - len(found))
