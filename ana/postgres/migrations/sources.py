"""The Python part of the step `sources`: older records and entries get their sources."""

import json
from typing import Any

from psycopg import Connection

from ana.memory.sources import PastStates, find_source

_TOUCHED = "SELECT DISTINCT kind, id FROM entries WHERE turn ^@ 'import-' OR turn ^@ 'mcp-'"
_ENTRIES = "SELECT seq, names, before, after FROM entries WHERE kind = $1 AND id = $2 ORDER BY seq"


def tell_sources(connection: Connection[Any]) -> None:
    """Tell the sources of everybody's records, in the transaction of the step."""
    for (person,) in connection.execute("SELECT number FROM people").fetchall():
        connection.execute("SELECT set_config('ana.person', $1, true)", (str(person),))
        for record in connection.execute(_TOUCHED).fetchall():
            _tell_sources_of(connection, record)


def _tell_sources_of(connection: Connection[Any], key: tuple[str, str]) -> None:
    states = PastStates()
    for seq, (_, turn, *_), before, after in connection.execute(_ENTRIES, key).fetchall():
        states.add(turn, before, after)
        sides = [side and json.dumps(states.complete(side)) for side in (before, after)]
        row = (find_source(turn), *sides, seq)
        connection.execute("UPDATE entries SET source = $1, before = $2, after = $3 WHERE seq = $4", row)
    for (record,) in connection.execute("SELECT record FROM records WHERE kind = $1 AND id = $2", key).fetchall():
        text = json.dumps(states.complete(record))
        connection.execute("UPDATE records SET record = $3 WHERE kind = $1 AND id = $2", (*key, text))
