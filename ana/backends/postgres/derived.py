"""The tables in memory by which a person's records are found, as of one position of the journal.

Nothing is known only here. If another process has written meanwhile, the journal says which records changed.
"""

import numpy as np

from ana.backends.postgres.journal import State
from ana.backends.sql.items import ItemTables, make_in_memory
from ana.memory.backend import JournalPosition
from ana.memory.changes import KINDS, Kind
from ana.memory.item import from_json
from ana.postgres.session import Session
from ana.tables import Statement

PAGE = 1000
"""How many records are read at once."""

_KNOWN = "SELECT count(*) FILTER (WHERE seq > ?), min(ts) FILTER (WHERE seq = ?) FROM entries WHERE seq >= ?"
_CHANGED = (
    "SELECT DISTINCT ON (kind, id) kind, names, record, vector"
    " FROM entries LEFT JOIN records USING (person, kind, id) WHERE seq > ? ORDER BY kind, id"
)


class Derived:
    """The tables in memory of one person; used by one thread at a time."""

    def __init__(self) -> None:
        self.tables: dict[Kind, ItemTables] = {}
        self._state: State | None = None

    @property
    def seq(self) -> int:
        """Return the number of the last known entry of the journal."""
        return self._state.position[0] if self._state else 0

    @property
    def embedder(self) -> str | None:
        """Return the name of the embedder that made the vectors; None in an empty store."""
        return self._state.embedder[0] if self._state and self._state.embedder else None

    def is_at(self, state: State) -> bool:
        """Whether the tables agree with this state."""
        return self._state == state

    def read(self, session: Session, state: State) -> None:
        """Read the changes since then, or everything; the state is the store's in this transaction."""
        known, self._state = self._state, None  # after an error nothing is known
        is_same = known is not None and known.embedder == state.embedder
        if known is None or not is_same or not self._read_changes(session, known.position, state.position):
            self._read_all(session)
        self._state = state

    def _read_all(self, session: Session) -> None:
        self.tables = {kind: make_in_memory() for kind in KINDS}
        for kind, tables in self.tables.items():
            rows = session.scan(f"SELECT record, vector FROM records WHERE kind = '{kind}' ORDER BY row", PAGE)
            stored = ((from_json(record), np.frombuffer(vector, np.float32)) for record, vector in rows)
            tables.write(stored)

    def _read_changes(self, session: Session, since: JournalPosition, until: JournalPosition) -> bool:
        """Return whether the journal still has all changes since then."""
        seq, moment = since
        ((count, ts),), changed = session.run(Statement(_KNOWN, [seq, seq, seq]), Statement(_CHANGED, [seq]))
        # after an erasure, or of another store under this name, some are not there or others
        if count != until[0] - seq or (seq and ts != moment):
            return False
        for kind, tables in self.tables.items():
            mine = [(names[-1], record, vector) for each_kind, names, record, vector in changed if each_kind == kind]
            stored = [(from_json(record), np.frombuffer(vector, np.float32)) for _, record, vector in mine if record]
            tables.write(stored, [id for id, record, _ in mine if not record])
        return True
