"""What was spent on models, noted in a data folder, for every program that uses it.

A reservation is a file that its holder has locked. The system lets go of the lock with the process, however that ends,
so that nothing is reserved by who is gone.
"""

import json
import math
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import FileIO
from pathlib import Path

from filelock import FileLock, Timeout, lock_descriptor

from ana.errors import StoreBroken
from ana.files import append_lines, write_whole
from ana.notes import read_note
from ana.spending.total import LEDGER, Release, SpendingNote

NOTE = "spending.json"
RESERVED = "spending.*.reserved"
"""The files of reservations."""
SECONDS = 10.0
"""How long to wait for another program that writes the note."""


class FolderBooks:
    """What is noted of spending in a data folder: a note of the day, a line for each bill in the ledger."""

    errors: tuple[type[Exception], ...] = (OSError, Timeout)

    def __init__(self, folder: Path) -> None:
        self._note = folder / NOTE
        self._ledger = folder / LEDGER
        self._locks = folder / "locks"

    @contextmanager
    def open(self) -> "Iterator[FolderBooks]":
        self._note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self._note.with_suffix(".lock"), timeout=SECONDS):
            yield self

    def read(self) -> SpendingNote | None:
        try:
            return read_note(self._note, SpendingNote)
        except StoreBroken:
            return None

    def write(self, note: SpendingNote) -> None:
        write_whole(self._note, json.dumps(asdict(note)), mode=0o600)

    def list_held(self) -> list[float]:
        amounts = (_read_reserved(path) for path in self._locks.glob(RESERVED))
        return [amount for amount in amounts if amount is not None]

    def hold(self, usd: float) -> Release:
        self._locks.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._locks / RESERVED.replace("*", secrets.token_hex(4))
        file = FileIO(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
        lock_descriptor(file.fileno())
        file.write(json.dumps(usd).encode())

        def release() -> None:
            file.close()
            path.unlink(missing_ok=True)

        return release

    def append(self, lines: list[str]) -> None:
        for line in lines:
            self._ledger.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            append_lines(self._ledger, line)

    def read_ledger(self, since: float) -> str:
        if self._ledger.exists() and self._ledger.stat().st_mtime >= since:
            return self._ledger.read_text(encoding="ascii", errors="replace")
        return ""


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
