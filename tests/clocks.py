"""A clock of the machine that a test sets back or forward, as it is where checkpoints get their ids."""

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from langgraph.checkpoint.base import id as checkpoint_ids


class MachineClock:
    """The time of the machine, moved by a span; a shift also ends the process, as far as ids know one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch, self._shift = monkeypatch, timedelta()
        shifted = SimpleNamespace(time_ns=lambda: time.time_ns() + int(self._shift.total_seconds()) * 10**9)
        monkeypatch.setattr(checkpoint_ids, "time", shifted)

    def set(self, **shift: int) -> None:
        """Move the clock away from the real time; arguments of a timedelta."""
        self._shift = timedelta(**shift)
        # within a process ids never go back; whoever starts later has not seen the earlier ones
        self._patch.setattr(checkpoint_ids, "_last_v6_timestamp", None)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._shift
