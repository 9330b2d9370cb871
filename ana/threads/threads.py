"""Conversations by name: list, find and delete them."""

import heapq
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from ana.errors import UserError, WrongName
from ana.keys import OWNER
from ana.threads.ids import canonical_id, make_id, read_name
from ana.threads.ports import DeletedThread, ThreadLocks, owning
from ana.threads.store import ThreadStore
from ana.tracing.port import Traces

_PREFIX = re.compile(r"[0-9a-f]{8}[0-9a-f-]*")
"""The beginning of an id, as lists show it."""

AT_ONCE = 100
"""Threads that are locked at the same time: each lock is an open file."""


@dataclass(frozen=True)
class Thread:
    """One conversation; its name is empty if the person gave it none.

    `turns` are the turns in its traces, `first` and `last` the times when the first and the last of them began (ISO
    8601; empty if there are none), `about` and `latest` their questions.
    """

    id: str
    name: str
    turns: int
    first: str
    last: str
    about: str
    latest: str


class Threads:
    """A person's threads. Other information comes directly from the store."""

    def __init__(self, store: ThreadStore, traces: Traces, locks: ThreadLocks, person: str = OWNER) -> None:
        self.store = store
        self._traces = traces
        self._locks = locks
        self._person = person

    def resolve(self, name: str) -> str:
        """Return the id of the thread with this name or id, or of the only thread whose id begins with it.

        A given name always means the same thread, even if the id of another thread begins with it.
        """
        name = read_name(name)
        id, names = make_id(name, self._person), self.store.names()
        if canonical_id(name) or names.get(id) == name:
            return id
        named = [other for other, each in names.items() if each == name] or self._find_begun(name)
        return named[0] if len(named) == 1 else id

    def rename(self, id: str, name: str) -> None:
        """Give a conversation another name.

        Raises:
            WrongName: The text cannot be a name, or another conversation has it.
            UserError: There is no such thread.
        """
        name = read_name(name)
        if not self.exists(id):
            raise UserError("There is no such thread.", "`ana threads list` shows them.")
        if canonical_id(name):
            raise WrongName(f"{name} is the form of an id.", "Choose another name.")
        if (other := self.resolve(name)) != id and self.exists(other):
            raise WrongName(f"Another conversation is called {name}.", "Choose another name.")
        self.store.set_names({id: name})

    def open(self, name: str) -> str:
        """Resolve a name, and save it for lists if a conversation begins under it."""
        id = self.resolve(name)
        return self.remember(name) if id == make_id(read_name(name), self._person) else id

    def remember(self, name: str) -> str:
        """Return the id of the thread with exactly this name or id, and save the name for lists.

        Raises WrongName for a new name that looks like the id of another conversation.
        """
        name = read_name(name)
        id = make_id(name, self._person)
        if canonical_id(name) or self.store.names().get(id) == name:
            return id
        if begun := self._find_begun(name):
            raise WrongName(
                f"No conversation is named {name}, but the id of another begins so.",
                f"To go on with that one, give its whole id, {begun[0]}; else choose another name.",
            )
        self.store.set_names({id: name})
        return id

    def _find_begun(self, name: str) -> list[str]:
        """Return the threads whose ids begin with a text, because lists show only the beginning."""
        return [id for id in self.store.ids() if id.startswith(name)] if _PREFIX.fullmatch(name) else []

    def all(self) -> list[Thread]:
        """Return every thread, the last used first."""
        begun = self.store.ids()
        others = sorted(map(self.describe, self._find_recorded(begun)), key=lambda each: each.last, reverse=True)
        # what waits in its first turn has no record yet: it stays where the store has it
        return [*heapq.merge(map(self.describe, begun), others, key=lambda each: each.last or "~", reverse=True)]

    def exists(self, id: str) -> bool:
        """Return whether a conversation has begun, with ana or with another assistant."""
        return id in (begun := self.store.ids()) or id in self._find_recorded(begun)

    def _find_recorded(self, begun: Collection[str]) -> set[str]:
        """Return the conversations of other assistants: they have a name and records, and no state."""
        return {*self._traces.ids()} & self.store.names().keys() - {*begun}

    def waiting(self) -> dict[str, str]:
        """Return the threads that wait for a decision, each with the time for which it has waited: 5 min, 3 h, 2
        days.
        """
        now, since = datetime.now(UTC), self.store.waiting_since()
        return {id: _describe_age((now - datetime.fromisoformat(ts)).total_seconds()) for id, ts in since.items()}

    def describe(self, id: str) -> Thread:
        """Describe a thread by its traces."""
        records, name = self._traces.read(id), self.store.names().get(id, "")
        if not records:
            return Thread(id, name, 0, "", "", "", "")
        first, last = records[0], records[-1]
        return Thread(id, name, len(records), first["ts"], last["ts"], first["question"], last["question"])

    def move_to_trash(self, id: str) -> None:
        """Delete a thread so that `restore` can bring it back until the trash is purged.

        Raises UserError if there is none, StoreBusy if another program works in it.
        """
        with self._own_for_the_last_time([id]):
            if not self.exists(id):  # asked only now: another program may have deleted it meanwhile
                raise UserError("There is no such thread.", "`ana threads list` shows them.")
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            name = self.store.names().get(id, "")
            self.store.put_in_trash(id, now, name, self._traces.read_text(id))
            self._traces.delete(id)

    def find_deleted(self, name: str) -> DeletedThread | None:
        """Return the thread in the trash that `restore` brings back; None if there is none."""
        name = read_name(name)
        deleted, id = self.store.list_trash(), make_id(name, self._person)
        named = [each for each in deleted if each.thread == id or each.name == name]
        begun = [each for each in deleted if _PREFIX.fullmatch(name) and each.thread.startswith(name)]
        return next(iter(named or begun), None)

    def restore(self, name: str) -> Thread:
        """Bring a thread back from the trash, by name, id or the beginning of its id; if there are several, the one
        deleted last.

        Raises UserError if it is not in the trash, or another conversation has its id meanwhile.
        """
        deleted = self.find_deleted(name)
        if deleted is None:
            raise UserError(f"{name} is not in the trash.", "`ana trash` lists what is in it.")
        with self._own([deleted.thread], "ana threads restore"):
            if self.exists(deleted.thread):
                again = "Delete that one first; it can be restored too."
                raise UserError(f"There is a conversation {name} again.", again)
            # first: until the thread is there it can be tried again
            self._traces.put_back(deleted.thread, deleted.trace)
            self.store.take_out_of_trash(deleted)
        return self.describe(deleted.thread)

    def erase(self, id: str) -> None:
        """Delete permanently the checkpoints, the traces and the name of a thread that the caller owns."""
        self.store.delete([id])
        self._traces.delete(id)
        self.store.forget([id])

    def purge(self, ids: Collection[str]) -> None:
        """Delete threads permanently, so that no byte of them stays. Raises StoreBusy if another program works in one.

        The ids are of threads, of threads in the trash (`DeletedThread.id`), or of traces without a thread.
        """
        all_of_them = sorted(ids)
        for start in range(0, len(all_of_them), AT_ONCE):
            part = set(all_of_them[start : start + AT_ONCE])
            with self._own_for_the_last_time(part & {*self.store.ids()}):
                self.store.delete(part)
                for id in part & {*self._traces.ids()}:
                    self._traces.delete(id)
        self.store.tables.compact()

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        """Return the ids of the threads, including deleted ones and traces without a thread, that mention the given
        texts.
        """
        return self.store.find_mentions(mentions) | self._traces.find_mentions(mentions)

    @contextmanager
    def _own_for_the_last_time(self, ids: Collection[str]) -> Iterator[None]:
        """Own threads while they are deleted; then forget their names."""
        with self._own(ids, "ana threads delete"):
            yield
            self.store.forget(ids)

    @contextmanager
    def _own(self, ids: Collection[str], program: str) -> Iterator[None]:
        with ExitStack() as stack:
            for id in sorted(ids):  # in one order, so that no two programs wait for each other
                stack.enter_context(owning(self._locks.lock(id, program), ends=True))
            yield


def _describe_age(seconds: float) -> str:
    minutes = int(max(seconds, 0) / 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"
