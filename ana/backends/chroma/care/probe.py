"""Find out in a child process whether Chroma can be used, because a damaged vector index can end the one that opens it.

`python -m ana.backends.chroma.care.probe FOLDER` opens the Chroma in FOLDER, reads every record with its vector and
searches each collection once; it exits with 0 if all of that works, and names the fault on standard error.
"""

import subprocess
import sys
from pathlib import Path

SECONDS = 300
"""The child's time limit; 100,000 records take about 10 s."""


def find_fault(path: Path) -> str | None:
    """Check the Chroma in a folder in a child process, which may crash.

    Args:
        path: Chroma's own folder. Nobody else may have it open.

    Returns:
        None if it can be used, else the fault in one line.
    """
    command = [sys.executable, "-m", "ana.backends.chroma.care.probe", str(path)]
    try:
        # damaged files may end the process that opens them, or keep it busy without end
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not answer within {SECONDS} s."
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"the process that opened it ended with {done.returncode}."


def main(path: Path) -> int:
    """Open, read and search everything, and return the exit code."""
    from chromadb.errors import ChromaError

    from ana.backends.chroma.client import open_chroma
    from ana.backends.chroma.source import PAGE
    from ana.errors import AnaError
    from ana.output import tell

    try:
        client = open_chroma(path)
        for collection in client.list_collections():
            for offset in range(0, collection.count(), PAGE):
                page = collection.get(limit=PAGE, offset=offset, include=["documents", "metadatas", "embeddings"])
                vectors = page["embeddings"]
                if vectors is None or len(vectors) != len(page["ids"]):
                    raise ValueError(f"{collection.name}: vectors are missing")
                collection.query(query_embeddings=vectors[:1], n_results=1)
        client.close()
    except (AnaError, ChromaError, OSError, ValueError, RuntimeError, TypeError) as exc:
        fault = exc.message if isinstance(exc, AnaError) else f"{type(exc).__name__}: {exc}."
        tell(" ".join(fault.split()))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
