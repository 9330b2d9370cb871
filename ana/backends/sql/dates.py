"""Dates as spans of time, in separate tables for each zone from which queries come.

Which moments a bare date covers depends on the person's zone, so it belongs to a query and not to a record. The first
query from a zone fills that zone's tables, and every write updates all of them. Only a few zones have tables, because a
person is seldom in more.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import UTC, tzinfo

from ana.time.clock import find_zone
from ana.time.spans import read_date_span

MOST_ZONES = 4

_TABLES = """
CREATE TABLE {items} (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, created_at TEXT NOT NULL, date TEXT, start INTEGER, stop INTEGER);
CREATE TABLE {properties} (
    row INTEGER NOT NULL, key TEXT NOT NULL, element INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL)
"""
_INDEXES = """
CREATE INDEX {items}_by_date ON {items} (start IS NULL, start, date, created_at DESC, id);
CREATE INDEX {items}_by_start ON {items} (start) WHERE start IS NOT NULL;
CREATE INDEX {properties}_by_start ON {properties} (key, element, start, stop, row);
CREATE INDEX {properties}_by_row ON {properties} (row)
"""
_DATES = "WHERE value BETWEEN '\"0' AND '\":'"
"""Only canonical text that begins with a digit can be a date; most properties are not."""


@dataclass(frozen=True)
class ZoneDates:
    """The tables of one zone."""

    number: int
    zone: tzinfo

    @property
    def items(self) -> str:
        """Return the table of items that do not repeat: row, id, created_at, own date, and the span of that date."""
        return f"item_dates_{self.number}"

    @property
    def properties(self) -> str:
        """Return the table of date properties: row, key, element, span."""
        return f"property_dates_{self.number}"

    def make(self, db: sqlite3.Connection) -> None:
        """Make the tables and fill them from those of items."""
        self._run(db, _TABLES)
        self._fill(db, "", _DATES)
        self._run(db, _INDEXES)  # at the end, because tables fill faster without

    def enter(self, db: sqlite3.Connection, row: int) -> None:
        """Enter the dates of an item, in place of the old ones."""
        self.forget(db, row)
        self._fill(db, "WHERE row = ?", "WHERE row = ?", row)

    def forget(self, db: sqlite3.Connection, row: int) -> None:
        db.execute(f"DELETE FROM {self.items} WHERE row = ?", (row,))
        db.execute(f"DELETE FROM {self.properties} WHERE row = ?", (row,))

    def set_apart(self, db: sqlite3.Connection, repeating: Set[int]) -> None:
        """Leave exactly these rows out of the table of items, because dates of repeated items are computed."""
        apart = {row for (row,) in db.execute(f"SELECT row FROM items EXCEPT SELECT row FROM {self.items}")}
        for row in apart - repeating:
            self.enter(db, row)
        self.leave_out(db, repeating - apart)

    def leave_out(self, db: sqlite3.Connection, rows: Iterable[int]) -> None:
        db.executemany(f"DELETE FROM {self.items} WHERE row = ?", ((row,) for row in rows))

    def _fill(self, db: sqlite3.Connection, which: str, which_properties: str, *row: int) -> None:
        items = db.execute(f"SELECT row, id, created_at, date FROM items {which}", row)
        rows = ((*item, *(read_date_span(item[3], self.zone) or (None, None))) for item in items)
        db.executemany(f"INSERT INTO {self.items} VALUES (?, ?, ?, ?, ?, ?)", rows)
        properties = db.execute(f"SELECT row, key, element, value FROM properties {which_properties}", row)
        db.executemany(f"INSERT INTO {self.properties} VALUES (?, ?, ?, ?, ?)", self._iter_spans(properties))

    def _iter_spans(self, properties: Iterable[tuple[int, str, int, str]]) -> Iterator[tuple[int, str, int, int, int]]:
        for row, key, element, value in properties:
            if value.startswith('"') and (span := read_date_span(json.loads(value), self.zone)):
                yield row, key, element, *span

    def _run(self, db: sqlite3.Connection, statements: str) -> None:
        for statement in statements.format(items=self.items, properties=self.properties).split(";"):
            db.execute(statement)


def read_zones(db: sqlite3.Connection, met: Mapping[str, tzinfo]) -> list[ZoneDates]:
    """Return the zones that have tables, the oldest first. A zone unknown to this machine loses its tables."""
    known = []
    for number, name in db.execute("SELECT number, name FROM zones ORDER BY number").fetchall():
        if zone := find_zone(name, met):
            known.append(ZoneDates(number, zone))
        else:
            _remove(db, ZoneDates(number, UTC))
    return known


def add_zone(db: sqlite3.Connection, known: list[ZoneDates], zone: tzinfo) -> ZoneDates:
    """Make the tables of another zone, in place of the oldest if there are many; inside a transaction."""
    while len(known) >= MOST_ZONES:
        _remove(db, known.pop(0))
    number = db.execute("INSERT INTO zones (name) VALUES (?)", (str(zone),)).lastrowid
    dates = ZoneDates(int(number or 0), zone)
    dates.make(db)
    known.append(dates)  # in order of age, as `read_zones` gives them
    return dates


def _remove(db: sqlite3.Connection, dates: ZoneDates) -> None:
    for table in (dates.items, dates.properties):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    db.execute("DELETE FROM zones WHERE number = ?", (dates.number,))
