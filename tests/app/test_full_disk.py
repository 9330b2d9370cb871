"""A full disk and a read-only one, really: a small file system of its own, made in a name space of its own.

Where the system does not let an ordinary process make one, the limit on the size of files stands in for the full disk.
"""

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from ana.backends.chroma.care.examine import examine
from ana.settings import PROJECT
from ana.time.clock import Clock, find_local_zone
from tests.chroma import chroma_of, open_memory
from tests.conftest import EMBEDDER, folders
from tests.forks import run_forked

SMALL = """
    import subprocess, sys
    from contextlib import suppress
    from pathlib import Path

    from ana.time.clock import Clock, find_local_zone
    from ana.errors import AnaError
    from ana.backends.chroma.care.examine import examine
    from tests.app.test_full_disk import NO_FILE_SYSTEM, leave_shared_file_systems
    from tests.chroma import chroma_of, open_memory
    from tests.conftest import EMBEDDER
    from tests.forks import fork_from_here, run_forked

    disk = Path(sys.argv[1])

    def mount(*options):
        subprocess.run(["mount", *options, str(disk)], check=True)

    def ana(*arguments):
        done = run_forked("-m", "app.cli", *arguments, timeout=120)
        told = done.stdout + done.stderr
        assert "Traceback" not in told, told
        return done.returncode, told

    def texts():
        memory = open_memory(disk / "data", EMBEDDER, clock)
        found = sorted(item.content for item in memory.items())
        assert examine(chroma_of(memory)).is_sound
        memory.close()
        return found

    try:
        leave_shared_file_systems()
        mount("-t", "tmpfs", "-o", "size=3m", "tmpfs")
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(NO_FILE_SYSTEM)
    fork_from_here()
    clock, kept, said = Clock(find_local_zone("UTC")), [], ""
    memory = open_memory(disk / "data", EMBEDDER, clock)
    for n in range(1000):
        try:
            kept.append(memory.create(f"text {n} " + "x" * 20_000).after.content)
        except AnaError as exc:
            said = exc.sentence()
            break
    assert "disk" in said, said
    assert len(kept) > 3, len(kept)
    memory.close()
    print("full", len(kept), said)

    for command in (("ask", "note: one more " + "y" * 1900), ("doctor", "--repair"), ("backup", str(disk / "b.zip"))):
        code, told = ana(*command)
        assert code == 1, (command, code, told)
        assert "disk" in told or "space" in told, told
        print(command[0], told.strip()[:200])
    assert not list(disk.glob("*b.zip*")), "nothing half written stays"

    with (disk / "other").open("wb", buffering=0) as other, suppress(OSError):
        while True:
            other.write(b"x" * 4096)
    for command in (("items",), ("undo",), ("doctor",), ("doctor", "--repair")):
        code, told = ana(*command)
        assert code in (1, 2), (command, code, told)
        assert "disk" in told and "set aside" not in told and "set-aside" not in told, (command, told)
        assert not (disk / "data" / "set-aside").exists(), (command, "what is whole stays where it is")

    mount("-o", "remount,size=60m")
    there = texts()
    assert set(kept) <= set(there) and len(there) <= len(kept) + 2, (len(kept), len(there))
    code, told = ana("ask", "note: there is room again")
    assert code == 0, told

    mount("-o", "remount,ro")
    for command in (("items",), ("ask", "note: not to be written"), ("undo",), ("doctor", "--repair")):
        code, told = ana(*command)
        assert code == 2, (command, code, told)
        assert "cannot be written. Make it writable" in told, told
    mount("-o", "remount,rw")
    assert len(texts()) == len(there) + 1
    print("all is well")
"""


NO_FILE_SYSTEM = 77
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000


def leave_shared_file_systems() -> None:
    """Give this process file systems of its own, in which it may mount others, as `unshare --mount` does.

    Raises:
        OSError: The system does not allow it.
        subprocess.CalledProcessError: Nor does `mount`.
    """
    libc, user, group = ctypes.CDLL(None, use_errno=True), os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)):
        raise OSError(ctypes.get_errno(), "unshare")
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
            Path("/proc/self", name).write_text(text)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def test_a_full_and_a_read_only_disk_are_told_and_lose_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    env = folders(disk, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT)) | {"LOG_FILE_PATH": str(tmp_path / "log")}
    done = run_forked("-c", SMALL, str(disk), env=env, timeout=110)
    if done.returncode == NO_FILE_SYSTEM:
        pytest.skip("no file system can be made here; the test below stands in")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("all is well\n")


LIMITED = """
    import json, os, resource, signal, sys
    from pathlib import Path

    from ana.time.clock import Clock, find_local_zone
    from ana.errors import AnaError
    from tests.chroma import open_memory
    from tests.conftest import EMBEDDER

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    memory = open_memory(Path(sys.argv[1]), EMBEDDER, Clock(find_local_zone("UTC")))
    print(memory.create("first").id)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    try:
        for n in range(1000):
            print(memory.create(f"text {n} " + "x" * 20_000).id, flush=True)
    except AnaError as exc:
        print(exc.sentence(), file=sys.stderr)
        raise SystemExit(7)
"""


def test_files_that_may_not_grow_are_told_and_lose_nothing(tmp_path: Path) -> None:
    done = run_forked("-c", LIMITED, str(tmp_path / "data"), timeout=120)
    assert done.returncode == 7, done.stderr
    assert "disk" in done.stderr
    memory = open_memory(tmp_path / "data", EMBEDDER, Clock(find_local_zone("UTC")))
    there = {item.id for item in memory.items()}
    assert set(done.stdout.split()) <= there
    assert len(there) <= len(done.stdout.split()) + 1
    assert examine(chroma_of(memory)).is_sound
    memory.close()


REPAIR = """
    import resource, signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    from app.cli.main import main

    main()
"""


def test_a_repair_without_room_is_told_and_can_be_repeated(tmp_path: Path) -> None:
    memory = open_memory(tmp_path / "data", EMBEDDER, Clock(find_local_zone("UTC")))
    kept = {memory.create(f"text {n} " + "x" * 20_000).id for n in range(20)}
    memory.close()
    for spoiled in (*(tmp_path / "data" / "chroma").glob("*/*.bin"), tmp_path / "data" / "items.index.sqlite"):
        spoiled.write_bytes(b"noise" * 100)
    env = folders(tmp_path, LLM_PROVIDER="offline", PYTHONPATH=str(PROJECT))
    done = run_forked("-c", REPAIR, "doctor", "--repair", env=env, timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert (done.stdout + done.stderr).strip().endswith("."), "a sentence, wherever the room ran out"
    done = run_forked("-m", "app.cli", "doctor", "--repair", env=env, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    memory = open_memory(tmp_path / "data", EMBEDDER, Clock(find_local_zone("UTC")))
    assert {item.id for item in memory.items()} == kept
    memory.close()
