"""OS locks that end with their holder's process and name the holder to others."""

import errno
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

from ana.errors import ConfigError, StoreBroken, StoreBusy
from ana.leases import Token
from ana.notes import read_note

NOTE = 200
"""Characters of the note that names a holder: always as many, so that it can be overwritten."""

POLL_SECONDS = 0.005

_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)
"""How a file system says that it has none."""


@dataclass(frozen=True)
class Holder:
    """The holder of a lock."""

    program: str
    pid: int
    since: float


class OwnerLock:
    """An OS lock on a file, with a note beside it that names the holder. Its holder cannot take it a second time.

    Args:
        what: The thing that is locked, for the message.
        program: The name of this process in another's messages.
    """

    token: Token | None = None

    def __init__(self, path: Path, what: str, timeout: float = 10.0, program: str = "ana") -> None:
        self._path = path
        self._owner = path.with_suffix(".owner")
        self._what = what
        self._timeout = timeout
        self._program = program
        self._files: tuple[int, FileIO] | None = None
        """The lock file and the note while they are held; opened each time, because a fork would share an open lock."""
        self._pid = 0
        """The process that holds it, and not one that was forked from it."""

    def acquire(self) -> bool:
        """Take the lock.

        Returns:
            Whether the last holder ended without releasing it, or left its data in doubt.

        Raises:
            StoreBusy: Another holder did not release it in time; the message names it.
            ConfigError: The file system has no locks.
        """
        lock = self._wait()
        self._pid = os.getpid()
        try:
            note = FileIO(os.open(self._owner, os.O_RDWR | os.O_CREAT), "r+")
            self._files = lock, note
            abandoned = bool(note.read(NOTE).strip())
            text = f'{{"program": "{self._program}", "pid": {os.getpid()}, "since": {time.time()}}}'
            _put(note, text)
        except BaseException:
            self._close(lock)
            raise
        return abandoned

    def release(self, *, in_doubt: bool = False) -> None:
        """Release the lock and blank the note, because a note with text means a holder that died, or left its data in
        doubt.

        In a child that was forked while the lock was held, only the child's share of the open files is closed.
        """
        if self._files is not None:
            lock, note = self._files
            with suppress(OSError):
                if self._is_own() and not in_doubt:
                    _put(note, "")
            self._close(lock)

    def discard(self) -> None:
        """Release the lock and remove its files, because the guarded data is gone. A waiting process makes them
        again.
        """
        # in this order: without the lock file another may hold the lock
        for file in (self._owner, self._path) if self._is_own() else ():
            with suppress(OSError):  # Windows removes no open file; it stays, empty
                file.unlink(missing_ok=True)
        self.release()

    def _is_own(self) -> bool:
        return self._pid == os.getpid()

    def _wait(self) -> int:
        until = time.monotonic() + self._timeout
        while (lock := self._try()) is None:
            if time.monotonic() > until:
                raise StoreBusy(
                    f"{self._what} is in use by {self._holder()}.", "Wait until it has finished, or stop that program."
                )
            time.sleep(POLL_SECONDS)
        return lock

    def _try(self) -> int | None:
        """Return the lock file, opened and locked; None if another holds it or has removed it."""
        lock = os.open(self._path, os.O_RDWR | os.O_CREAT)
        try:
            if lock_descriptor(lock, blocking=False) and os.fstat(lock).st_nlink:
                return lock
        except BaseException as exc:
            os.close(lock)
            if isinstance(exc, OSError) and exc.errno in _NO_LOCKS:
                raise ConfigError(
                    f"{self._what} cannot be locked: the file system of {self._path.parent} has no locks "
                    f"({exc.strerror}), and two programs at once would lose data there.",
                    "Set ANA_DATA_DIR to a folder on a disk of this machine.",
                ) from exc
            raise
        os.close(lock)
        return None

    def _close(self, lock: int) -> None:
        """Close the note, then release the lock, for children that were forked meanwhile too, but never by one."""
        note, self._files = self._files and self._files[1], None
        try:
            if note is not None:
                note.close()
            if self._is_own():
                unlock_descriptor(lock)
        finally:
            os.close(lock)

    def _holder(self) -> str:
        try:
            if note := read_note(self._owner, Holder):
                since = datetime.fromtimestamp(note.since).astimezone().isoformat(timespec="seconds")
                return f"{note.program} (pid {note.pid}, since {since})"
        except (StoreBroken, OSError, ValueError, OverflowError):  # it is being written, or damaged
            pass
        return "another program"


def _put(note: FileIO, text: str) -> None:
    """Write a note over the last one, which had the same number of characters."""
    note.seek(0)
    note.write(text.ljust(NOTE).encode())
