"""What is asked of conversations by name, while others work in them too."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest

from ana.errors import StoreBroken, UserError
from ana.settings import Settings
from ana.threads.folder import NAMES, THREADS
from ana.threads.ports import PATIENCE, ThreadLock, ThreadLocks
from ana.threads.threads import Threads
from ana.workspace import open_workspace
from tests.threads.conformance import ONE, TWO, say


@dataclass
class LateLocks:
    """Locks that are got only after another program has had them."""

    locks: ThreadLocks
    before: Callable[[], object]
    asked: list[str]

    def lock(self, id: str, program: str, patience: float = PATIENCE) -> ThreadLock:
        self.asked.append(id)
        self.before()
        return self.locks.lock(id, program, patience)

    def own_all(self, program: str, patience: float = PATIENCE) -> AbstractContextManager[None]:
        return self.locks.own_all(program, patience)


def test_a_thread_that_another_program_deletes_meanwhile_is_deleted_once(settings: Settings) -> None:
    workspace = open_workspace(settings)
    other, store = workspace.open_threads(), workspace.open_thread_store()
    say(store, ONE, "hello")
    late = LateLocks(workspace.open_locks(), lambda: other.move_to_trash(ONE), [])
    with pytest.raises(UserError, match="no such thread"):
        Threads(store, workspace.open_traces(), late, "owner").move_to_trash(ONE)
    assert [each.thread for each in store.list_trash()] == [ONE]
    other.restore(ONE)
    assert store.ids() == [ONE]
    assert [*(settings.ana_data_dir / "locks").iterdir()] == []


def test_many_threads_are_owned_in_one_order_so_that_two_purges_do_not_wait_for_each_other(settings: Settings) -> None:
    workspace = open_workspace(settings)
    store = workspace.open_thread_store()
    ids = [ONE, TWO, *(f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b{n:03}" for n in range(10, 16))]
    for id in ids:
        say(store, id, "hello")
    locks = LateLocks(workspace.open_locks(), lambda: None, [])
    Threads(store, workspace.open_traces(), locks, "owner").purge(ids)
    assert locks.asked == sorted(ids)
    assert store.ids() == []


def test_what_is_asked_of_a_damaged_file_is_told_with_the_next_step(settings: Settings) -> None:
    workspace = open_workspace(settings)
    store = workspace.open_thread_store()
    say(store, ONE, "hello")
    (settings.ana_data_dir / THREADS).write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    threads = workspace.open_threads()
    asked: tuple[Callable[[], object], ...] = (
        threads.store.ids,
        threads.waiting,
        threads.store.list_trash,
        lambda: threads.erase(ONE),
        lambda: threads.purge([ONE]),
        lambda: threads.find_mentions(lambda _: True),
    )
    for ask in asked:
        with pytest.raises(StoreBroken, match="doctor --repair"):
            ask()


def test_a_name_that_cannot_be_written_is_told_with_the_next_step(settings: Settings) -> None:
    threads = open_workspace(settings).open_threads()
    (settings.ana_data_dir / NAMES).with_suffix(".lock").mkdir(parents=True)
    with pytest.raises(StoreBroken):
        threads.remember("garden")
