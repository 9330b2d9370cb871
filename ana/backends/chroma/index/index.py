"""The derived index of a collection: typed property rows, words and digests, in SQLite beside Chroma.

It is never the truth and may be deleted at any time: it is made anew from Chroma when it is missing, damaged, of
another version, of another collection, or does not count as many items as Chroma does. A write is entered here first,
in one durable step together with its ids as unsettled; whoever opens the index next reads those ids again from Chroma,
and once more behind the next write that succeeds: on a full disk Chroma may tell a state that its log has passed.
So no end of a process or a write, however sudden, leaves the two apart. Used only while the folder is held.
"""

import hashlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import tzinfo
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ana.backends.chroma.index.sql import canonical, typed_rows
from ana.backends.chroma.index.tables import damaged, inode, make_indexes, make_tables, opened, remove, transaction
from ana.backends.chroma.index.words import Terms, Words
from ana.backends.chroma.source import Stored
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item
from ana.memory.property_text import property_text
from ana.memory.tokens import tokens
from ana.time.dates import day_of
from ana.time.spans import date_span
from ana.values import Json, Properties

LONG_TAIL = 500
"""After so many changes the words are loaded anew; a changed one costs ten times as much to score."""

_log = logging.getLogger(__name__)


class Source(Protocol):
    """What the index is made from."""

    identity: str

    def count(self) -> int: ...

    def some(self, ids: Sequence[str]) -> list[Stored]: ...

    def all(self) -> Iterable[Stored]: ...


