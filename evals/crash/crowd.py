"""Many writers at once: threads of one process, and processes in turns on one folder. None may lose anything."""

import multiprocessing
import tempfile
import threading
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.examine import examine
from ana.embedders import WordLlamaEmbeddings
from ana.memory.memory import Memory
from ana.time.clock import Clock, local_zone

THREADS = 8
PROCESSES = 3
WRITES = 500
PATIENCE = 120.0
"""Seconds a writer waits for the others."""

_SPAWN = multiprocessing.get_context("spawn")
"""A fork would inherit an opened Chroma whose threads are gone."""


def threads(folder: Path, writers: int, writes: int) -> list[str]:
    """Let threads write into one memory; what is not as it must be afterwards."""
    memory = _memory(folder)
    running = [threading.Thread(target=_write, args=(memory, f"thread {n}", writes)) for n in range(writers)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    memory.close()
    return _missing(folder, [f"thread {n}" for n in range(writers)], writes)


def processes(folder: Path, writers: int, writes: int) -> list[str]:
    """Let processes write into one folder; what is not as it must be afterwards."""
    running = [_SPAWN.Process(target=_write_alone, args=(folder, f"process {n}", writes)) for n in range(writers)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    failed = [f"{each.name} ended with {each.exitcode}" for each in running if each.exitcode]
    return failed + _missing(folder, [f"process {n}" for n in range(writers)], writes)


def _memory(folder: Path) -> Memory:
    return Memory(_backend(folder), Clock(local_zone("UTC")))


def _backend(folder: Path) -> ChromaBackend:
    return ChromaBackend(folder, WordLlamaEmbeddings(), timeout=PATIENCE)


def _write_alone(folder: Path, name: str, writes: int) -> None:
    memory = _memory(folder)
    _write(memory, name, writes)
    memory.close()


def _write(memory: Memory, name: str, writes: int) -> None:
    for n in range(writes):
        memory.create(f"{name} wrote {n}", {"by": name, "n": n})


def _missing(folder: Path, names: list[str], writes: int) -> list[str]:
    backend = _backend(folder)
    there = sorted(item.content for item in backend.scan("item"))
    wanted = sorted(f"{name} wrote {n}" for name in names for n in range(writes))
    found = examine(backend)
    backend.close()
    wrong = found.store + found.index + [str(change) for change in found.journal]
    return wrong + ([] if there == wanted else [f"{len(there)} are there of {len(wanted)}"])


def main() -> int:
    """The long form."""
    wrong = []
    for what, run, writers in (("threads", threads, THREADS), ("processes", processes, PROCESSES)):
        with tempfile.TemporaryDirectory() as name:
            found = run(Path(name) / "data", writers, WRITES)
        print(f"{writers} {what} x {WRITES} writes: {'none lost' if not found else '; '.join(found[:5])}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
