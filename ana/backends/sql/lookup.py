"""Look-ups in the tables by row, id, word, tag and phrase."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import date, tzinfo
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ana.backends.sql.dates import ITEMS
from ana.backends.sql.dialect import Sql
from ana.embedders.wordllama import embed_words
from ana.memory.filters import OWN_KEYS
from ana.memory.item import Item, from_json
from ana.memory.search.words import NO_ROWS, QueryWord, Rows, Words, WordVector
from ana.memory.status import CLOSED, DONE
from ana.time.repeats import REPEATING
from ana.time.spans import get_days_span
from ana.values import Json

TAG_KEYS = ("tags", "tag", "labels", "label", "project", "context")
"""Properties that hold tags, by whatever name people call them."""

ByDate: TypeAlias = tuple[int, int | None, str | None, str, str]
"""An item found by its date: row, start, date, created_at, id."""

_DATED = f"{ITEMS} AS items"


def find_by_date(db: sqlite3.Connection, passing: Sql, limit: int) -> list[ByDate]:
    """Return the first items that pass, undated ones last, without those that repeat."""
    order = "start IS NULL, start, date, created_at DESC, id"
    query = f"SELECT row, start, date, created_at, id FROM {_DATED} WHERE {passing.text} ORDER BY {order} LIMIT ?"
    return db.execute(query, (*passing.params, limit)).fetchall()


def count_passing(db: sqlite3.Connection, passing: Sql) -> int:
    """Return the number of items that pass, without those that repeat."""
    return int(db.execute(f"SELECT count(*) FROM {_DATED} WHERE {passing.text}", passing.params).fetchone()[0])


def find_rows(db: sqlite3.Connection, passing: Sql) -> Rows:
    """Return the rows that pass, ascending, without those that repeat."""
    return _read_rows(db, _DATED, passing)


def select_days(first: date, last: date, zone: tzinfo) -> Sql:
    """Return the condition that an item's own date is within these days, both included."""
    start, stop = get_days_span(first, last, zone)
    return Sql(f"(items.start BETWEEN {start} AND {stop} AND items.stop <= {stop})")


UNDATED = Sql("items.start IS NULL")
"""The condition that an item has no date of its own."""


def exclude_status(statuses: Sequence[str]) -> Sql:
    """Return the condition that an item has none of these statuses, in upper or lower case."""
    listed = ", ".join(repr(json.dumps(status)) for status in statuses)
    status = f"row = items.row AND key = '\"status\"' AND element = 0 AND lower(value) IN ({listed})"
    # asked of each item that passes the other conditions; a list of all closed items would be long
    return Sql(f"NOT EXISTS (SELECT 1 FROM properties INDEXED BY properties_by_row WHERE {status})")


def find_with_status(db: sqlite3.Connection, *, is_open: bool | None) -> Rows:
    """Return the rows with an open status, or with a done one, ascending; none for None."""
    if is_open is None:
        return NO_ROWS
    listed = ", ".join(repr(json.dumps(status)) for status in (CLOSED if is_open else DONE))
    # a text in JSON, or the hash of a long one, comes before every other value
    test = f"folded < '$' AND folded NOT IN ({listed})" if is_open else f"folded IN ({listed})"
    return _read_rows(db, "properties", Sql(f"key = '\"status\"' AND element = 0 AND {test}"))


def find_rows_of_ids(db: sqlite3.Connection, ids: Iterable[str]) -> dict[int, str]:
    """Return the rows of the ids that exist, each with its id."""
    return dict(_select(db, "SELECT row, id FROM items WHERE id", ids))


def describe_rows(db: sqlite3.Connection, rows: Iterable[int]) -> list[tuple[int, str, str | None, str]]:
    """Return each row with its item's id, own date and moment of creation."""
    return _select(db, "SELECT row, id, date, created_at FROM items WHERE row", rows)


def load_items(db: sqlite3.Connection, rows: Sequence[int]) -> list[Item]:
    """Return the items of these rows, in their order."""
    by_row = {
        row: from_json(json.loads(item)) for row, item in _select(db, "SELECT row, item FROM bodies WHERE row", rows)
    }
    return [by_row[row] for row in rows]


def get_items(db: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Item]:
    """Return the items with these ids; ids that do not exist are left out."""
    rows = _select(db, "SELECT item FROM items JOIN bodies USING (row) WHERE id", ids)
    items = (from_json(json.loads(item)) for (item,) in rows)
    return {item.id: item for item in items}


def load_repeating(db: sqlite3.Connection) -> list[tuple[int, Item]]:
    """Return the items with a property for repetition, each with its row."""
    repeating = _select(db, "SELECT row FROM properties WHERE element = 0 AND key", map(json.dumps, REPEATING))
    rows = sorted({row for (row,) in repeating})
    return list(zip(rows, load_items(db, rows), strict=True))


