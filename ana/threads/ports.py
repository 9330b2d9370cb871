"""Deleted conversations, those that a client created, and the port for the locks of conversations."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from ana.leases import Token, working_under
from ana.values import read_json_lines

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
