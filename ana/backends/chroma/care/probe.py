"""Find out in a child process whether Chroma can be used, because a damaged vector index can end the one that opens it.

`python -m ana.backends.chroma.care.probe FOLDER SEARCHES` says that it has begun, opens the Chroma in FOLDER, reads
every record with its vector and searches from so many of each page; it exits with 0 if all of that works, and names the
fault on standard error. If it ends before it has begun, that says nothing about the store.
"""

import signal
import sys
from pathlib import Path

from ana import children
from ana.errors import AnaError, StoreBroken

BEGUN = "begun"
SECONDS = 300
"""The child's time limit; 100,000 records take about 10 s."""

SEARCHES, NEAREST = 150, 10
"""Searches from places all over a page of records, and how many neighbours each asks for."""

STOPPED = (signal.SIGINT, signal.SIGTERM)
"""What somebody sends who ends all processes of a program, with Ctrl-C or as systemd does."""

EVERY = 10**9
"""Searches from every record: a graph can be damaged where a few do not come."""


def find_fault(path: Path, searches: int = SEARCHES) -> str | None:
    """Return the fault of Chroma's own folder in one line; None if it can be used. Nobody may have the folder open.

    Raises:
        StoreBroken: The child could not be started, or somebody stopped it, so nobody knows.
    """
    try:
        # damaged files may end the process that opens them, or keep it busy without end
        done = children.run_python("-m", "ana.backends.chroma.care.probe", str(path), str(searches), timeout=SECONDS)
    except children.TimeoutExpired:
        return f"it did not answer within {SECONDS} s."
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    ended = f"the process that opened it ended with {done.returncode}."
    fault = lines[-1] if lines and lines[-1] != BEGUN else ended
    if -done.returncode in STOPPED:
        raise StoreBroken("The check of the store was stopped.", "Nothing was changed. Try again.")
    if BEGUN not in lines:
        raise StoreBroken(f"The store could not be checked: {fault}", "Nothing was changed. Install ana again.")
    return fault


def main(path: Path, searches: int) -> int:
    """Open, read and search everything, and return the exit code."""
    from ana.backends.chroma.client import load_chromadb, open_chroma
    from ana.backends.chroma.source import iter_pages
    from ana.output import tell

    load_chromadb()
    from chromadb.errors import ChromaError

    tell(BEGUN)
    try:
        client = open_chroma(path)
        for collection in client.list_collections():
            for page in iter_pages(collection):
                vectors = page["embeddings"]
                if vectors is None or len(vectors) != len(page["ids"]):
                    raise ValueError(f"{collection.name}: vectors are missing")
                # a damaged graph may be entered without harm from one place and end the process from another
                queries = vectors[:: max(len(vectors) // searches, 1)]
                collection.query(query_embeddings=queries, n_results=min(NEAREST, len(queries)), include=[])
        client.close()
    except (AnaError, ChromaError, OSError, ValueError, RuntimeError, TypeError) as exc:
        fault = exc.message if isinstance(exc, AnaError) else f"{type(exc).__name__}: {exc}."
        tell(" ".join(fault.split()))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2])))
