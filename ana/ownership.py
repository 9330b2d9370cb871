"""Owning a conversation: one run at a time works in a thread, whichever door it came through."""

import asyncio
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from weakref import WeakSet

from ana.errors import StoreBusy, TurnStopped
from ana.files import refuse_read_only
from ana.locks import OwnerLock
from ana.settings import Settings

RUNS = 4
"""How many runs of the server work at once; any number may wait for their thread."""

PATIENCE = 10.0
"""Seconds that a door waits for a thread in which another works."""

ALL = "all.lock"
"""The lock of whoever owns every conversation, beside theirs."""

_POLL_SECONDS = 0.01
_slots = threading.BoundedSemaphore(RUNS)
_runs: "WeakSet[Ownership]" = WeakSet()
_stopped: set[str] = set()
"""Runs that were stopped, by their ids; the server may have taken one on before it has an Ownership."""


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
    """Own every conversation, also those that begin meanwhile.

    Args:
        settings: The settings, with the data folder.
        program: The name of this process in another one's message.
        patience: Seconds to wait for those in which somebody works.

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


class Ownership:
    """A server run's hold on its thread, from before the checkpoint is read until the last of its nodes has ended.

    Langgraph cannot stop a node that has begun: when a run is cancelled, the node's thread works on beside the next
    run. So the thread is released by whoever is last, the run or its node, and a stopped node begins no further call.

    Args:
        lock: The thread's, with no time-out; None for a run whose thread ends with it.
        thread: The thread's id.
        id: The run's.
    """

    def __init__(self, lock: OwnerLock | None, thread: str = "", id: str = "") -> None:
        self.thread = thread
        self.turn: str | None = None
        """The turn that began in this run."""
        self._lock = lock
        self._changing = threading.Lock()
        self._held = False
        self._stopped = id in _stopped
        self._closed = False
        self._nodes = 0
        _runs.add(self)

    @property
    def is_kept(self) -> bool:
        """Whether the thread outlives the run."""
        return self._lock is not None

    async def acquire(self, patience: float) -> None:
        """Wait for the thread without blocking the event loop.

        Raises:
            StoreBusy: It was not released in time; the message names its owner.
        """
        until = time.monotonic() + patience
        while busy := await asyncio.to_thread(self._try):
            if time.monotonic() > until:
                raise busy
            await asyncio.sleep(_POLL_SECONDS)
        self.check()

    async def wait_for_nodes(self) -> None:
        """Let no further node begin, and return when none works any more; the thread stays owned."""
        with self._changing:
            self._stopped = True
        while self._nodes:
            await asyncio.sleep(_POLL_SECONDS)

    def close(self) -> None:
        """End the run: release the thread, or let its last node do so."""
        with self._changing:
            self._stopped = self._closed = True
            self._release_if_last()

    @contextmanager
    def node(self) -> Iterator[None]:
        """Keep the thread while a node works.

        Raises:
            TurnStopped: The run has ended.
        """
        with self._changing:
            self.check()
            self._nodes += 1
        try:
            yield
        finally:
            with self._changing:
                self._nodes -= 1
                self._release_if_last()

    def check(self) -> None:
        """Raise TurnStopped if the run has ended: nobody will see what a node of it does from now on."""
        if self._stopped:
            raise TurnStopped("The turn was stopped.")

    def _try(self) -> StoreBusy | None:
        """Take the thread if it is free and the run has not ended meanwhile; return why not otherwise."""
        with self._changing:
            if self._stopped:
                return None
            if not _slots.acquire(blocking=False):
                return StoreBusy("The server is busy with other conversations.", "Send the message again later.")
            try:
                if self._lock:
                    self._lock.acquire()
                self._held = True
            except StoreBusy as exc:
                return exc
            finally:
                if not self._held:
                    _slots.release()
            return None

    def _release_if_last(self) -> None:
        if not (self._closed and self._held) or self._nodes:
            return
        self._held = False
        _slots.release()
        if self._lock:
            self._lock.release()


owner: ContextVar[Ownership | None] = ContextVar("owner", default=None)
"""The ownership of the run that this code belongs to; None at doors that own the thread while they run the graph."""


@contextmanager
def work() -> Iterator[Ownership | None]:
    """Keep the thread of the present run while a node works. Raises TurnStopped if the run has ended."""
    if present := owner.get():
        with present.node():
            yield present
    else:
        yield None


def check_stopped() -> None:
    """Raise TurnStopped if the present run has ended."""
    if present := owner.get():
        present.check()


def stop_runs(thread: str, ids: Iterable[str]) -> None:
    """Stop the runs of a thread that is deleted: one that waits, or begins, would bring it back.

    Call it in the event loop.

    Args:
        thread: The thread's id.
        ids: Those of its runs.
    """
    _stopped.update(ids)
    for run in list(_runs):
        if run.thread == thread:
            run.close()