class Index:
    """Look-ups over the items of one collection.

    Args:
        path: The SQLite file.
        zone: The person's zone, in which bare dates are read.
    """

    def __init__(self, path: Path, zone: tzinfo) -> None:
        self._path = path
        self._zone = zone
        self._db: sqlite3.Connection | None = None
        self._seen = -1
        self._words: Words | None = None
        self._file = 0
        self._sure = False
        """Whether all that is unsettled was this process's own and was written."""

    def ready(self, source: Source) -> sqlite3.Connection:
        """The connection, once the index says what the source says."""
        try:
            return self._agreeing(source)
        except sqlite3.DatabaseError as exc:
            if not damaged(exc):
                raise
            self.discard()
            return self._agreeing(source)

    @contextmanager
    def writing(self, source: Source, put: Sequence[Stored] = (), removed: Sequence[str] = ()) -> Iterator[None]:
        """Enter a write before it is made inside this context; if it fails there, the source is asked what is true."""
        try:
            db = self._entered(source, put, removed)
            yield
        except BaseException:
            self._seen, self._sure = -1, False
            raise
        if not self._sure:
            self._settle_again(db, source)
        elif len(put) > 1:
            self._forget(db)
        self._sure = True

    def _entered(self, source: Source, put: Sequence[Stored], removed: Sequence[str]) -> sqlite3.Connection:
        """The connection, the write entered; once more on a new index where the file turns out to be damaged."""
        try:
            return self._enter_unsettled(self.ready(source), put, removed)
        except sqlite3.DatabaseError as exc:
            if not damaged(exc):
                raise
            self.discard()
            return self._enter_unsettled(self.ready(source), put, removed)

    def _enter_unsettled(
        self, db: sqlite3.Connection, put: Sequence[Stored], removed: Sequence[str]
    ) -> sqlite3.Connection:
        with transaction(db):
            if self._sure:
                db.execute("DELETE FROM unsettled")
            self._enter(db, put, removed, unsettled=True)
        return db

    def _settle_again(self, db: sqlite3.Connection, source: Source) -> None:
        """Read everything unsettled behind a write that succeeded; the counts are compared at the next use."""
        self._reread(db, source)
        self._forget(db)
        self._seen = -1

    def _forget(self, db: sqlite3.Connection) -> None:
        with transaction(db):
            db.execute("DELETE FROM unsettled")

    def words(self, db: sqlite3.Connection) -> Words:
        """The lexical leg, loaded at the first use."""
        if self._words is None or self._words.changed > LONG_TAIL:
            self._words = Words((row, _terms(blob)) for row, blob in db.execute("SELECT row, words FROM items"))
        return self._words

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db, self._words, self._seen = None, None, -1

    def discard(self) -> None:
        """Delete the index; the next use makes it anew."""
        self.close()
        remove(self._path)

    def _agreeing(self, source: Source) -> sqlite3.Connection:
        if self._db is not None and self._file != inode(self._path):  # deleted, perhaps made anew, by another
            self.close()
        if self._db is None:
            self._db = opened(self._path)
            self._file = inode(self._path)
        if self._seen != (seen := self._changes()):
            self._words = None
            self._settle(source)
            self._seen = seen
        return self._db

    def _changes(self) -> int:
        """A number that another process's write changes, for as long as this connection is open."""
        assert self._db is not None
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _settle(self, source: Source) -> None:
        assert self._db is not None
        db, expected = self._db, {"identity": source.identity, "zone": str(self._zone)}
        meta = dict(db.execute("SELECT name, value FROM meta"))
        if (zone := meta.get("zone")) != expected["zone"] and meta == expected | {"zone": zone}:
            self._move_to_zone(db)
        elif meta != expected:
            self._rebuild(db, source, expected)
        self._sure = not self._reread(db, source)
        if db.execute("SELECT count(*) FROM items").fetchone()[0] != source.count():
            self._rebuild(db, source, expected)

    def _reread(self, db: sqlite3.Connection, source: Source) -> bool:
        """Enter what the source says of everything unsettled; whether there was anything."""
        unsettled = [id for (id,) in db.execute("SELECT id FROM unsettled")]
        there = source.some(unsettled)
        gone = sorted(set(unsettled) - {stored.item.id for stored in there})
        if unsettled:
            with transaction(db):
                self._enter(db, there, gone, unsettled=False)
        return bool(unsettled)

    def _rebuild(self, db: sqlite3.Connection, source: Source, meta: dict[str, str]) -> None:
        _log.info("making the index %s anew from %d items", self._path.name, source.count())
        self._words = None
        with transaction(db):
            make_tables(db)
            self._enter(db, source.all(), (), unsettled=False)
            make_indexes(db)  # at the end, in a third of the time
            db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())

    def _move_to_zone(self, db: sqlite3.Connection) -> None:
        """Read every date again: which moments a bare date covers depends on where the person is."""

        def edge(value: str, side: int) -> int:
            span = date_span(json.loads(value), self._zone)
            assert span is not None
            return span[side]

        db.create_function("edge", 2, edge)
        with transaction(db):
            both = "SET start = edge({0}, 0), stop = edge({0}, 1) WHERE start IS NOT NULL"
            db.execute(f"UPDATE properties {both.format('value')}")
            db.execute(f"UPDATE items {both.format('json_quote(date)')}")
            db.execute("UPDATE meta SET value = ? WHERE name = 'zone'", (str(self._zone),))

    def _enter(self, db: sqlite3.Connection, put: Iterable[Stored], removed: Iterable[str], *, unsettled: bool) -> None:
        for id in removed:
            self._remove(db, id)
            if unsettled:
                db.execute("INSERT OR IGNORE INTO unsettled VALUES (?)", (id,))
        numbers: dict[str, int] = {}
        for stored in put:
            self._put(db, stored, numbers)
            if unsettled:
                db.execute("INSERT OR IGNORE INTO unsettled VALUES (?)", (stored.item.id,))

    def _remove(self, db: sqlite3.Connection, id: str) -> None:
        for (row,) in db.execute("DELETE FROM items WHERE id = ? RETURNING row", (id,)).fetchall():
            for table in ("bodies", "vectors", "properties"):
                db.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
            if self._words is not None:
                self._words.remove(row)

    def _put(self, db: sqlite3.Connection, stored: Stored, numbers: dict[str, int]) -> None:
        item = stored.item
        terms = _numbered(db, tokens(property_text(item.content, item.properties)), numbers)
        date = own_date(item)
        start, stop = date_span(date, self._zone) or (None, None)
        values = (item.id, digest(item.content, item.properties), item.created_at, date, start, stop, terms.tobytes())
        found = db.execute("SELECT row FROM items WHERE id = ?", (item.id,)).fetchone()
        if found:
            db.execute("DELETE FROM properties WHERE row = ?", found)
        row = db.execute(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (found and found[0], *values)
        ).lastrowid
        db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?)", (row, json.dumps(asdict(item))))
        db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (row, stored.vector.astype(np.float32).tobytes()))
        entries = (entry for key, value in _all_properties(item) for entry in typed_rows(key, value, self._zone))
        db.executemany(f"INSERT INTO properties VALUES ({row}, ?, ?, ?, ?, ?, ?)", entries)
        if self._words is not None:
            self._words.put(int(row or 0), terms)


def own_date(item: Item) -> str | None:
    """The date an item has: its due_date, else its first property that is a date."""
    values = [item.properties.get("due_date"), *item.properties.values()]
    return next((str(value) for value in values if day_of(value)), None)


def digest(content: str, properties: Properties) -> str:
    """The same for items that say the same: case, white space and a full stop aside, with equal properties."""
    said = " ".join(content.casefold().split())
    said = said.rstrip(" .!") or said
    known: Json = {key: value for key, value in properties.items() if value is not None}
    return hashlib.sha256(json.dumps([said, canonical(known)]).encode()).hexdigest()[:32]


def _all_properties(item: Item) -> Iterator[tuple[str, Any]]:
    yield from item.properties.items()
    yield from ((key, getattr(item, key)) for key in OWN_KEYS if key not in item.properties)


def _terms(blob: bytes) -> Terms:
    return np.frombuffer(blob, np.uint32)


def _numbered(db: sqlite3.Connection, words: list[str], known: dict[str, int]) -> Terms:
    """The number of each word; a new word gets the next."""
    for word in dict.fromkeys(words):
        if word not in known:
            db.execute("INSERT INTO terms VALUES (NULL, ?) ON CONFLICT DO NOTHING", (word,))
            known[word] = db.execute("SELECT number FROM terms WHERE term = ?", (word,)).fetchone()[0]
    return np.array([known[word] for word in words], np.uint32)
