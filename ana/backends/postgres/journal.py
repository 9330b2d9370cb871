"""The journal: every write in order, with the record before and after, and the cause."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ana.backends.postgres.names import LONGEST, to_name
from ana.errors import ConfigError
from ana.memory.backend import JournalPosition, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item, from_json, to_json
from ana.postgres.session import Session
from ana.tables import Rows, Statement

_COLUMNS = "seq, ts, names, kind, before, after, source"
ENTRIES = ("seq", "ts", "key", "thread", "turn", "kind", "id", "names", "before", "after", "source")
"""The columns of an entry."""

LOCK = Statement("SELECT entries, embedder, row FROM stores FOR UPDATE")
"""Reads the numbers given so far, once no other transaction that writes is open."""

STATE = Statement(
    "SELECT stores.entries, coalesce(entries.ts, ''), stores.embedder, stores.embedded"
    " FROM stores LEFT JOIN entries ON entries.seq = stores.entries"
)
"""Reads where the journal stands, and what embedded the records; no row of an empty store."""


class State(NamedTuple):
    """A row of STATE, about one store.

    Args:
        position: The position of the journal.
        embedder: The embedder of the vectors, and how often all vectors were made again; None for an empty store.
    """

    position: JournalPosition
    embedder: tuple[str, int] | None


def read_state(rows: Rows) -> State:
    """Return the state in the row of STATE."""
    for seq, ts, embedder, embedded in rows:
        return State((seq, ts), (embedder, embedded) if seq else None)
    return State((0, ""), None)


def check_embedder(bound: str | None, ours: str) -> None:
    """Raise ConfigError if a person's items were embedded with another embedder than the present one."""
    if bound is not None and bound != ours:
        raise ConfigError(
            f"What is kept was embedded with {bound}, not {ours}.",
            f"Set ANA_EMBEDDINGS={bound}, or embed everything again: ana reindex --embeddings {ours}",
        )


def list_entries(session: Session, turn: str | None, id: str | None, since: str, limit: int) -> list[Entry]:
    """Return entries, the newest first; arguments as of `Backend.entries`."""
    conditions, values = ["ts >= ?"], [since]
    for column, value in (("turn", turn), ("id", id)):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(to_name(value))
    return _select(session, f"{' AND '.join(conditions)} ORDER BY seq DESC", *values, limit=limit)


def find_by_keys(keys: Iterable[str]) -> Statement:
    """Return the statement that reads the entries that calls with these keys made."""
    return Statement(f"SELECT {_COLUMNS} FROM entries WHERE key = ANY(?)", [[to_name(key) for key in keys]])


def list_latest(session: Session, kind: Kind) -> list[Entry]:
    """Return the last entry of every record of a kind, the oldest first."""
    last = "SELECT max(seq) FROM entries WHERE kind = ? GROUP BY id"
    return _select(session, f"seq IN ({last}) ORDER BY seq", kind)


def list_deletions(session: Session, record: RecordKey | None) -> list[Entry]:
    """Return the last deletion of every deleted record, or of a single one, the newest first."""
    of_record, values = (" AND kind = ? AND id = ?", (record[0], to_name(record[1]))) if record else ("", ())
    last = f"SELECT max(seq) FROM entries WHERE before IS NOT NULL AND after IS NULL{of_record} GROUP BY kind, id"
    there = "SELECT 1 FROM records WHERE records.kind = entries.kind AND records.id = entries.id"
    return _select(session, f"seq IN ({last}) AND NOT EXISTS ({there}) ORDER BY seq DESC", *values)


def list_turns(session: Session, thread: str | None, prefix: str, limit: int) -> dict[str, str]:
    """Return turns with their threads, the one that wrote last first; arguments as of `Backend.turns`."""
    begin = json.dumps(prefix)[1:-1]
    # a turn may have changes outside of any thread
    of_turn = "SELECT names FROM entries WHERE turn = last.turn ORDER BY thread DESC, seq DESC LIMIT 1"
    conditions = ["seq = (SELECT max(seq) FROM entries WHERE turn = last.turn)"]
    values = []
    if prefix:
        conditions.append("turn BETWEEN ? AND ? || chr(1114111)")
        values += [begin[:LONGEST]] * 2
    if thread is not None:
        conditions.append("(SELECT max(thread) FROM entries WHERE turn = last.turn) = ?")
        values.append(to_name(thread))
    # of a long beginning the table knows a part
    most = None if limit < 0 or len(begin) > LONGEST else limit
    query = f"SELECT ({of_turn}) FROM entries AS last WHERE {' AND '.join(conditions)} ORDER BY seq DESC LIMIT ?"
    rows = (names for (names,) in session.ask(query, *values, most))
    threads = {turn: name for name, turn, *_ in rows if turn.startswith(prefix)}
    return dict([*threads.items()][: limit if limit >= 0 else None])


def make_entries(entries: Sequence[Entry], first: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of changes, numbered from the first on; their columns are ENTRIES."""
    for seq, entry in enumerate(entries, first):
        change = entry.change
        yield (
            *(seq, entry.ts, None if entry.key is None else to_name(entry.key), to_name(entry.thread)),
            *(to_name(entry.turn), change.kind, to_name(change.id)),
            *(json.dumps([entry.thread, entry.turn, entry.key, change.id]), _dump(change.before), _dump(change.after)),
            entry.source,
        )


def delete_entries(records: Collection[RecordKey]) -> Statement:
    """Return the statement that removes every entry of these records."""
    kinds, ids = [kind for kind, _ in records], [to_name(id) for _, id in records]
    these = "SELECT * FROM unnest(?::text[], ?::text[])"
    return Statement(f"DELETE FROM entries WHERE (kind, id) IN ({these})", [kinds, ids])


def read_entries(rows: Iterable[Sequence[Any]]) -> list[Entry]:
    """Return the entries of rows with the columns of `find_by_keys`."""
    return [
        Entry(ts, thread, turn, Change(kind, id, _load(before), _load(after)), key, seq, source)
        for seq, ts, (thread, turn, key, id), kind, before, after, source in rows
    ]


def _select(session: Session, where: str, *values: object, limit: int = -1) -> list[Entry]:
    most = None if limit < 0 else limit
    return read_entries(session.ask(f"SELECT {_COLUMNS} FROM entries WHERE {where} LIMIT ?", *values, most))


def _dump(item: Item | None) -> str | None:
    return None if item is None else json.dumps(to_json(item))


def _load(known: Any) -> Item | None:
    return None if known is None else from_json(known)
