"""Locks of files: who holds them, and what happens when a file is removed meanwhile."""

from pathlib import Path

import pytest
from filelock import lock_descriptor

from ana.errors import StoreBusy
from ana.locks import OwnerLock


def test_a_lock_has_one_holder_who_is_named(tmp_path: Path) -> None:
    first, second = (OwnerLock(tmp_path / "lock", "The folder", timeout=0, program="a test") for _ in range(2))
    assert not first.acquire()
    with pytest.raises(StoreBusy, match=r"The folder is in use by a test \(pid \d+, since "):
        second.acquire()
    with pytest.raises(StoreBusy):
        first.acquire()
    first.release()
    first.release()
    assert not second.acquire()
    second.release()


def test_a_lock_on_a_file_that_was_removed_is_not_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lock"

    def remove_and_lock(file: int, *, blocking: bool) -> bool:
        monkeypatch.undo()
        path.unlink()  # as `discard` does, between opening and locking
        return lock_descriptor(file, blocking=blocking)

    monkeypatch.setattr("ana.locks.lock_descriptor", remove_and_lock)
    first, second = OwnerLock(path, "The folder"), OwnerLock(path, "The folder", timeout=0)
    first.acquire()
    with pytest.raises(StoreBusy):
        second.acquire()
    first.discard()
    assert not list(tmp_path.iterdir())
    second.acquire()
    second.release()
