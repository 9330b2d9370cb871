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

from ana.backends.chroma.client import open_chroma, unusable
from ana.locks import OwnerLock

if TYPE_CHECKING:
    from chromadb.api.client import Client


class Folder:
    """The data folder: hands out Chroma's client while it is held, and only then.

    Args:
        path: The folder; made at the first use.
        timeout: Seconds to wait for another process.
        program: How this process is called in another's message.
        heal: Called before Chroma is opened when its files are in doubt.
        opened: Called when Chroma has been opened.
    """

    def __init__(
        self,
        path: Path,
        timeout: float = 10.0,
        program: str = "ana",
        heal: Callable[[], None] = lambda: None,
        opened: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self._heal = heal
        self._after_opening = opened
        self._doubted = False
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
    def alone(self) -> Iterator[None]:
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
        """Own the folder, with Chroma. As `alone`.

        Raises:
            StoreBusy: Another process did not let go in time.
            StoreBroken: The folder cannot be read or written.
        """
        with self.alone():
            yield self._opened()

    def writing(self) -> None:
        """Say, while holding and before a write, that other processes must reopen."""
        if not self._dirty:
            self._dirty = True
            self._seen = f"{uuid.uuid4().hex} {_boot()}"
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
            self._doubted |= self._lock.acquire()
            written = self._written()
        except OSError as exc:
            raise unusable(self.path, exc) from exc
        if written != self._seen:
            self._doubted |= bool(written) and not written.endswith(_boot())
            self._seen = written
            self.close()
        elif self._doubted:
            self.close()

    def _written(self) -> str:
        """What the last process to write left in the generation file."""
        assert self._lock is not None
        try:
            return self._generation_file.read_text(errors="replace") if self._generation_file.exists() else ""
        except OSError:
            self._lock.release()
            raise

    def _opened(self) -> "Client":
        if self._client is None:
            from ana.backends.chroma.care.reindex import settle

            self._prepare()
            if self._doubted:
                self._heal()
            self._client = open_chroma(self.path / "chroma")
            self.generation += 1
            try:
                settle(self._client, self.path)
                self._after_opening()
            except BaseException:
                self.close()
                raise
            if self._doubted:
                self.writing()
                self._doubted = False
        return self._client

    def _prepare(self) -> None:
        """Finish a restore that was decided, and take the folder to this program's format."""
        from ana.backends.chroma.care.backup import finish_restore, pack, place
        from ana.backends.chroma.care.format import FORMAT, format_of, migrate
        from ana.backends.chroma.care.rebuild import REBUILDING

        finish_restore(self.path)
        version, kept = format_of(self.path), place(self.path, f"before-format-{FORMAT}")
        if 0 < version < FORMAT and not list(kept.parent.glob(f"before-format-{FORMAT}-*")):
            pack(self.path, None, kept, as_it_is=True)
        if version < FORMAT:
            migrate(self.path, version)
        self._doubted |= (self.path / REBUILDING).exists()


@cache
def _boot() -> str:
    """Which start of the machine this is, where the system tells."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
