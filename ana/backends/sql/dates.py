"""Dates as spans of time, in tables for one zone: that of the last query.

Which moments a bare date covers depends on the person's zone, so it belongs to a query and not to a record. A query
from another zone fills the tables again, and every write updates them.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Set
from datetime import tzinfo

from ana.time.spans import read_date_span

ITEMS = "item_dates"
"""The table of items that do not repeat: row, id, created_at, own date, and the span of that date."""

PROPERTIES = "property_dates"
"""The table of date properties: row, key, element, span."""

_TABLES = (
    f"""CREATE TABLE {ITEMS} (
        row INTEGER PRIMARY KEY, id TEXT NOT NULL, created_at TEXT NOT NULL, date TEXT, start INTEGER, stop INTEGER)""",
    f"""CREATE TABLE {PROPERTIES} (
        row INTEGER NOT NULL, key TEXT NOT NULL, element INTEGER NOT NULL, start INTEGER NOT NULL,
        stop INTEGER NOT NULL)""",
)
_INDEXES = (
    f"CREATE INDEX {ITEMS}_by_date ON {ITEMS} (start IS NULL, start, date, created_at DESC, id)",
    f"CREATE INDEX {ITEMS}_by_start ON {ITEMS} (start) WHERE start IS NOT NULL",
    f"CREATE INDEX {PROPERTIES}_by_start ON {PROPERTIES} (key, element, start, stop, row)",
    f"CREATE INDEX {PROPERTIES}_by_row ON {PROPERTIES} (row)",
)
_DATES = "WHERE value BETWEEN '\"0' AND '\":'"
"""Only canonical text that begins with a digit can be a date; most properties are not."""


def read_zone(db: sqlite3.Connection) -> str | None:
    """Return the name of the zone of the tables; None before the first query."""
    return next((name for (name,) in db.execute("SELECT name FROM zones")), None)


def forget_zone(db: sqlite3.Connection) -> None:
    """Let the next query fill the tables again."""
    db.execute("DELETE FROM zones")


def fill(db: sqlite3.Connection, zone: tzinfo) -> None:
    """Fill the tables with the dates of all items in a zone, inside a transaction."""
    for table in (ITEMS, PROPERTIES):
        db.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _TABLES:
        db.execute(statement)
    _fill(db, zone, "", _DATES)
    for statement in _INDEXES:  # at the end, because tables fill faster without
        db.execute(statement)
    forget_zone(db)
    db.execute("INSERT INTO zones VALUES (?)", (str(zone),))


def enter(db: sqlite3.Connection, zone: tzinfo, row: int) -> None:
    """Enter the dates of an item, in place of the old ones."""
    remove(db, row)
    _fill(db, zone, "WHERE row = ?", "WHERE row = ?", row)


def remove(db: sqlite3.Connection, row: int) -> None:
    for table in (ITEMS, PROPERTIES):
        db.execute(f"DELETE FROM {table} WHERE row = ?", (row,))


def set_apart(db: sqlite3.Connection, zone: tzinfo, repeating: Set[int]) -> None:
    """Leave exactly these rows out of the table of items, because dates of repeated items are computed."""
    apart = {row for (row,) in db.execute(f"SELECT row FROM items EXCEPT SELECT row FROM {ITEMS}")}
    for row in apart - repeating:
        enter(db, zone, row)
    leave_out(db, repeating - apart)


def leave_out(db: sqlite3.Connection, rows: Iterable[int]) -> None:
    db.executemany(f"DELETE FROM {ITEMS} WHERE row = ?", ((row,) for row in rows))


def _fill(db: sqlite3.Connection, zone: tzinfo, which: str, which_properties: str, *row: int) -> None:
    items = db.execute(f"SELECT row, id, created_at, date FROM items {which}", row)
    rows = ((*item, *(read_date_span(item[3], zone) or (None, None))) for item in items)
    db.executemany(f"INSERT INTO {ITEMS} VALUES (?, ?, ?, ?, ?, ?)", rows)
    properties = db.execute(f"SELECT row, key, element, value FROM properties {which_properties}", row)
    db.executemany(f"INSERT INTO {PROPERTIES} VALUES (?, ?, ?, ?, ?)", _iter_spans(properties, zone))


def _iter_spans(
    properties: Iterable[tuple[int, str, int, str]], zone: tzinfo
) -> Iterator[tuple[int, str, int, int, int]]:
    for row, key, element, value in properties:
        if value.startswith('"') and (span := read_date_span(json.loads(value), zone)):
            yield row, key, element, *span