def get_vectors(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Return the stored vectors of items by id."""
    rows = _select(db, "SELECT id, vector FROM items JOIN vectors USING (row) WHERE id", ids)
    return {id: np.frombuffer(vector, np.float32) for id, vector in rows}


def find_term_numbers(db: sqlite3.Connection, words: Iterable[str]) -> dict[str, int]:
    """Return the numbers of words; a word that no item ever had is left out."""
    return dict(_select(db, "SELECT term, number FROM terms WHERE term", words))


def find_query_words(db: sqlite3.Connection, words: Sequence[str]) -> dict[str, QueryWord]:
    """Return the words of a query with their numbers and vectors, in the query's order."""
    rows = _select(db, "SELECT term, number, vector FROM terms WHERE term", words)
    known = {term: QueryWord(number, to_word_vector(blob)) for term, number, blob in rows}
    new = [word for word in words if word not in known]
    known |= {word: QueryWord(None, vector) for word, vector in zip(new, embed_words(new), strict=True)}
    return {word: known[word] for word in words}


def to_word_vector(blob: bytes) -> WordVector:
    """Return a word's vector in the form of the table of terms."""
    return np.frombuffer(blob, np.int8)


def find_tagged(db: sqlite3.Connection, tags: Sequence[str]) -> list[int]:
    """Return the rows with one of these tags, in any of the properties for tags."""
    if not tags:
        return []
    keys = ", ".join(repr(json.dumps(key)) for key in TAG_KEYS)
    rows = _select(db, f"SELECT DISTINCT row FROM properties WHERE key IN ({keys}) AND ana_folded(value)", tags)
    return [row for (row,) in rows]


def find_with_phrase(db: sqlite3.Connection, words: Words, phrase: Sequence[str]) -> list[int]:
    """Return the rows whose text has these words in sequence."""
    known = find_term_numbers(db, phrase)  # a word without a number is in no item
    if len(known) < len(set(phrase)):
        return []
    wanted = np.array([known[word] for word in phrase], np.uint32).tobytes()
    some = words.find_with_all(sorted(set(known.values())))
    rows = _select(db, "SELECT row, words FROM items WHERE row", some)
    return [row for row, blob in rows if _has_run(blob, wanted)]


def find_same(db: sqlite3.Connection, digest: str) -> list[str]:
    """Return the ids of items with this digest, the oldest first."""
    return [id for (id,) in db.execute("SELECT id FROM items WHERE digest = ? ORDER BY created_at, id", (digest,))]


def list_items(db: sqlite3.Connection) -> list[Item]:
    """Return all items."""
    return [from_json(json.loads(item)) for (item,) in db.execute("SELECT item FROM bodies")]


def count_items(db: sqlite3.Connection) -> int:
    """Return the number of items."""
    return int(db.execute("SELECT count(*) FROM items").fetchone()[0])


def list_keys(db: sqlite3.Connection) -> dict[str, int]:
    """Return the properties that items have, each with the number of items, the most frequent first."""
    rows = db.execute("SELECT key, count(*) FROM properties WHERE element = 0 GROUP BY key ORDER BY 2 DESC, 1")
    return {key: count for each, count in rows if (key := json.loads(each)) not in OWN_KEYS}


def list_values(db: sqlite3.Connection, key: str) -> list[tuple[Json, int]]:
    """Return the values of a property, each with the number of items that have it, the most frequent first."""
    spelled = (
        "SELECT folded, value, count(DISTINCT row) AS n FROM properties WHERE key = ? AND element IN (0, 1)"
        " AND folded NOT LIKE '[%' AND folded NOT LIKE '#%' GROUP BY folded, value"
    )
    # SQLite takes the value from the row that has the maximum
    merged = f"SELECT value, sum(n), max(n) FROM ({spelled}) GROUP BY folded ORDER BY 2 DESC, folded"
    rows = db.execute(merged, (json.dumps(key),))
    return [(json.loads(value), count) for value, count, _ in rows]


def _read_rows(db: sqlite3.Connection, table: str, passing: Sql) -> Rows:
    # one text for all rows takes a quarter of the time of one row at a time
    (joined,) = db.execute(f"SELECT group_concat(row) FROM {table} WHERE {passing.text}", passing.params).fetchone()
    rows: Rows = np.sort(np.fromstring(joined or "", np.int64, sep=","))
    return rows


def _has_run(blob: bytes, wanted: bytes) -> bool:
    at = blob.find(wanted)
    while at > 0 and at % 4:  # a match that begins inside a number of 4 bytes
        at = blob.find(wanted, at + 1)
    return at >= 0


def _select(db: sqlite3.Connection, query: str, values: Iterable[object]) -> list[Any]:
    """Return the rows of a query whose last column is one of these values."""
    # as JSON: one parameter, whatever their number, which SQLite limits; and it holds half a surrogate pair
    return db.execute(f"{query} IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),)).fetchall()
