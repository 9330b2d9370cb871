"""What keeps conversations, and owns them, passes the suite; locks in memory show that it asks for no file."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from ana.errors import StoreBusy
from ana.leases import Token
from ana.settings import Settings
from ana.threads.ids import canonical_id, make_id
from ana.threads.ports import PATIENCE, ThreadLocks
from ana.threads.postgres import PostgresThreadStore
from ana.threads.postgres_locks import PostgresThreadLocks
from ana.workspace import open_workspace
from tests.postgres.server import open_people
from tests.threads.conformance import LOCKS, ONE, STORE, OpenLocks, OpenStore, a_conversation_has_one_owner


@pytest.mark.parametrize("check", STORE)
def test_a_folder_of_threads_conforms(check: Callable[[OpenStore], None], settings: Settings) -> None:
    check(lambda person: open_workspace(settings, person).open_thread_store())


@pytest.mark.parametrize("check", STORE)
def test_threads_in_postgres_conform(check: Callable[[OpenStore], None]) -> None:
    people = open_people()
    check(lambda person: PostgresThreadStore(people(person)))


class MemoryLock:
    """A lock of this process."""

    token: Token | None = None

    def __init__(self, locks: "MemoryLocks", id: str, program: str, patience: float) -> None:
        self._locks, self._id, self._program, self._patience = locks, id, program, patience

    def acquire(self) -> None:
        until = time.monotonic() + self._patience
        while (holder := self._take()) is not None:
            if time.monotonic() >= until:
                raise StoreBusy(f"This conversation is in use by {holder}.")
            time.sleep(0.001)

    def release(self) -> None:
        self._locks.holders.pop(self._id, None)

    discard = release

    def _take(self) -> str | None:
        with self._locks.guard:
            holder = self._locks.all or self._locks.holders.get(self._id)
            if holder is None:
                self._locks.holders[self._id] = self._program
            return holder


class MemoryLocks:
    """The locks of one process."""

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.holders: dict[str, str] = {}
        self.all: str | None = None

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> MemoryLock:
        return MemoryLock(self, canonical_id(id) or id, program, patience)

    @contextmanager
    def own_all(self, program: str, patience: float = PATIENCE) -> Iterator[None]:
        with self.guard:
            if self.holders:
                raise StoreBusy(f"A conversation is in use by {', '.join(self.holders.values())}.")
            self.all = program
        try:
            yield
        finally:
            self.all = None


class NoLocks(MemoryLocks):
    """Locks that keep nobody out."""

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> MemoryLock:
        return MemoryLock(MemoryLocks(), id, program, patience)


@pytest.mark.parametrize("kind", ["folder", "memory"])
@pytest.mark.parametrize("check", LOCKS)
def test_locks_conform(check: Callable[[OpenLocks], None], kind: str, settings: Settings) -> None:
    kept: dict[str, MemoryLocks] = defaultdict(MemoryLocks)
    check(kept.__getitem__ if kind == "memory" else lambda person: open_workspace(settings, person).open_locks())


@pytest.mark.parametrize("check", LOCKS)
def test_leases_in_postgres_conform(check: Callable[[OpenLocks], None]) -> None:
    people = open_people()
    check(lambda person: PostgresThreadLocks(people(person)))


def test_the_suite_notices_locks_that_keep_nobody_out() -> None:
    @cache
    def open_locks(person: str) -> ThreadLocks:
        return NoLocks()

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        a_conversation_has_one_owner(open_locks)


def test_a_name_is_another_conversation_for_each_person_and_the_owners_is_what_it_was(tmp_path: Path) -> None:
    assert make_id("work") == "8e3b2f30-0427-516a-9316-404238f0ea1d"
    assert len({make_id("work"), make_id("work", "eve"), make_id("eve:work"), make_id("work", "bob")}) == 4
    assert make_id(ONE.upper(), "eve") == ONE
