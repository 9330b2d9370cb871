"""OS locks that end with their holder's process and name the holder to others."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from ana.errors import StoreBusy
from ana.files import overwrite

NOTE = 200
"""Characters of the note that names a holder: always as many, so that it can be overwritten."""


class OwnerLock:
    """An OS lock on a file, with a note beside it that names the holder.

    Args:
        path: The lock file.
        what: The thing that is locked, for the message.
        timeout: Seconds to wait for another holder.
        program: The name of this process in another's messages.
    """

    def __init__(self, path: Path, what: str, timeout: float = 10.0, program: str = "ana") -> None:
        self._lock = FileLock(path, timeout=timeout, poll_interval=0.005, thread_local=False)
        self._path = path
        self._owner = path.with_suffix(".owner")
        self._what = what
        self._program = program

    def acquire(self) -> bool:
        """Take the lock.

        Returns:
            Whether the last holder ended without releasing it.

        Raises:
            StoreBusy: Another process did not release it in time; the message names it.
        """
        try:
            self._lock.acquire()
        except Timeout as exc:
            raise StoreBusy(
                f"{self._what} is in use by {self._holder()}.", "Wait until it has finished, or stop that program."
            ) from exc
        try:
            abandoned = bool(self._read_note().strip())
            note = f'{{"program": "{self._program}", "pid": {os.getpid()}, "since": {time.time()}}}'
            overwrite(self._owner, note.ljust(NOTE))
        except OSError:
            self._lock.release()
            raise
        return abandoned

    def release(self) -> None:
        """Release the lock and blank the note: a note with text is from a holder that died."""
        with suppress(OSError):
            overwrite(self._owner, NOTE * " ")
        self._lock.release()

    def discard(self) -> None:
        """Release the lock and remove its files: what it guarded is gone. Whoever waits for it makes them again."""
        for file in (self._owner, self._path):  # in this order: without the lock file another may hold the lock
            with suppress(OSError):  # Windows removes no open file; it stays, empty
                file.unlink(missing_ok=True)
        self._lock.release()

    def _read_note(self) -> bytes:
        try:
            return self._owner.read_bytes()
        except FileNotFoundError:
            return b""

    def _holder(self) -> str:
        try:
            note = json.loads(self._read_note())
            since = datetime.fromtimestamp(note["since"]).astimezone().isoformat(timespec="seconds")
            return f"{note['program']} (pid {note['pid']}, since {since})"
        except (OSError, ValueError, KeyError):
            return "another program"


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
