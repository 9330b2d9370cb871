"""Owning a conversation: one turn at a time works in a thread, whichever door it came through."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ana.files import refuse_read_only
from ana.locks import OwnerLock
from ana.settings import Settings

PATIENCE = 10.0
"""Seconds that a door waits for a thread in which another works."""

ALL = "all.lock"
"""The lock of whoever owns every conversation, beside theirs."""


def canonical_id(text: str) -> str | None:
    """Return a thread's id as we write it; None if this is none. The server reads all spellings that a UUID has."""
    try:
        return str(uuid.UUID(text))
    except ValueError:
        return None


def thread_lock(settings: Settings, id: str, program: str, patience: float = PATIENCE) -> OwnerLock:
    """Return the lock of a conversation: two runs in one thread at once silently lose turns.

    It also keeps out others of this very process, because each lock opens the file for itself.

    Raises:
        StoreReadOnly: No conversation can go on in a data folder that cannot be written.
    """
    name = f"{canonical_id(id) or id}.lock"
    return _ThreadLock(_make_folder(settings) / name, "This conversation", timeout=patience, program=program)


class _ThreadLock(OwnerLock):
    """A lock that nobody gets while somebody owns every conversation."""

    def acquire(self) -> bool:
        abandoned = super().acquire()
        every = self._path.with_name(ALL)
        if not every.exists():
            return abandoned
        self.release()
        waiting = OwnerLock(every, "Every conversation", timeout=self._timeout, program=self._program)
        waiting.acquire()
        waiting.discard()
        return self.acquire()


@contextmanager
def own_all(settings: Settings, program: str, patience: float = PATIENCE) -> Iterator[None]:
    """Own every conversation, also those that begin meanwhile, after so many seconds of patience at most.

    Raises:
        StoreBusy: One of them was not released in time; the message names its owner.
        StoreReadOnly: The data folder cannot be written.
    """
    folder, until = _make_folder(settings), time.monotonic() + patience
    every = OwnerLock(folder / ALL, "Every conversation", timeout=patience, program=program)
    every.acquire()
    try:
        # Whoever takes a conversation from now on sees that all are owned and lets it go again.
        for path in folder.glob("*.lock"):
            if path.name != ALL:
                left = max(until - time.monotonic(), 0)
                each = OwnerLock(path, "A conversation", timeout=left, program=program)
                each.acquire()
                each.release()
        yield
    finally:
        every.discard()


def _make_folder(settings: Settings) -> Path:
    refuse_read_only(settings.ana_data_dir)
    folder = settings.ana_data_dir / "locks"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder
