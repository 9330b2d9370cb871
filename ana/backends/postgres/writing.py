"""Making changes: one round trip reads everything that they depend on, another one writes and reads back."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ana.backends.postgres.journal import ENTRIES, LOCK, check_embedder, find_by_keys, make_entries, read_entries
from ana.backends.postgres.names import to_name
from ana.embedders import Embedder
from ana.embedders.known import embed_many
from ana.errors import DuplicateItem
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, combine, net
from ana.memory.digests import digest_content
from ana.memory.item import Item, from_json, to_json
from ana.memory.search.property_text import render_text
from ana.postgres.session import Session
from ana.tables import Rows, Statement

_RECORDS = ("row", "kind", "id", "created_at", "digest", "vector", "record")


class Writing:
    """Changes that are made together; texts are embedded first, before others are kept out.

    Args:
        entries: The entries for the journal.
        embedder: Turns text into vectors.
    """

    def __init__(self, entries: Sequence[Entry], embedder: Embedder) -> None:
        self._entries, self._embedder = entries, embedder
        self._changes = net(entry.change for entry in entries)
        self._vectors = embed_many(embedder, [render_text(c.after) for c in self._changes if c.after])

    def make(self, session: Session, expected: Expected, *, distinct: bool, commits: bool) -> list[Change]:
        """Make the changes and return them; arguments and errors as of `Backend.apply`."""
        concerned = {*expected, *(change.key for change in self._changes)}
        new = [change.after for change in self._changes if change.after and change.kind == "item"]
        digests = [digest_content(item.content, item.properties) for item in new] if distinct else []
        numbers, earlier, stored, copies = session.run(
            LOCK,
            find_by_keys(entry.key for entry in self._entries if entry.key),
            select_records(concerned),
            Statement(
                "SELECT record FROM records WHERE kind = 'item' AND digest = ANY(?) ORDER BY created_at, id LIMIT 1",
                [digests],
            ),
        )
        by_key = {entry.key: entry.change for entry in read_entries(earlier)}
        if known := find_earlier_change(by_key.get, self._entries):
            return [known]
        check_expected(expected, read_records(stored))
        if copies:
            raise DuplicateItem(copies[0][0]["id"])
        ((last, embedder, row),) = numbers
        check_embedder(embedder if last else None, self._embedder.name)
        self._write_records(session, row, {(kind, record["id"]): number for kind, record, number in stored})
        session.insert("entries", ENTRIES, make_entries(self._entries, last + 1))
        session.add("UPDATE stores SET embedder = ?, entries = ?", self._embedder.name, last + len(self._entries))
        (read,) = session.run(select_records([c.key for c in self._changes]), commits=commits)
        back = read_records(read)
        return [replace(c, after=back.get(c.key, c.after)) for c in combine(entry.change for entry in self._entries)]

    def fill(self, session: Session) -> None:
        """Enter new records into a store that is being filled; its journal is filled separately."""
        ((_, _, row),) = session.run(LOCK)[0]
        self._write_records(session, row, {})

    def _write_records(self, session: Session, last: int, stored: Mapping[RecordKey, int]) -> None:
        """Write the records in their new state.

        Args:
            last: The last row number in use.
            stored: The row numbers of existing records, which they keep.
        """
        if known := [stored[change.key] for change in self._changes if change.key in stored]:
            session.add("DELETE FROM records WHERE row = ANY(?)", known)
        rows = dict(stored)
        for change in self._changes:
            if change.after and change.key not in rows:
                last += 1
                rows[change.key] = last
        records = (self._make_record(rows[c.key], c.kind, c.after) for c in self._changes if c.after)
        session.insert("records", _RECORDS, records)
        session.add("UPDATE stores SET row = ?", last)

    def _make_record(self, row: int, kind: Kind, item: Item) -> tuple[object, ...]:
        digest = digest_content(item.content, item.properties)
        vector, record = self._vectors[render_text(item)].tobytes(), json.dumps(to_json(item))
        return row, kind, to_name(item.id), item.created_at, digest, vector, record


def select_records(keys: Collection[RecordKey]) -> Statement:
    """Return the statement that reads the existing ones of these records: kind, record, row."""
    kinds, ids = [kind for kind, _ in keys], [to_name(id) for _, id in keys]
    these = "unnest(?::text[], ?::text[]) AS these(kind, id)"
    return Statement(f"SELECT kind, record, row FROM {these} JOIN records USING (kind, id)", [kinds, ids])


def read_records(rows: Rows) -> dict[RecordKey, Item]:
    """Return the records of the rows of `select_records`."""
    return {(kind, record["id"]): from_json(record) for kind, record, _ in rows}
