"""Items as rows of all the tables, and the part of them that is kept in memory."""

import json
import sqlite3
import weakref
from collections.abc import Iterable
from datetime import tzinfo
from itertools import chain, islice

import numpy as np

from ana.backends.sql import dates
from ana.backends.sql.compiler import iter_typed_rows
from ana.backends.sql.dialect import add_functions
from ana.backends.sql.lookup import find_term_numbers, load_repeating, to_word_vector
from ana.backends.sql.tables import iter_once, make_indexes, make_tables, transaction
from ana.backends.sql.vectors import RowVectors
from ana.embedders.base import Vector
from ana.embedders.wordllama import embed_words
from ana.memory.digests import digest_content
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item, to_json
from ana.memory.search.property_text import render_text
from ana.memory.search.series import Series
from ana.memory.search.tokens import tokenize
from ana.memory.search.words import Terms, Words
from ana.memory.travel import make_absolute
from ana.time.clock import find_zone

AT_ONCE = 100
"""Items whose words are embedded together: for each alone it takes half of the time of entering it."""


class ItemTables:
    """Writes and reads the tables of one database of SQLite; one thread at a time."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self._zone: tzinfo | None = None
        """The zone of the tables of dates, if it is known."""
        self._words: Words | None = None
        self._vectors: RowVectors | None = None
        self._series: Series | None = None

    def forget(self) -> None:
        """Drop everything in memory, to be read again: somebody else may have written."""
        self._words = self._vectors = self._zone = self._series = None

    def use_zone(self, zone: tzinfo) -> None:
        """Fill the tables of dates, if they are those of another zone."""
        if dates.read_zone(self.db) != str(zone):
            self._series = None  # until its rows are left out of the new tables
            with transaction(self.db):
                dates.fill(self.db, zone)
        self._zone = zone

    def _find_zone(self) -> tzinfo | None:
        """Return the zone of the tables of dates; None if there are none."""
        if self._zone is None and (name := dates.read_zone(self.db)):
            self._zone = find_zone(name)
            if self._zone is None:  # this machine does not know it
                dates.forget_zone(self.db)
        return self._zone

    def load_words(self) -> Words:
        """Return the words of all items, loaded at the first use."""
        if self._words is None:
            stored = iter_once(self.db, "SELECT row, words FROM items")
            documents = ((row, np.frombuffer(blob, np.uint32)) for row, blob in stored)
            vectors = iter_once(self.db, "SELECT number, vector FROM terms")
            self._words = Words(documents, ((number, to_word_vector(blob)) for number, blob in vectors))
        return self._words

    def load_vectors(self) -> RowVectors:
        """Return the vectors of all items, loaded at the first use."""
        if self._vectors is None:
            self._vectors = RowVectors(iter_once(self.db, "SELECT row, vector FROM vectors ORDER BY row"))
        return self._vectors

    def load_series(self, zone: tzinfo) -> Series:
        """Return the items that repeat, loaded at the first use from a zone; the table of items has all others."""
        if self._series is None or str(self._series.zone) != str(zone):
            series = Series(zone, load_repeating(self.db))
            with transaction(self.db):
                dates.set_apart(self.db, zone, series.rows)
            self._series = series
        return self._series

    def write(self, stored: Iterable[tuple[Item, Vector]], removed: Iterable[str] = ()) -> None:
        """Remove items by their ids, and enter others with their vectors, in place of those with the same ids."""
        with transaction(self.db):
            for id in removed:
                for (row,) in self.db.execute("DELETE FROM items WHERE id = ? RETURNING row", (id,)).fetchall():
                    self._remove_row(row)
            numbers: dict[str, int] = {}
            rest, zone = iter(stored), self._find_zone()
            while some := [*islice(rest, AT_ONCE)]:
                words = [tokenize(render_text(item)) for item, _ in some]
                self._number_words(chain.from_iterable(words), numbers)
                for (item, vector), tokens in zip(some, words, strict=True):
                    # in order and repeated, for phrases
                    self._put(item, vector, np.array([numbers[word] for word in tokens], np.uint32), zone)

    def _remove_row(self, row: int) -> None:
        for table in ("bodies", "vectors", "properties"):
            self.db.execute(f"DELETE FROM {table} WHERE row = ?", (row,))
        if self._find_zone():
            dates.remove(self.db, row)
        if self._words is not None:
            self._words.remove(row)
        if self._vectors is not None:
            self._vectors.remove(row)
        if self._series is not None:
            self._series.remove(row)

    def _put(self, item: Item, vector: Vector, terms: Terms, zone: tzinfo | None) -> None:
        digest = digest_content(item.content, item.properties)
        absolute = make_absolute(item)  # whose spans are the same moments in every zone
        values = (item.id, digest, item.created_at, absolute.date, terms.tobytes())
        old = self.db.execute("SELECT row FROM items WHERE id = ?", (item.id,)).fetchone()
        if old:  # a known item keeps its row, which all tables share
            self.db.execute("DELETE FROM properties WHERE row = ?", old)
        known = (old and old[0], *values)
        row = int(self.db.execute("INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?, ?)", known).lastrowid or 0)
        self.db.execute("INSERT OR REPLACE INTO bodies VALUES (?, ?)", (row, json.dumps(to_json(item))))
        self.db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (row, vector.astype(np.float32).tobytes()))
        every = {key: getattr(item, key) for key in OWN_KEYS} | absolute.properties
        rows = (typed for key, value in every.items() for typed in iter_typed_rows(key, value))
        self.db.executemany(f"INSERT INTO properties VALUES ({row}, ?, ?, ?, ?, ?)", rows)
        if zone:
            dates.enter(self.db, zone, row)
        if self._words is not None:
            self._words.put(row, terms)
        if self._vectors is not None:
            self._vectors.put(row, vector)
        if self._series is not None:
            self._series.put(row, item)
            if zone and row in self._series.rows:
                dates.leave_out(self.db, [row])

    def _number_words(self, words: Iterable[str], known: dict[str, int]) -> None:
        """Add the number of each word to the known numbers; a new word gets the next number."""
        wanted = [word for word in dict.fromkeys(words) if word not in known]
        known |= find_term_numbers(self.db, wanted)
        new = [word for word in wanted if word not in known]
        for word, vector in zip(new, embed_words(new), strict=True):
            entered = self.db.execute("INSERT INTO terms VALUES (NULL, ?, ?)", (word, vector.tobytes()))
            known[word] = int(entered.lastrowid or 0)
            if self._words is not None:
                self._words.learn(known[word], vector)


def make_in_memory() -> ItemTables:
    """Return empty tables in a SQLite that has no file."""
    db = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    add_functions(db)
    make_tables(db)
    make_indexes(db)
    tables = ItemTables(db)
    weakref.finalize(tables, db.close)
    return tables
