"""Dates as spans of time, in rows of their own for each zone that queries come from.

The first query from a zone fills them, and every write enters its items in all of them. Only a few zones are kept.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from ana.backends.sql.dates import MOST_ZONES
from ana.memory.item import Item, from_json
from ana.memory.search.series import read_series
from ana.postgres.session import Session, Statement
from ana.time.spans import date_span

LOCK = Statement("SELECT entries, embedder, line, row, term, zone FROM stores FOR UPDATE")
"""Reads the numbers given so far, once no other transaction that writes is open."""

ZONES = Statement("SELECT number, name FROM zones ORDER BY number")
"""Reads the zones that have rows, the oldest first."""

ANALYZE = "ANALYZE (SKIP_LOCKED) item_dates, property_dates, properties"
"""Looks at how many rows there are: the server does so by itself only when a tenth of a table has changed, and until
then plans as if a new person or zone had none, so that a week of 10,000 items takes a second. A role that may not do it
is warned, and it is left to the server."""

MANY = 1000
"""With so many changes at once it is done again."""

_TEXTS = dict.fromkeys(("id", "created_at", "date", "status"), "text")
_ITEMS = {"row": "integer", **_TEXTS, "start": "bigint", "stop": "bigint"}
_PROPERTIES = {"row": "integer", "key": "text", "element": "smallint", "start": "bigint", "stop": "bigint"}

DatedItem = tuple[int, str, str, str | None, str | None, Item | None]
"""Row, id, created_at, own date, status, and the item if it may repeat."""

DatedProperty = tuple[int, str, int, str]
"""Row, key, element, value."""


@dataclass(frozen=True)
class ZoneRows:
    """Where a query from one zone finds dates.

    Args:
        zone: The zone.
        items: A query in brackets: row, id, created_at, own date and its span, of items that do not repeat.
        properties: A query in brackets of date properties: row, key, element, span.
    """

    zone: tzinfo
    items: str
    properties: str

    @classmethod
    def stored(cls, zone: tzinfo, number: int) -> "ZoneRows":
        """Return the rows that are stored for a zone."""
        return cls(
            zone, *(f"(SELECT * FROM {table} WHERE zone = {number})" for table in ("item_dates", "property_dates"))
        )

    @classmethod
    def passing(cls, session: Session, zone: tzinfo) -> "ZoneRows":
        """Return rows that the query itself brings, for a transaction that cannot write."""
        items, properties = read_dated(session)
        spans = _to_table(_ITEMS, span_items(items, zone)), _to_table(_PROPERTIES, span_properties(properties, zone))
        return cls(zone, *spans)


def add_zone(session: Session, zone: tzinfo) -> int:
    """Return the number of a zone that has rows from now on, in place of the oldest if there are many."""
    ((*_, last),), known = session.run(LOCK, ZONES)
    for number, name in known:
        if name == str(zone):  # somebody else was quicker
            return int(number)
    items, properties = read_dated(session)
    for number, _ in known[: max(len(known) - MOST_ZONES + 1, 0)]:
        remove_zone(session, number)
    session.add("INSERT INTO zones (number, name) VALUES (?, ?)", last + 1, str(zone))
    session.add("UPDATE stores SET zone = ?", last + 1)
    enter_dates(session, last + 1, zone, items, properties)
    session.add(ANALYZE)
    return int(last) + 1


def remove_zone(session: Session, number: int) -> None:
    """Remove a zone with its rows."""
    session.add("DELETE FROM zones WHERE number = ?", number)
    for table in ("item_dates", "property_dates"):
        session.add(f"DELETE FROM {table} WHERE zone = ?", number)


def enter_dates(
    session: Session, number: int, zone: tzinfo, items: Iterable[DatedItem], properties: Iterable[DatedProperty]
) -> None:
    """Enter items and their properties in a zone's rows."""
    dated = ((number, *each) for each in span_items(items, zone))
    session.insert("item_dates", ("zone", *_ITEMS), dated)
    dated = ((number, *each) for each in span_properties(properties, zone))
    session.insert("property_dates", ("zone", *_PROPERTIES), dated)


def read_dated(session: Session) -> tuple[list[DatedItem], list[DatedProperty]]:
    """Return all items and all properties that may be dates."""
    items, properties = session.run(
        Statement(
            "SELECT row, id, created_at, date, (SELECT lower(value) FROM properties WHERE row = records.row"
            " AND key = '\"status\"' AND element = 0), CASE WHEN repeats THEN record END"
            " FROM records WHERE kind = 'item'"
        ),
        # only canonical text that begins with a digit can be a date
        Statement("SELECT row, key, element, value FROM properties WHERE value BETWEEN '\"0' AND '\":'"),
    )
    return [(*each, item and from_json(item)) for *each, item in items], properties


def span_items(items: Iterable[DatedItem], zone: tzinfo) -> Iterable[tuple[Any, ...]]:
    """Yield items with the span of their date; the dates of what repeats are worked out when they are asked for."""
    for row, id, created_at, date, status, repeating in items:
        if repeating is None or read_series(repeating, zone) is None:
            yield row, id, created_at, date, status, *(date_span(date, zone) or (None, None))


def span_properties(properties: Iterable[DatedProperty], zone: tzinfo) -> Iterable[tuple[Any, ...]]:
    """Yield the properties that are dates with their spans."""
    for row, key, element, value in properties:
        if value.startswith('"') and (span := date_span(json.loads(value), zone)):
            yield row, key, element, *span


def _to_table(columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> str:
    known = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    # in a string of SQL, in which a question mark would be a value's place
    quoted = known.replace("'", "''").replace("?", "\\u003f")
    types = ", ".join(f"{name} {type}" for name, type in columns.items()).replace("text", 'text COLLATE "C"')
    return f"(SELECT * FROM json_to_recordset('{quoted}') AS given({types}))"
