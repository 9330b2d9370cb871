"""The derived index of a collection: typed property rows, words and digests, in SQLite beside Chroma.

Nothing is known only here, and the file may be deleted at any time: it is rebuilt from Chroma if it is missing or
damaged, of another version or collection, or has another number of items than Chroma. A write is entered here first, in
one durable step that also marks its ids as unsettled. The next process that opens the index reads those ids from Chroma
again, and a second time after the next write that succeeds, because on a full disk Chroma may return an old state.
So the two agree however suddenly a process or a write ends. Used only while the folder is held.
"""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import tzinfo
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from ana.backends.chroma.index.dates import ZoneDates, add_zone, read_zones
from ana.backends.chroma.index.lookup import find_term_numbers, to_word_vector
from ana.backends.chroma.index.sql import iter_typed_rows
from ana.backends.chroma.index.tables import make_indexes, make_tables, open_index, read_inode, transaction
from ana.backends.chroma.index.vectors import RowVectors
from ana.backends.chroma.source import EmbeddedItem
from ana.embedders.word_vectors import embed_words
from ana.files import is_damage, remove_database
from ana.memory.digests import content_digest
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item
from ana.memory.search.postings import Terms
from ana.memory.search.property_text import property_text
from ana.memory.search.tokens import tokenize
from ana.memory.search.words import Words

LONG_TAIL = 500
"""After so many changes the words are loaded again; a changed item takes ten times as long to score."""

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Source(Protocol):
    """The collection that the index is made from."""

    identity: str

    def count(self) -> int: ...

    def get_many(self, ids: Sequence[str]) -> list[EmbeddedItem]: ...

    def iter_all(self) -> Iterable[EmbeddedItem]: ...


