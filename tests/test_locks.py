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


@pytest.mark.parametrize("note", ["", "[]", "null", '{"program": "x", "pid": 1, "since": "now"}', '{"since": 1e300}'])
def test_a_note_that_nobody_can_read_names_another_program(tmp_path: Path, note: str) -> None:
    first, second = (OwnerLock(tmp_path / "lock", "The folder", timeout=0) for _ in range(2))
    first.acquire()
    (tmp_path / "lock.owner").write_text(note)
    with pytest.raises(StoreBusy, match="in use by another program"):
        second.acquire()
    first.release()
