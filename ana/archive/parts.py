"""The parts of a person's data: their rows, in the same order in every place, and the rows as lines of JSON."""

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field

from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import from_json, to_json
from ana.values import read_own_json

Row = tuple[Any, ...]

TABLES = {
    "checkpoints": ("thread", "namespace", "id", "parent", "begins_turn", "run", "type", "state", "metadata"),
    "writes": ("thread", "namespace", "checkpoint", "task", "idx", "path", "channel", "type", "value"),
    "emptied": ("thread",),
    "stopped": ("run",),
    "created": ("thread", "ts", "metadata"),
    "trash": ("id", "thread", "ts", "name", "trace"),
    "thread_names": ("thread", "name"),
    "last_thread": ("thread",),
    "turns": ("thread", "line"),
    "spending": ("day", "usd", "most"),
    "bills": ("line",),
    "rings": ("address", "item", "moment", "attempts", "delivered"),
    "failing": ("address", "since", "failures", "tried", "reason"),
    "settings": ("fields",),
    "notes": ("name", "text"),
}
"""The columns of all that is not in the store of items."""


SCANNED = {
    "checkpoints": ("states", "seq"),
    "writes": ("task_writes", "1, 2, 3, 4, 5"),
    "emptied": ("emptied", "1"),
    "stopped": ("stopped", "1"),
    "created": ("created", "1"),
    "trash": ("trash", "rowid"),
    "rings": ("rings", "number"),
    "failing": ("failing", "1"),
}
"""The parts that are tables, in a SQLite file and in PostgreSQL, each with the table and the columns that order it; all
others are read through what keeps them."""

_COLUMNS = {"thread": "thread_id", "run": "run_id"}
"""Columns that have another name in tables, but for that of the trash."""

RECORDS: dict[str, Kind] = {"items": "item", "lines": "line"}
"""The parts of records; each row is a record with its vector, which the line does not contain."""

JOURNAL = "journal"
STORE = (*RECORDS, JOURNAL)
PARTS = (*TABLES, *STORE)
"""All parts. Threads first: see `ana/backends/chroma/care/files.py`."""

_BYTES = ("state", "value")
"""Columns of bytes, base64 in a line."""

PERSONAL = ("spending", "bills", "rings", "failing", "settings", "notes")
"""Tables of a person's relations to the outside, not of the assistant's knowledge."""

_NOT_ASCII = re.compile(r"[^\n -~]")


def list_columns(part: str) -> list[str]:
    """Return the columns of a part's table."""
    return [name if part == "trash" else _COLUMNS.get(name, name) for name in TABLES[part]]


def select_all(part: str) -> str:
    """Return the query for all rows of a part's table, with JSON as text."""
    table, order = SCANNED[part]
    columns = (f"CAST({name} AS TEXT)" if name in ("metadata", "name") else name for name in list_columns(part))
    return f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"


def choose(table: str, backup: Iterable[Row], present: Iterable[Row], *, is_own: bool) -> list[Row]:
    """Return the rows that a personal table has after a restore.

    Nothing is taken from another person's backup: one key must not open two calendars, and reminders must
    not go to another person's addresses. Of all tables but the settings, the present rows stay: a replaced key must not
    become valid again, an item that is no longer shared must stay hidden, a reminder that rang since must not ring
    twice, and money spent since stays counted.

    Args:
        backup: The rows in the backup.
        present: The current rows.
        is_own: Whether the backup is this person's.
    """
    mine, now = [*backup] if is_own else [], [*present]
    if table == "notes":
        return [*(dict(mine) | dict(now)).items()]
    return mine or now if table == "settings" else now or mine


def split_lines(text: str) -> list[str]:
    """Return lines of ASCII JSON; characters of a damaged line that no database accepts become question marks."""
    return [line for line in _NOT_ASCII.sub("?", text).split("\n") if line]


def dump(part: str, row: Any) -> bytes:
    """Return a row as a line."""
    return f"{json.dumps(_name_values(part, row))}\n".encode()


def _name_values(part: str, row: Any) -> Any:
    if part in RECORDS:
        return to_json(row[0])
    if part == JOURNAL:
        return asdict(row)
    named = zip(TABLES[part], row, strict=True)
    return {name: b64encode(value).decode() if name in _BYTES else value for name, value in named}


def load(part: str, line: bytes) -> Any:
    """Return the row of a line, of a record without its vector. Raises ValueError, KeyError or TypeError if invalid."""
    values = read_own_json(line)
    if part in RECORDS:
        return from_json(values)
    if part == JOURNAL:
        change: Any = {
            name: from_json(each) if isinstance(each, dict) else each for name, each in values["change"].items()
        }
        return Entry(**values | {"change": Change(**change)})
    return tuple(b64decode(values[name], validate=True) if name in _BYTES else values[name] for name in TABLES[part])


@dataclass(frozen=True)
class Part:
    """The number of a part's rows, and the digest of their lines; records may be in any order."""

    rows: Annotated[int, Field(ge=0)]
    digest: str


def digest(part: str, lines: Iterable[bytes]) -> Part:
    """Return the number of a part's lines, and their digest."""
    each = [hashlib.sha256(line).digest() for line in lines]
    if part in RECORDS:
        each.sort()
    return Part(len(each), hashlib.sha256(b"".join(each)).hexdigest())
