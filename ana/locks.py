"""OS locks that end with their holder's process and name the holder to others."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import FileIO
from pathlib import Path

from filelock import lock_descriptor, unlock_descriptor

from ana.errors import StoreBusy

NOTE = 200
"""Characters of the note that names a holder: always as many, so that it can be overwritten."""

POLL_SECONDS = 0.005


class OwnerLock:
    """An OS lock on a file, with a note beside it that names the holder. Whoever holds it cannot take it again.

    Args:
        path: The lock file.
        what: The thing that is locked, for the message.
        timeout: Seconds to wait for another holder.
        program: The name of this process in another's messages.
    """

    def __init__(self, path: Path, what: str, timeout: float = 10.0, program: str = "ana") -> None:
        self._path = path
        self._owner = path.with_suffix(".owner")
        self._what = what
        self._timeout = timeout
        self._program = program
        self._files: tuple[int, FileIO] | None = None
        """The lock file and the note while they are held; opened each time, because a fork would share an open lock."""

    def acquire(self) -> bool:
        """Take the lock.

        Returns:
            Whether the last holder ended without releasing it.

        Raises:
            StoreBusy: Another holder did not release it in time; the message names it.
        """
        lock = self._wait()
        try:
            note = FileIO(os.open(self._owner, os.O_RDWR | os.O_CREAT, 0o666), "r+")
            self._files = lock, note
            abandoned = bool(note.read(NOTE).strip())
            said = f'{{"program": "{self._program}", "pid": {os.getpid()}, "since": {time.time()}}}'
            _put(note, said)
        except BaseException:
            self._close(lock)
            raise
        return abandoned

    def release(self) -> None:
        """Release the lock and blank the note: a note with text is from a holder that died."""
        if self._files is not None:
            lock, note = self._files
            with suppress(OSError):
                _put(note, "")
            self._close(lock)

    def discard(self) -> None:
        """Release the lock and remove its files: what it guarded is gone. Whoever waits for it makes them again."""
        for file in (self._owner, self._path):  # in this order: without the lock file another may hold the lock
            with suppress(OSError):  # Windows removes no open file; it stays, empty
                file.unlink(missing_ok=True)
        self.release()

    def _wait(self) -> int:
        """Return the lock file, opened and locked."""
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
        lock = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if lock_descriptor(lock, blocking=False) and os.fstat(lock).st_nlink:
                return lock
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
        return None

    def _close(self, lock: int) -> None:
        """Close the note, then release the lock, also for children that were forked meanwhile."""
        note, self._files = self._files and self._files[1], None
        try:
            if note is not None:
                note.close()
            unlock_descriptor(lock)
        finally:
            os.close(lock)

    def _holder(self) -> str:
        try:
            note = json.loads(self._owner.read_bytes())
            since = datetime.fromtimestamp(note["since"]).astimezone().isoformat(timespec="seconds")
            return f"{note['program']} (pid {note['pid']}, since {since})"
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return "another program"


def _put(note: FileIO, text: str) -> None:
    """Write a note in the place of the last one, which had as many characters."""
    note.seek(0)
    note.write(text.ljust(NOTE).encode())


@contextmanager
def keep_out_writers(lock: Path, what: str, timeout: float = 10.0) -> Iterator[None]:
    """Keep a lock's holders out without writing to its file, as a reader of a read-only folder must.

    Args:
        lock: The file of an OwnerLock; without it there is nobody to keep out.
        what: The thing that is locked, for the message.
        timeout: Seconds to wait for a holder.

    Raises:
        StoreBusy: A holder did not release it in time.
    """
    import fcntl  # not on Windows, where no reader comes here

    if not lock.exists():
        yield
        return
    with lock.open("rb") as file:
        end = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                break
            except BlockingIOError as exc:
                if time.monotonic() > end:
                    raise StoreBusy(f"{what} is being written.", "Wait until that has finished.") from exc
                time.sleep(0.02)
        yield
