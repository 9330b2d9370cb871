"""A data folder and its one owner at a time.

Two processes with Chroma open on one folder lose search results without an error, so a process works on it only under
an OS lock (which dies with its holder), and reopens Chroma when a generation file says that another has written.
A process that finds the note of a holder that died, or that the machine was restarted after the last write, has
Chroma's files checked before it uses them.
"""

import os
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ana.backends.chroma.care.format import MOVED, read_format
from ana.backends.chroma.client import load_chromadb, make_unusable_error, open_chroma
from ana.errors import ConfigError
from ana.files import Place, overwrite, read_small
from ana.locks import OwnerLock
from ana.machine import read_boot_id
from ana.own_files import name_folder

if TYPE_CHECKING:
    from chromadb.api.client import Client

Step = Callable[[], None]

_SAVED = "index_metadata.pickle"
"""Chroma writes it when it saves an index, and reads an index only beside it."""

_FILES = ("data_level0.bin", "length.bin")


class Folder:
    """The data folder, which gives access to Chroma's client only while it is held.

    Its files are repaired before anybody reads them. Chroma is opened only when it is needed, because importing it
    takes longer than most reads of the files beside it.

    Args:
        path: The folder; created at the first use.
        program: The name of this process in another's messages.
        person: The person whose folder it is, for its backups; empty if unknown.
    """

    def __init__(self, path: Path, timeout: float = 10.0, program: str = "ana", person: str = "") -> None:
        self.path = path
        self.person = person
        self.before_opening: tuple[Step, ...] = ()
        """Steps before anything is read, in this order; they need no client."""
        self.after_opening: tuple[Step, ...] = ()
        """Steps after Chroma is opened and before anybody uses it, in this order."""
        self.must_open: Callable[[], bool] = lambda: False
        """Returns whether one of those has something to do, so that nothing may be read before Chroma is open."""
        self.in_doubt = False
        """Whether Chroma's files may be damaged."""
        self.generation = 0
        """Grows whenever the files are looked at or the client is opened again; what was built before is stale."""
        self._generation_file = path / "generation"
        self._timeout = timeout
        self._program = program
        self._inside = threading.RLock()  # the OS lock keeps out processes, this one threads
        self._depth = 0
        self._dirty = False
        self._lock: OwnerLock | None = None
        self._client: Client | None = None
        self._is_in_order = False
        self._blanked: dict[str, int] = {}
        self._stamp = ""
        self._was_moved: bool | None = None
        self._place = Place(path)

    @contextmanager
    def hold_closed(self) -> Iterator[None]:
        """Own the folder without opening Chroma: one thread of one process at a time. May be nested.

        Raises StoreBusy if another process did not release it in time, StoreBroken if it cannot be read or written.
        """
        with self._inside:
            if self._depth == 0:
                self._enter()
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0 and self._client is not None:
                    blank_unwritten(self.path / "chroma", self._blanked)
                if self._depth == 0 and self._lock is not None:
                    self._dirty = False
                    self._lock.release(in_doubt=self.in_doubt)  # else nobody would look at the files any more

    @contextmanager
    def hold(self) -> Iterator["Client"]:
        """Own the folder, with Chroma. Errors as of `hold_closed`; also StoreBroken if the folder contains a link."""
        load_chromadb()  # before others are kept waiting: it takes longer than any of their reads
        with self.hold_closed():
            yield self.get_client()

    @contextmanager
    def hold_in_order(self) -> Iterator[None]:
        """Own the folder, and open Chroma only if an act in it must be settled. Errors as `hold`."""
        with self.hold_closed():
            if not self._is_in_order:
                self._put_in_order()
                if self.in_doubt or self.must_open():
                    self.get_client()
            yield

    @property
    def is_open(self) -> bool:
        """Whether Chroma is open."""
        return self._client is not None

    def _put_in_order(self) -> None:
        for step in self.before_opening:
            step()
        self._is_in_order = True
        self.generation += 1

    def get_client(self) -> "Client":
        """Return Chroma's client, while the folder is held; open it if it is closed."""
        if self._client is None:
            if not self._is_in_order:
                self._put_in_order()
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

    def mark_written(self) -> None:
        """Note before a write, while holding, that other processes must reopen Chroma."""
        if not self._dirty:  # once for each hold is enough
            self._dirty = True
            self._stamp = f"{uuid.uuid4().hex} {read_boot_id()}"
            overwrite(self._generation_file, self._stamp)  # before the write: after a crash others must reopen too

    def close(self) -> None:
        """Close Chroma; the next `hold` examines the files, and opens it again."""
        with self._inside:
            self._is_in_order = False
            if self._client is not None:
                self._client.close()
                self._client = None

    def _enter(self) -> None:
        try:
            if self._lock is None:
                self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._lock = OwnerLock(
                    self.path / "lock", f"The {name_folder(self.path)}", self._timeout, self._program
                )
            self._place.check()
            self.in_doubt |= self._lock.acquire()
            try:
                written = read_small(self._generation_file)
            except FileNotFoundError:  # nobody has
                written = ""
            except OSError:
                self._lock.release(in_doubt=self.in_doubt)
                raise
        except OSError as exc:
            raise make_unusable_error(self.path, exc) from exc
        self._refuse_moved(self._lock)
        if written != self._stamp:  # another process wrote: an open client has stale indexes
            self.in_doubt |= bool(written) and not written.endswith(read_boot_id())
            self._stamp = written
            self.close()
        elif self.in_doubt:
            self.close()

    def _refuse_moved(self, lock: OwnerLock) -> None:
        """Raise ConfigError if the contents were moved since the folder was opened: a process that waited for the lock
        of the moving program would write to a place that nobody reads any more.
        """
        is_moved = (self.path / MOVED).exists()
        if self._was_moved is None:  # that program opens it in any case
            self._was_moved = is_moved
        if is_moved and not self._was_moved:
            try:
                read_format(self.path)
            except ConfigError:
                lock.release(in_doubt=self.in_doubt)
                raise


def blank_unwritten(chroma: Path, known: dict[str, int]) -> None:
    """Overwrite the index files of collections without an index with zeros; nothing in them is ever read.

    Those of a collection that has never saved its index (below 1,000 records) are created again by every process that
    opens it, 116 KB of memory that was not initialised: texts that were deleted long ago, and anything else. `known`
    are the files that were overwritten, with the time, brought up to date here.
    """
    # strings and os functions: this runs whenever the folder is released, and pathlib takes three times as long
    # where the folder cannot be written, nothing was created either
    with suppress(OSError), os.scandir(chroma) as entries:
        for segment in entries:
            if segment.is_dir(follow_symlinks=False) and not os.path.exists(f"{segment.path}/{_SAVED}"):
                for name in _FILES:
                    _blank(f"{segment.path}/{name}", known)


def _blank(path: str, known: dict[str, int]) -> None:
    with suppress(FileNotFoundError):
        status = os.stat(path)
        if status.st_mtime_ns != known.get(path):
            # the same file, because Chroma has it open
            with os.fdopen(os.open(path, os.O_RDWR), "r+b") as file:
                file.write(bytes(status.st_size))
            known[path] = os.stat(path).st_mtime_ns
