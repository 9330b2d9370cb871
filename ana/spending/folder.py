"""Spending on models, noted in a data folder, for every program that uses the folder."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock

from ana.errors import StoreBroken
from ana.files import append_lines, write_whole
from ana.notes import read_note
from ana.spending.port import DayNote
from ana.spending.total import LEDGER

NOTE = "spending.json"
SECONDS = 10.0
"""How long to wait for another program that writes the note."""


class FolderBooks:
    """The notes on spending in a data folder: a note of the day, a line for each bill in the ledger."""

    def __init__(self, folder: Path) -> None:
        self._note = folder / NOTE
        self._ledger = folder / LEDGER

    def read(self) -> DayNote:
        try:
            note = read_note(self._note, DayNote) or DayNote("", 0.0)
        except StoreBroken:
            return DayNote("", 0.0)
        note.held = [each for each in note.held if _is_running(each.process)]
        return note

    @contextmanager
    def open(self) -> Iterator[DayNote]:
        self._note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(self._note.with_suffix(".lock"), timeout=SECONDS):
            note = self.read()
            yield note
            write_whole(self._note, json.dumps(asdict(note)), mode=0o600)

    def append(self, lines: list[str]) -> None:
        self._ledger.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        append_lines(self._ledger, "\n".join(lines))

    def read_ledger(self, since: float) -> str:
        if self._ledger.exists() and self._ledger.stat().st_mtime >= since:
            return self._ledger.read_text(encoding="ascii", errors="replace")
        return ""


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except OSError as exc:
        return isinstance(exc, PermissionError)  # another person's
    return True
