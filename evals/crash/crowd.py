"""Many writers at once: threads of one process, and processes that take turns on one folder. Nothing may be lost."""

import sys
import tempfile
import threading
from pathlib import Path

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.examine import examine
from ana.children import start_python
from ana.embedders import WordLlamaEmbeddings
from ana.memory.memory import Memory
from ana.time.clock import Clock, local_zone

THREADS = 8
PROCESSES = 3
WRITES = 500
PATIENCE = 120.0
"""Seconds a writer waits for the others."""


def write_in_threads(folder: Path, writers: int, writes: int) -> list[str]:
    """Let threads write into one memory. Return what is wrong afterwards."""
    memory = _open_memory(folder)
    running = [threading.Thread(target=_write, args=(memory, f"thread {n}", writes)) for n in range(writers)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    memory.close()
    return _find_faults(folder, [f"thread {n}" for n in range(writers)], writes)


def write_in_processes(folder: Path, writers: int, writes: int) -> list[str]:
    """Let processes write into one folder. Return what is wrong afterwards."""
    # not forks: those would inherit an opened Chroma whose threads are gone
    names = [f"process {n}" for n in range(writers)]
    running = [start_python("-m", "evals.crash.crowd", str(folder), name, str(writes)) for name in names]
    failed = [f"{name} ended with {code}" for name, each in zip(names, running, strict=True) if (code := each.wait())]
    return failed + _find_faults(folder, names, writes)


def _open_memory(folder: Path) -> Memory:
    return Memory(_open_backend(folder), Clock(local_zone("UTC")))


def _open_backend(folder: Path) -> ChromaBackend:
    return ChromaBackend(folder, WordLlamaEmbeddings(), timeout=PATIENCE)


def _write_alone(folder: Path, name: str, writes: int) -> None:
    memory = _open_memory(folder)
    _write(memory, name, writes)
    memory.close()


def _write(memory: Memory, name: str, writes: int) -> None:
    for n in range(writes):
        memory.create(f"{name} wrote {n}", {"by": name, "n": n})


def _find_faults(folder: Path, names: list[str], writes: int) -> list[str]:
    backend = _open_backend(folder)
    stored = sorted(item.content for item in backend.scan("item"))
    wanted = sorted(f"{name} wrote {n}" for name in names for n in range(writes))
    findings = examine(backend)
    backend.close()
    wrong = findings.store + findings.index + [str(change) for change in findings.journal]
    return wrong + ([] if stored == wanted else [f"{len(stored)} of {len(wanted)} are stored"])


def main(arguments: list[str]) -> int:
    """Run the long form; with a folder, a name and a number of writes be one of its processes."""
    if arguments:
        folder, name, writes = arguments
        _write_alone(Path(folder), name, int(writes))
        return 0
    wrong = []
    for kind, run, writers in (("threads", write_in_threads, THREADS), ("processes", write_in_processes, PROCESSES)):
        with tempfile.TemporaryDirectory() as name:
            found = run(Path(name) / "data", writers, WRITES)
        print(f"{writers} {kind} x {WRITES} writes: {'none lost' if not found else '; '.join(found[:5])}", flush=True)
        wrong += found
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
