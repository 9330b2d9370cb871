"""A data folder and its one owner at a time.

Two processes with Chroma open on one folder lose search results without an error, so a process works on it only under
an OS lock (which dies with its holder), and reopens Chroma when a generation file says that another has written.
"""

import json
import os
import shutil
import sqlite3
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from filelock import FileLock, Timeout

from ana.errors import StoreBroken, StoreBusy, ToolError

if TYPE_CHECKING:
    from chromadb.api.client import Client

DATABASE = "chroma.sqlite3"
"""The file in which Chroma keeps all but the vectors."""


class OwnerLock:
    """An OS lock on a file, with a note beside it of who holds it.

    Args:
        path: The lock file.
        what: What is locked, for the message.
        timeout: Seconds to wait for another holder.
        program: How this process is called in another's message.
    """

    def __init__(self, path: Path, what: str, timeout: float = 10.0, program: str = "ana") -> None:
        self._lock = FileLock(path, timeout=timeout, poll_interval=0.005, thread_local=False)
        self._owner = path.with_suffix(".owner")
        self._what = what
        self._program = program

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            StoreBusy: Another process did not let go in time; it is named.
        """
        try:
            self._lock.acquire()
        except Timeout as exc:
            raise StoreBusy(
                f"{self._what} is in use by {self._holder()}.", "Wait until it has finished, or stop that program."
            ) from exc
        try:
            self._owner.write_text(f'{{"program": "{self._program}", "pid": {os.getpid()}, "since": {time.time()}}}')
        except OSError:
            self._lock.release()
            raise

    def release(self) -> None:
        self._lock.release()

    def _holder(self) -> str:
        try:
            note = json.loads(self._owner.read_text())
            since = datetime.fromtimestamp(note["since"]).astimezone().isoformat(timespec="seconds")
            return f"{note['program']} (pid {note['pid']}, since {since})"
        except (OSError, ValueError, KeyError):
            return "another program"


class Folder:
    """The data folder: hands out Chroma's client while it is held, and only then.

    Args:
        path: The folder; made at the first use.
        timeout: Seconds to wait for another process.
        program: How this process is called in another's message.
    """

    def __init__(self, path: Path, timeout: float = 10.0, program: str = "ana") -> None:
        self.path = path
        self._timeout = timeout
        self._program = program
        self._inside = threading.RLock()
        self._depth = 0
        self._dirty = False
        self._lock: OwnerLock | None = None
        self._client: Client | None = None
        self._seen = ""
        self.generation = 0
        """Goes up whenever the client is opened anew; what was built on an older client is stale."""

    @contextmanager
    def hold(self) -> Iterator["Client"]:
        """Own the folder: one thread of one process at a time. May be nested.

        Raises:
            StoreBusy: Another process did not let go in time.
            StoreBroken: The folder cannot be read or written.
        """
        with self._inside:
            if self._depth == 0:
                self._enter()
            self._depth += 1
            try:
                yield self._opened()
            finally:
                self._depth -= 1
                if self._depth == 0 and self._lock is not None:
                    self._dirty = False
                    self._lock.release()

    def writing(self) -> None:
        """Say, while holding and before a write, that other processes must reopen."""
        if not self._dirty:
            self._dirty = True
            self._seen = f"{uuid.uuid4().hex}"
            self._generation_file.write_text(self._seen)

    def close(self) -> None:
        """Close Chroma; the next `hold` opens it again."""
        with self._inside:
            if self._client is not None:
                self._client.close()
                self._client = None

    @property
    def _generation_file(self) -> Path:
        return self.path / "generation"

    def _enter(self) -> None:
        try:
            if self._lock is None:
                self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._lock = OwnerLock(self.path / "lock", f"The data folder {self.path}", self._timeout, self._program)
            self._lock.acquire()
            written = self._written()
        except OSError as exc:
            raise unusable(self.path, exc) from exc
        if written != self._seen:
            self.close()
            self._seen = written

    def _written(self) -> str:
        """What the last process to write left in the generation file."""
        assert self._lock is not None
        try:
            return self._generation_file.read_text() if self._generation_file.exists() else ""
        except OSError:
            self._lock.release()
            raise

    def _opened(self) -> "Client":
        if self._client is None:
            from ana.store.reindex import settle

            self._client = _open_chroma(self.path / "chroma")
            self.generation += 1
            settle(self._client, self.path)
        return self._client


@contextmanager
def opened_copy(path: Path) -> Iterator["Client"]:
    """Chroma on a copy of a folder that another program left: opening writes, and theirs stays as it is.

    Only the SQLite part is copied. All documents and metadata are in it, and vectors that are damaged do no harm.

    Args:
        path: The folder that holds chroma.sqlite3.

    Raises:
        StoreBroken: It cannot be copied or opened.
    """
    with tempfile.TemporaryDirectory(prefix="ana-") as name, foreign_errors(path):
        for part in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-journal"):
            if (path / part).exists():
                shutil.copyfile(path / part, Path(name) / part)
        _refuse_damaged(Path(name) / DATABASE)
        client = _open_chroma(Path(name))
        try:
            yield client
        finally:
            client.close()


def _refuse_damaged(database: Path) -> None:
    """Chroma does not raise on a damaged file or on text that is not UTF-8: it panics, and may end the process."""
    with closing(sqlite3.connect(database)) as connection:
        try:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
                if not sql.startswith("CREATE VIRTUAL"):
                    for _ in connection.execute(f'SELECT * FROM "{name}"'):
                        pass
        except UnicodeDecodeError as exc:  # in SQLite's own message
            raise sqlite3.DatabaseError("its schema is damaged") from exc
    if found != "ok":
        raise sqlite3.DatabaseError(" ".join(found.split()))


def _open_chroma(path: Path) -> "Client":
    import chromadb
    from chromadb.api.shared_system_client import SharedSystemClient
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

    try:
        client = chromadb.PersistentClient(str(path), settings=Settings(anonymized_telemetry=False))
        return cast("Client", client)
    except (ChromaError, OSError, ValueError, RuntimeError) as exc:
        # Chroma keeps the half-opened one and would hand it out again
        SharedSystemClient._identifier_to_system.pop(str(path), None)
        SharedSystemClient._identifier_to_refcount.pop(str(path), None)
        raise unusable(path, exc) from exc


@contextmanager
def foreign_errors(path: Path) -> Iterator[None]:
    """Map what Chroma, SQLite and the system raise while a data folder is used."""
    from chromadb.errors import ChromaError, InternalError

    try:
        yield
    except (InternalError, OSError, sqlite3.Error) as exc:
        raise unusable(path, exc) from exc
    except ChromaError as exc:
        raise ToolError(f"The store refused this: {exc}.", "Change the call.") from exc


def unusable(path: Path, exc: BaseException) -> StoreBroken:
    """The error for a folder that the system or Chroma refuses."""
    return StoreBroken(
        f"The data folder {path} cannot be used: {exc}.",
        "Check that the disk has room and that the folder may be written, or set ANA_DATA_DIR to another.",
    )
