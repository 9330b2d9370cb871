"""The maintenance of a person's items in PostgreSQL: the name of their embedder, and embedding them again."""

from typing import Any

import numpy as np

from ana.backends.postgres.backend import PostgresBackend
from ana.backends.postgres.journal import LOCK
from ana.embedders import Embedder
from ana.memory.item import from_json
from ana.memory.search.property_text import render_text
from ana.postgres.person import PersonRows
from ana.stopping import Progress

AT_ONCE = 500
"""How many records are embedded at once."""

_NAMES = {"item": "items", "line": "global_context"}


def open_rows(rows: PersonRows, embedder: Embedder) -> "tuple[PostgresBackend, PostgresCare]":
    """Return a person's store, and the `Care` that maintains it."""
    return PostgresBackend(rows.database, rows.person, embedder), PostgresCare(rows, embedder)


def read_embedder(rows: PersonRows) -> str | None:
    """Return the name of the embedder that made a person's vectors; None if they have no items."""
    return next((name for (name,) in rows.ask("SELECT embedder FROM stores WHERE entries > 0")), None)


class PostgresCare:
    """Maintenance of a person's items in PostgreSQL."""

    def __init__(self, rows: PersonRows, embedder: Embedder) -> None:
        self._rows, self.embedder = rows, embedder

    def describe(self) -> list[dict[str, Any]]:
        counts: dict[str, int] = dict(self._rows.ask("SELECT kind, count(*) FROM records GROUP BY kind"))
        bound = {"embedder": read_embedder(self._rows) or self.embedder.name}
        return [{"name": name, "count": counts.get(kind, 0)} | bound for kind, name in _NAMES.items()]

    def reindex(self, progress: Progress) -> int:
        with self._rows.write() as session:
            session.run(LOCK)
            stored = session.ask("SELECT row, record FROM records ORDER BY row")
            for first in range(0, len(stored), AT_ONCE):
                some = stored[first : first + AT_ONCE]
                items = [from_json(record) for _, record in some]
                vectors = self.embedder.embed_documents([render_text(item) for item in items])
                columns = [row for row, _ in some], [np.array(vector, np.float32).tobytes() for vector in vectors]
                session.add(
                    "UPDATE records SET vector = given.vector FROM unnest(?::integer[], ?::bytea[])"
                    " AS given(row, vector) WHERE records.row = given.row",
                    *columns,
                )
                session.run()
                progress(first + len(some), len(stored))
            session.add("UPDATE stores SET embedder = ?, embedded = embedded + 1", self.embedder.name)
        return len(stored)
