"""What was spent on models today, in all conversations of a data folder and by every program that uses it.

The sum is a note in the data folder, so that no turn reads other turns' traces. It is derived: without it, or on
another day, it is added up again from the traces, and from the ledger of turns that leave none.

Where there is a budget, a part of it is reserved for each call before it is made, so that calls at the same time do not
spend the same money.
"""

import json
import logging
import math
import time as timing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock, Timeout
from pydantic import Field

from ana.errors import BudgetReached, LinkRefused, StoreBroken
from ana.files import append_line, write_whole
from ana.models.prices import cost
from ana.notes import read_note
from ana.reservations import Reservation, list_reserved
from ana.settings import Settings
from ana.stopping import check_stopped
from ana.time.clock import Clock, local_zone
from ana.tracing.traces import Traces
from ana.values import read_plain_json

NOTE = "spending.json"
LEDGER = "spending.ledger"
"""What turns cost that leave no trace, a line of JSON for each."""
LEDGER_KEYS = ("model", "provider", "usage", "cost_usd")
SECONDS = 10.0
"""How long to wait for another program that writes the note."""

_POLL_SECONDS = 0.02
_NOTHING = 1e-9
"""USD; sums of fractions are not exact."""

_log = logging.getLogger(__name__)


Usd = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True)
class SpendingNote:
    """What was spent on a day.

    Args:
        day: The day, as a date.
        usd: What was spent on it.
        most: What its costliest call cost; None where none is known.
    """

    day: str
    usd: Usd
    most: Usd | None = None


class Spending:
    """The running total of the person's day.

    Args:
        settings: For the data folder, the prices and the budget.
        clock: For the person's day.
        traces: The traces that the sum is made of.
    """

    def __init__(self, settings: Settings, clock: Clock, traces: Traces) -> None:
        self._settings = settings
        self._clock = clock
        self._traces = traces
        self._note = settings.ana_data_dir / NOTE
        self._reserved = settings.ana_data_dir / "locks"

    def today(self) -> float:
        """Return what was spent today, in USD."""
        return self._find_note().usd

    def add(self, usd: float) -> None:
        """Add the cost of a call. If it cannot be noted, a turn goes on all the same."""
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
        """Keep a part of the day's budget while a call is made. What the call cost is added before it is let go.

        What a call costs is known only after it. It is expected to cost what the costliest of the day did, and the
        first one of a day all that is left, so that it runs alone. A call for which there is room only if those that
        run now cost less than expected waits for them; one that runs alone may take the day over the budget.

        Args:
            usd: What the call costs at least, as far as that is known; None where its price is not, and nothing can be
                reserved.

        Raises:
            BudgetReached: The budget is spent, or still held by other calls after ANA_TURN_SECONDS.
            TurnStopped: The present run was stopped.
        """
        reservation = self._wait_for_room(usd)
        try:
            yield
        finally:
            if reservation:
                reservation.release()

    def _wait_for_room(self, usd: float | None) -> Reservation | None:
        """Return a reservation; None where there is no budget or no price, or nothing can be written."""
        budget, until = self._settings.ana_daily_budget_usd, timing.monotonic() + self._settings.ana_turn_seconds
        if budget is None:
            return None
        while True:
            if self.today() >= budget:
                raise BudgetReached(describe_budget(budget))
            if usd is None:
                return None
            try:
                if reservation := self._try_to_reserve(usd, budget):
                    return reservation
            except (OSError, Timeout) as exc:
                _log.warning("what a model call may cost could not be reserved: %s", exc)
                return None
            if timing.monotonic() > until:
                raise BudgetReached(f"what other calls leave of {describe_budget(budget)}")
            check_stopped()
            timing.sleep(_POLL_SECONDS)

    def _try_to_reserve(self, usd: float, budget: float) -> Reservation | None:
        """Return a reservation; None while other calls hold what is left, or when nothing is left by now."""
        with self._lock():
            note = self._read() or self._write(self._find_note())  # who waits looks often
            left, held = budget - note.usd, list_reserved(self._reserved)
            expected = left if note.most is None else max(usd, note.most)
            if left <= 0 or (held and sum(held) + expected > left + _NOTHING):
                return None
            return Reservation(self._reserved, expected)

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Write into the ledger what turns cost that leave no trace; `add` has counted it already.

        Args:
            records: Of each turn at least what LEDGER_KEYS name.
        """
        path, now = ledger_path(self._settings), self._clock.now().isoformat()
        try:
            for record in (record for record in records if record["cost_usd"] != 0):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                append_line(path, json.dumps({"ts": now} | {key: record[key] for key in LEDGER_KEYS}))
        except (OSError, LinkRefused) as exc:
            _log.warning("what a turn cost could not be kept: %s", exc)

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
        for path in find_accounts(self._settings, self._traces).values():
            if path.stat().st_mtime >= midnight:  # a record of today was written today
                total += sum(self._iter_costs(path, today))
        return total

    def _iter_costs(self, path: Path, day: date) -> Iterator[float]:
        for record in read_records(path)[0]:
            if self._clock.day(record["ts"]) == day:
                yield recorded_cost(record, self._settings) or 0.0


def open_total(settings: Settings) -> Spending:
    """Return the running total of the settings' data folder, in the person's day."""
    return Spending(settings, Clock(local_zone(settings.ana_timezone)), Traces(settings.traces_dir))


def describe_budget(budget: float) -> str:
    """Return a day's budget in words."""
    return f"the budget of ${budget:g} for one day"


class NoSpending(Spending):
    """The total of turns that nobody pays for: what they are answered with was paid for before, or is a script's."""

    def __init__(self) -> None:
        pass

    def today(self) -> float:
        return 0.0

    def add(self, usd: float) -> None:
        pass

    @contextmanager
    def reserve(self, usd: float | None) -> Iterator[None]:
        yield

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        pass


def ledger_path(settings: Settings) -> Path:
    """Return the file of what turns cost that leave no trace."""
    return settings.ana_data_dir / LEDGER


def find_accounts(settings: Settings, traces: Traces) -> dict[str, Path]:
    """Return the files that tell what was spent: every trace by its thread, and the ledger if there is one."""
    ledger = ledger_path(settings)
    return {id: traces.path(id) for id in traces.ids()} | ({LEDGER: ledger} if ledger.exists() else {})


def read_records(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return every attempt at a turn that a trace file holds, also those that others replaced, for all were paid for;
    and how many lines cannot be read."""
    lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    found = [record for line in lines if (record := _read_record(line)) is not None]
    return found, len(lines) - len(found)


def _read_record(line: str) -> dict[str, Any] | None:
    """Return a record with a time, a model, tokens and a cost that can be added up; None if the line is none."""
    try:
        record: dict[str, Any] = read_plain_json(line)
        datetime.fromisoformat(record["ts"]).astimezone()
        usage = record["usage"]
        counts = [usage["input_tokens"], usage["output_tokens"], usage.get("cached_tokens", 0), record["cost_usd"] or 0]
        is_sound = all(map(_is_amount, counts)) and isinstance(record["model"], str)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
    return record if is_sound else None


def _is_amount(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and value >= 0


def recorded_cost(record: dict[str, Any], settings: Settings) -> float | None:
    """Return what a turn cost: as its record says, or by the price that is known by now; None if none is."""
    # before prices were known by themselves, a record said 0 for a model that was paid for
    if record.get("cost_usd"):
        return float(record["cost_usd"])
    provider = record.get("provider", "offline")
    return cost(record["usage"], record["model"], settings.model_copy(update={"llm_provider": provider}))