class Index:
    """The derived index of one collection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zones: list[ZoneDates] | None = None
        self._met: dict[str, tzinfo] = {}
        self._db: sqlite3.Connection | None = None
        self._seen = -1
        self._words: Words | None = None
        self._vectors: RowVectors | None = None
        self._file = 0
        self._all_written = False
        """Whether all unsettled ids are from writes of this process that succeeded."""

    def make_ready(self, source: Source) -> sqlite3.Connection:
        """Make the index agree with the source, and return the connection."""
        return self.use(source, lambda db: db)

    def use(self, source: Source, action: Callable[[sqlite3.Connection], T]) -> T:
        """Do something with the index, which agrees with the source; again with a new one if the file is damaged."""
        try:
            return action(self._bring_up_to_date(source))
        except sqlite3.DatabaseError as exc:
            if not is_damage(exc):
                raise
            self.discard()
            return action(self._bring_up_to_date(source))

    @contextmanager
    def enter_write(
        self, source: Source, put: Sequence[EmbeddedItem] = (), removed: Sequence[str] = ()
    ) -> Iterator[None]:
        """Enter a write, which is then made inside this context; if that fails, the source is read again."""
        try:
            db = self.use(source, lambda db: self._enter_as_unsettled(db, put, removed))
            yield
        except BaseException:
            self._seen, self._all_written = -1, False
            raise
        if not self._all_written:
            self._settle_after_write(db, source)
        elif len(put) > 1:  # one id is removed by the next write, which saves a transaction; many are not left for it
            self._forget(db)
        self._all_written = True

    def _enter_as_unsettled(
        self, db: sqlite3.Connection, put: Sequence[EmbeddedItem], removed: Sequence[str]
    ) -> sqlite3.Connection:
        with transaction(db):
            if self._all_written:
                db.execute("DELETE FROM unsettled")
            self._enter(db, put, removed, unsettled=True)
        return db

    def _settle_after_write(self, db: sqlite3.Connection, source: Source) -> None:
        """Read everything unsettled again after a write that succeeded; the next use compares the counts."""
        self._reread(db, source)
        self._forget(db)
        self._seen = -1

    def _forget(self, db: sqlite3.Connection) -> None:
        with transaction(db):
            db.execute("DELETE FROM unsettled")

    def get_dates(self, db: sqlite3.Connection, zone: tzinfo) -> ZoneDates:
        """Return the tables of dates in a zone; the first query from a zone fills them."""
        self._met[str(zone)] = zone
        known = self._get_zones(db)
        found = next((dates for dates in known if str(dates.zone) == str(zone)), None)
        if found is None:
            self._zones = None  # unknown until the transaction succeeds
            with transaction(db):
                found = add_zone(db, known, zone)
            self._zones = known
        return found

    def _get_zones(self, db: sqlite3.Connection) -> list[ZoneDates]:
        if self._zones is None:
            self._zones = read_zones(db, self._met)
        return self._zones

    def load_words(self, db: sqlite3.Connection) -> Words:
        """Return the words of all items, loaded at the first use."""
        if self._words is None or self._words.changed > LONG_TAIL:
            documents = ((row, _to_terms(blob)) for row, blob in db.execute("SELECT row, words FROM items"))
            vectors = db.execute("SELECT number, vector FROM terms")
            self._words = Words(documents, ((number, to_word_vector(blob)) for number, blob in vectors))
        return self._words

    def load_vectors(self, db: sqlite3.Connection) -> RowVectors:
        """Return the vectors of all items, loaded at the first use."""
        if self._vectors is None:
            self._vectors = RowVectors(db.execute("SELECT row, vector FROM vectors ORDER BY row"))
        return self._vectors

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db, self._zones, self._seen = None, None, -1
        self._words = self._vectors = None  # all of it was read from this file

    def discard(self) -> None:
        """Delete the index; the next use rebuilds it."""
        self.close()
        remove_database(self._path)

    def _bring_up_to_date(self, source: Source) -> sqlite3.Connection:
        if self._db is not None and self._file != read_inode(self._path):  # another process deleted the file
            self.close()
        if self._db is None:
            self._db = open_index(self._path)
            self._file = read_inode(self._path)
        if self._seen != (seen := self._read_data_version()):
            self._words = self._vectors = self._zones = None  # another process may have changed them
            self._settle(source)
            self._seen = seen
        return self._db

    def _read_data_version(self) -> int:
        """Return a number that changes when another process writes, as long as this connection is open."""
        assert self._db is not None
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def _settle(self, source: Source) -> None:
        assert self._db is not None
        db, expected = self._db, {"identity": source.identity}
        if dict(db.execute("SELECT name, value FROM meta")) != expected:  # empty, or of a collection that was replaced
            self._rebuild(db, source, expected)
        self._all_written = not self._reread(db, source)
        if db.execute("SELECT count(*) FROM items").fetchone()[0] != source.count():
            self._rebuild(db, source, expected)

    def _reread(self, db: sqlite3.Connection, source: Source) -> bool:
        """Read everything unsettled from the source again, and return whether there was anything."""
        unsettled = [id for (id,) in db.execute("SELECT id FROM unsettled")]
        stored = source.get_many(unsettled)
        gone = sorted(set(unsettled) - {each.item.id for each in stored})
        if unsettled:
            with transaction(db):
                self._enter(db, stored, gone, unsettled=False)
        return bool(unsettled)

    def _rebuild(self, db: sqlite3.Connection, source: Source, meta: dict[str, str]) -> None:
        _log.info("rebuilding the index %s from %d items", self._path.name, source.count())
        self._words = self._vectors = None
        self._zones = []
        with transaction(db):
            make_tables(db)
            self._enter(db, source.iter_all(), (), unsettled=False)
            make_indexes(db)  # at the end, in a third of the time
            db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())

    def _enter(
        self, db: sqlite3.Connection, put: Iterable[EmbeddedItem], removed: Iterable[str], *, unsettled: bool
    ) -> None:
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
            for dates in self._get_zones(db):
                dates.forget(db, row)
            if self._words is not None:
                self._words.remove(row)
            if self._vectors is not None:
                self._vectors.remove(row)

    def _put(self, db: sqlite3.Connection, stored: EmbeddedItem, numbers: dict[str, int]) -> None:
        item = stored.item
        terms = self._number_terms(db, tokenize(property_text(item.content, item.properties)), numbers)
        digest = content_digest(item.content, item.properties)
        values = (item.id, digest, item.created_at, item.date, terms.tobytes())
        found = db.execute("SELECT row FROM items WHERE id = ?", (item.id,)).fetchone()
        if found:  # a known item keeps its row, which all tables share
            db.execute("DELETE FROM properties WHERE row = ?", found)
        known = (found and found[0], *values)
        row = db.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)", known).lastrowid
        db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?)", (row, json.dumps(asdict(item))))
        db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (row, stored.vector.astype(np.float32).tobytes()))
        rows = (typed for key, value in _iter_properties(item) for typed in iter_typed_rows(key, value))
        db.executemany(f"INSERT INTO properties VALUES ({row}, ?, ?, ?, ?, ?)", rows)
        for dates in self._get_zones(db):
            dates.enter(db, int(row or 0))
        if self._words is not None:
            self._words.put(int(row or 0), terms)
        if self._vectors is not None:
            self._vectors.put(int(row or 0), stored.vector)

    def _number_terms(self, db: sqlite3.Connection, words: list[str], known: dict[str, int]) -> Terms:
        """Return the number of each word; a new word gets the next."""
        wanted = [word for word in dict.fromkeys(words) if word not in known]
        known |= find_term_numbers(db, wanted)
        new = [word for word in wanted if word not in known]
        for word, vector in zip(new, embed_words(new), strict=True):
            known[word] = int(
                db.execute("INSERT INTO terms VALUES (NULL, ?, ?)", (word, vector.tobytes())).lastrowid or 0
            )
            if self._words is not None:
                self._words.learn(known[word], vector)
        return np.array([known[word] for word in words], np.uint32)  # in order and repeated, for phrases


def _iter_properties(item: Item) -> Iterator[tuple[str, Any]]:
    yield from item.properties.items()
    yield from ((key, getattr(item, key)) for key in OWN_KEYS if key not in item.properties)


def _to_terms(blob: bytes) -> Terms:
    return np.frombuffer(blob, np.uint32)
