"""Ports for the storage of conversations: states, names, trash, locks. Files in a folder are one implementation."""

from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ana.leases import Token, working_under
from ana.values import read_json_lines

if TYPE_CHECKING:
    from ana.threads.saver import ThreadSaver

PATIENCE = 10.0
"""Seconds that a door waits for a thread in which another works."""


@dataclass(frozen=True)
class DeletedThread:
    """A conversation that was deleted at `ts` (ISO 8601 in UTC), with its own id as `thread`.

    `id` is the id of its checkpoints in the trash, `trace` the text of its trace file, if it had one.
    """

    id: str
    thread: str
    ts: str
    name: str
    trace: str

    @property
    def question(self) -> str:
        """Return the person's first message; empty if no record has it."""
        return str(next(read_json_lines(self.trace), {}).get("question") or "")


@dataclass(frozen=True)
class Created:
    """The moment when a client created a conversation (ISO 8601 in UTC), and the client's own notes about it."""

    ts: str
    metadata: dict[str, Any]


class ThreadStore(Protocol):
    """A person's conversations: their states, their names, the one used last, and the trash.

    A thread in the trash has an id of its own, and is in no list of threads. If nothing can be written, names and the
    last thread stay unchanged. Failures of the disk or the database are raised as one of ana.errors, except in savers.
    """

    errors: tuple[type[Exception], ...]
    """What savers raise where the disk, or the database, fails: OSError, and what the database has."""

    def open_saver(self) -> "AbstractContextManager[ThreadSaver]":
        """Open the saver of a door that runs the graph itself."""

    @asynccontextmanager
    async def open_server_saver(self) -> "AsyncIterator[ThreadSaver]":
        """Open the saver of a program with an event loop."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        # one thread, so that what is asked for first is saved first
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="saver")
        with ExitStack() as stack:
            try:
                loop = asyncio.get_running_loop()
                saver = await loop.run_in_executor(worker, stack.enter_context, self.open_saver())
                saver.worker = worker
                yield saver
            finally:
                await asyncio.to_thread(worker.shutdown)

    def map_errors(self) -> AbstractContextManager[None]:
        """Turn the `errors` of savers into StoreBroken: a sentence with the next step."""

    def ids(self) -> list[str]:
        """Return the ids of all threads, the one written last first."""

    def marks(self) -> dict[str, tuple[int, int]]:
        """Return a mark of the newest state of each thread, which changes with every change of the state."""

    def list_waiting(self) -> list[str]:
        """Return the ids of the threads that wait for a person, the one written last first."""

    def waiting_since(self) -> dict[str, str]:
        """Return the threads of `list_waiting`, each with the moment at which it began to wait."""
        ids = self.list_waiting()
        if not ids:  # the code that reads checkpoints takes half a second to import
            return {}
        with self.map_errors(), self.open_saver() as saver:
            newest = {id: saver.get_tuple({"configurable": {"thread_id": id}}) for id in ids}
        return {id: state.checkpoint["ts"] for id, state in newest.items() if state}

    def names(self) -> dict[str, str]:
        """Return the names of conversations by their ids."""

    def set_names(self, names: Mapping[str, str]) -> None:
        """Name conversations, given by their ids; they may not have begun yet."""

    def created(self) -> dict[str, Created]:
        """Return the conversations that a client has created, by their ids; they may not have begun yet."""

    def create(self, id: str, created: Created) -> None:
        """Store a client's metadata of a conversation, in place of the earlier metadata."""

    def last(self) -> str | None:
        """Return the thread in which the REPL was left; None if there is none."""

    def set_last(self, id: str) -> None:
        """Note the thread in which the REPL is left."""

    def forget(self, ids: Collection[str]) -> None:
        """Forget the names of threads, and that one of them was the last."""

    def put_in_trash(self, id: str, ts: str, name: str, trace: str) -> None:
        """Move a thread with its name and its trace into the trash, in one step."""

    def list_trash(self) -> list[DeletedThread]:
        """Return every deleted thread, the one deleted last first."""

    def take_out_of_trash(self, deleted: DeletedThread) -> None:
        """Give a thread its own id again, in one step, and its name."""

    def delete(self, ids: Collection[str]) -> None:
        """Delete threads, by their own ids or by those in the trash."""

    def compact(self) -> None:
        """Rewrite the files so that no byte of deleted conversations is left."""

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        """Return the ids of the threads, including deleted ones, that mention the given texts."""


class ThreadLock(Protocol):
    """The right to work in a conversation. It ends with the holder's process; the holder cannot take it twice."""

    @property
    def token(self) -> Token | None:
        """The token by which the holder's writes are checked (`ana.leases`); None if the lock cannot be lost."""

    def acquire(self) -> object:
        """Take it. Raises StoreBusy, which names the holder, if another one did not release it in time."""

    def release(self) -> None:
        """Let others take it."""

    def discard(self) -> None:
        """Release it and remove its files or rows, which the next owner makes again."""


@contextmanager
def owning(lock: ThreadLock, *, ends: bool = False) -> Iterator[None]:
    """Hold a lock, and make it check all writes; `ends` says that the conversation is deleted afterwards.

    Raises StoreBusy as `acquire` does.
    """
    lock.acquire()
    try:
        with working_under(lock.token):
            yield
    finally:
        (lock.discard if ends else lock.release)()


class ThreadLocks(Protocol):
    """The locks of a person's conversations."""

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> ThreadLock:
        """Return the lock of a conversation: two runs in one thread at once silently lose turns.

        It also keeps out other code of this process.

        Args:
            id: The thread's id, in any spelling.
            program: The name of this process in another's messages.
        """

    def own_all(self, program: str, patience: float = PATIENCE) -> AbstractContextManager[None]:
        """Own every conversation, including those that begin meanwhile; wait for them at most `patience` seconds.

        Raises StoreBusy, which names the owner of one that was not released in time.
        """
