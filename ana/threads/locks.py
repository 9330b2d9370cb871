"""Owning a conversation: one turn at a time is at work in a thread, from any door."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ana.errors import StoreBroken
from ana.files import Place
from ana.locks import OwnerLock
from ana.threads.ids import canonical_id
from ana.threads.ports import PATIENCE, owning

FOLDER = "locks"
"""The folder of the locks, in a data folder."""

ALL = "all.lock"
"""The lock of whoever owns every conversation, beside theirs."""


class FolderThreadLocks:
    """The locks of conversations, a file for each, which every process that works on the data folder sees.

    Args:
        place: The folder as it was when it was opened; None for its present state.
    """

    def __init__(self, folder: Path, place: Place | None = None) -> None:
        self._folder = folder
        self._place = place or Place(folder)

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> OwnerLock:
        """Return the lock of a conversation. Errors as of the port."""
        name = f"{canonical_id(id) or id}.lock"
        self._place.check()
        path = self._make_folder() / name
        return _FileLock(self._place, path, "This conversation", timeout=patience, program=program)

    @contextmanager
    def own_all(self, program: str, patience: float = PATIENCE) -> Iterator[None]:
        """Own every conversation. Errors as of the port."""
        folder, until = self._make_folder(), time.monotonic() + patience
        every = OwnerLock(folder / ALL, "Every conversation", timeout=patience, program=program)
        with owning(every, ends=True):
            # Whoever takes a conversation from now on sees that all are owned and lets it go again.
            for path in folder.glob("*.lock"):
                if path.name != ALL:
                    remaining = max(until - time.monotonic(), 0)
                    with owning(OwnerLock(path, "A conversation", timeout=remaining, program=program)):
                        pass
            yield

    def _make_folder(self) -> Path:
        folder = self._folder / FOLDER
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder


class _FileLock(OwnerLock):
    """A lock that cannot be taken while somebody owns every conversation, or after another folder has taken this one's
    place.
    """

    def __init__(self, place: Place, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._place = place

    def acquire(self) -> bool:
        try:
            abandoned = self._take()
            self._place.check()
        except FileNotFoundError:
            self._place.check()  # which says why, and not where
            raise
        except StoreBroken:
            self.release()
            raise
        return abandoned

    def _take(self) -> bool:
        abandoned = super().acquire()
        every = self._path.with_name(ALL)
        if not every.exists():
            return abandoned
        self.release()
        waiting = OwnerLock(every, "Every conversation", timeout=self._timeout, program=self._program)
        waiting.acquire()
        waiting.discard()
        return self._take()
