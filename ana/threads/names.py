"""The names that a person gave to conversations, in one file."""

import json
from collections.abc import Callable
from pathlib import Path

from ana.files import write_whole
from ana.locks import OwnerLock
from ana.notes import read_note

NAMES = "thread_names.json"
"""Their file, in the data folder."""


class Names:
    """The names by the ids of their conversations.

    Args:
        file: Their file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> dict[str, str]:
        """Return all names.

        Raises:
            StoreBroken: The file cannot be read.
        """
        hint = "`ana doctor --repair` sets the file aside; the conversations stay, without their names."
        return read_note(self._file, dict[str, str], hint) or {}

    def change(self, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
        """Write all names, changed, while nobody else does: what others have named meanwhile stays."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = OwnerLock(self._file.with_suffix(".lock"), "The list of conversations")
        lock.acquire()
        try:
            write_whole(self._file, json.dumps(change(self.read()), indent=1))
        finally:
            lock.discard()
