"""A data folder and its one owner at a time.

Two processes with Chroma open on one folder lose search results without an error, so a process works on it only under
an OS lock (which dies with its holder), and reopens Chroma when a generation file says that another has written.
Whoever finds the note of a holder that never let go, or that the machine has been started since the last write, does
not trust Chroma's files before they were looked at.
"""

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ana.backends.chroma.client import open_chroma, unusable_error
from ana.locks import OwnerLock

if TYPE_CHECKING:
    from chromadb.api.client import Client

Step = Callable[[], None]


class Folder:
    """The data folder: hands out Chroma's client while it is held, and only then.

    Args:
        path: The folder; made at the first use.
        timeout: Seconds to wait for another process.
        program: How this process is called in another's message.
    """

    def __init__(self, path: Path, timeout: float = 10.0, program: str = "ana") -> None:
        self.path = path
        self.before_opening: tuple[Step, ...] = ()
        """Done in this order before Chroma is opened."""
        self.after_opening: tuple[Step, ...] = ()
        """Done in this order once Chroma is open, before anybody else uses it."""
        self.in_doubt = False
        """Whether Chroma's files may be damaged."""
        self.generation = 0
        """Goes up whenever the client is opened again; everything built on an older client is stale."""
        self._timeout = timeout
        self._program = program
        self._inside = threading.RLock()
        self._depth = 0
        self._dirty = False
        self._lock: OwnerLock | None = None
        self._client: Client | None = None
        self._seen = ""

    @contextmanager
    def hold_closed(self) -> Iterator[None]:
        """Own the folder without opening Chroma: one thread of one process at a time. May be nested.

        Raises:
            StoreBusy: Another process did not let go in time.
            StoreBroken: The folder cannot be read or written.
        """
        with self._inside:
            if self._depth == 0:
                self._enter()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._lock is not None:
                    self._dirty = False
                    self._lock.release()

    @contextmanager
    def hold(self) -> Iterator["Client"]:
        """Own the folder, with Chroma. As `hold_closed`.

        Raises:
            StoreBusy: Another process did not let go in time.
            StoreBroken: The folder cannot be read or written.
        """
        with self.hold_closed():
            yield self._open()

    def mark_written(self) -> None:
        """Say, while holding and before a write, that other processes must reopen."""
        if not self._dirty:
            self._dirty = True
            self._seen = f"{uuid.uuid4().hex} {_boot_id()}"
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
            self.in_doubt |= self._lock.acquire()
            written = self._read_generation()
        except OSError as exc:
            raise unusable_error(self.path, exc) from exc
        if written != self._seen:
            self.in_doubt |= bool(written) and not written.endswith(_boot_id())
            self._seen = written
            self.close()
        elif self.in_doubt:
            self.close()

    def _read_generation(self) -> str:
        """Return what the last process to write left in the generation file."""
        assert self._lock is not None
        try:
            return self._generation_file.read_text(errors="replace") if self._generation_file.exists() else ""
        except OSError:
            self._lock.release()
            raise

    def _open(self) -> "Client":
        if self._client is None:
            for step in self.before_opening:
                step()
            self._client = open_chroma(self.path / "chroma")
            self.generation += 1
            try:
                for step in self.after_opening:
                    step()
            except BaseException:
                self.close()
                raise
            if self.in_doubt:
                self.mark_written()
                self.in_doubt = False
        return self._client


@cache
def _boot_id() -> str:
    """Return which start of the machine this is, if the system tells."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
