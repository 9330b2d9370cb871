"""Locks of files: who holds them, and what happens when a file is removed meanwhile."""

import errno
import os
from pathlib import Path

import pytest
from filelock import lock_descriptor

from ana.errors import ConfigError, StoreBusy
from ana.locks import OwnerLock
from tests.forks import run_forked


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


@pytest.mark.parametrize("leave", ["release", "discard"])
def test_a_forked_child_does_not_free_its_parents_lock(tmp_path: Path, leave: str) -> None:
    # a process of its own, because this one has threads, and those cannot be forked
    done = run_forked(
        "-c",
        f"""
        import os
        from pathlib import Path
        from ana.errors import StoreBusy
        from ana.locks import OwnerLock

        first, second = (OwnerLock(Path("lock"), "The folder", timeout=0, program="a test") for _ in range(2))
        first.acquire()
        if (child := os.fork()) == 0:
            first.{leave}()
            os._exit(0)
        os.waitpid(child, 0)
        try:
            second.acquire()
        except StoreBusy as exc:
            print(exc)
        print(Path("lock").exists())
        first.release()
        print(second.acquire())
        """,
        cwd=tmp_path,
    )
    busy, *rest = done.stdout.splitlines() or [done.stderr]
    assert busy.startswith("The folder is in use by a test (pid ")
    assert rest == ["True", "False"]


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_named_with_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> bool:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("ana.locks.lock_descriptor", refuse)
    said = rf"The folder cannot be locked: .*{tmp_path} has no locks \({os.strerror(number)}\).*Set ANA_DATA_DIR"
    with pytest.raises(ConfigError, match=said):
        OwnerLock(tmp_path / "lock", "The folder").acquire()


@pytest.mark.parametrize("note", ["", "[]", "null", '{"program": "x", "pid": 1, "since": "now"}', '{"since": 1e300}'])
def test_a_note_that_nobody_can_read_names_another_program(tmp_path: Path, note: str) -> None:
    first, second = (OwnerLock(tmp_path / "lock", "The folder", timeout=0) for _ in range(2))
    first.acquire()
    (tmp_path / "lock.owner").write_text(note)
    with pytest.raises(StoreBusy, match="in use by another program"):
        second.acquire()
    first.release()
