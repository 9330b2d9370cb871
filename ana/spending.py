"""What was spent on models today, in all conversations of a data folder and by every program that uses it.

The sum is a note in the data folder, so that no turn reads other turns' traces. It is derived: without it, or on
another day, it is added up again from the traces, and from the ledger of turns that leave none.
"""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ana.errors import LinkRefused, StoreBroken
from ana.files import append_line, write_whole
from ana.models.prices import cost
from ana.notes import read_note
from ana.settings import Settings
from ana.time.clock import Clock, local_zone
from ana.tracing.traces import Traces

NOTE = "spending.json"
LEDGER = "spending.ledger"
"""What turns cost that leave no trace, a line of JSON for each."""
LEDGER_KEYS = ("model", "provider", "usage", "cost_usd")
SECONDS = 10.0
"""How long to wait for another program that writes the note."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Noted:
    """The sum of a day, as the note holds it."""

    day: str
    usd: float


class Spending:
    """The running total of the person's day.

    Args:
        settings: For the data folder and the prices.
        clock: For the person's day.
        traces: The traces that the sum is made of.
    """

    def __init__(self, settings: Settings, clock: Clock, traces: Traces) -> None:
        self._settings = settings
        self._clock = clock
        self._traces = traces
        self._note = settings.ana_data_dir / NOTE

    def today(self) -> float:
        """Return what was spent today, in USD."""
        noted = self._read()
        return self._add_up() if noted is None else noted

    def add(self, usd: float) -> None:
        """Add the cost of a call. If it cannot be noted, a turn goes on all the same."""
        day = self._clock.now().date()
        try:
            self._note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self._note.with_suffix(".lock"), timeout=SECONDS):
                text = json.dumps({"day": day.isoformat(), "usd": round(self.today() + usd, 9)})
                write_whole(self._note, text, mode=0o600)
        except (OSError, Timeout) as exc:
            _log.warning("what a model call cost could not be noted: %s", exc)

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

    def _read(self) -> float | None:
        """Return the sum in the note; None if it is of another day, damaged or missing."""
        try:
            noted = read_note(self._note, Noted)
        except StoreBroken:
            return None
        return noted.usd if noted and noted.day == self._clock.now().date().isoformat() else None

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


class NoSpending(Spending):
    """The total of turns that nobody pays for: what they are answered with was paid for before, or is a script's."""

    def __init__(self) -> None:
        pass

    def today(self) -> float:
        return 0.0

    def add(self, usd: float) -> None:
        pass

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
        record: dict[str, Any] = json.loads(line)
        datetime.fromisoformat(record["ts"]).astimezone()
        usage = record["usage"]
        counts = [usage["input_tokens"], usage["output_tokens"], usage.get("cached_tokens", 0), record["cost_usd"] or 0]
        is_sound = all(isinstance(count, int | float) for count in counts) and isinstance(record["model"], str)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None
    return record if is_sound else None


def recorded_cost(record: dict[str, Any], settings: Settings) -> float | None:
    """Return what a turn cost: as its record says, or by the price that is known by now; None if none is."""
    # before prices were known by themselves, a record said 0 for a model that was paid for
    if record.get("cost_usd"):
        return float(record["cost_usd"])
    provider = record.get("provider", "offline")
    return cost(record["usage"], record["model"], settings.model_copy(update={"llm_provider": provider}))
