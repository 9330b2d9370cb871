"""What Chroma has taken into its log and not entered into its tables, read in its SQLite file while it is closed.

It enters a write at once, so that nothing is left there unless a process was killed or a write cannot be entered. Such
a write (`MOST_NAMES` in metadata.py tells of one) stops every later one and all reading, whoever opens the folder.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from ana.backends.chroma.client import DATABASE
from ana.files import connect_own

T = TypeVar("T")

PATIENCE = 5.0
"""Seconds in which a client that was closed has let go of its files; one after a failed write takes a moment longer."""

_WAITING = """
FROM embeddings_queue q JOIN segments s ON s.scope = 'METADATA' AND q.topic LIKE '%' || s.collection
LEFT JOIN max_seq_id m ON m.segment_id = s.id
WHERE q.seq_id > coalesce(m.seq_id, 0)"""


def list_backlog(chroma: Path) -> set[str]:
    """Return the ids of the records of which a write waits; none if the file cannot be read: others say why."""
    if not (chroma / DATABASE).exists():
        return set()
    try:
        return _retry(lambda: _read(chroma / DATABASE))
    except sqlite3.Error:
        return set()


def drop_backlog(chroma: Path) -> None:
    """Remove the writes that wait. Only in a file that Chroma has not opened in this process.

    It has a SQLite of its own, and the locks of two of them in one process do not keep each other out.

    Raises:
        sqlite3.Error: The file cannot be read or written.
    """
    _retry(lambda: _drop(chroma / DATABASE))


def _read(database: Path) -> set[str]:
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as db:
        return {id for (id,) in db.execute(f"SELECT q.id {_WAITING}")}


def _drop(database: Path) -> None:
    with closing(connect_own(database)) as db, db:
        db.execute(f"DELETE FROM embeddings_queue WHERE seq_id IN (SELECT q.seq_id {_WAITING})")


def _retry(use: Callable[[], T]) -> T:
    """Use the file, again while a client that was closed a moment ago has not let go of its journal."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return use()
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR or time.monotonic() > until:
                raise
            time.sleep(0.02)
