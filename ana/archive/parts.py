"""A person's data besides items, as rows in the same order in every place, and as lines of JSON."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ana.values import DEEP, is_deeper

Row = tuple[Any, ...]


class Table(NamedTuple):
    """The columns of rows, columns of unparsed JSON, and the columns that order PostgreSQL's table."""

    columns: tuple[str, ...]
    order: str


TABLES = {
    "checkpoints": Table(
        ("thread", "namespace", "id", "parent", "begins_turn", "run", "type", "state", "metadata"), "seq"
    ),
    "writes": Table(
        ("thread", "namespace", "checkpoint", "task", "idx", "path", "channel", "type", "value"),
        "thread, namespace, checkpoint, task, idx",
    ),
    "emptied": Table(("thread",), "thread"),
    "stopped": Table(("run",), "run"),
    "created": Table(("thread", "ts", "metadata"), "thread"),
    "trash": Table(("id", "thread", "ts", "name", "trace"), "number"),
    "thread_names": Table(("thread", "name"), "thread"),
    "last_thread": Table(("thread",), "thread"),
    "turns": Table(("thread", "line"), "thread, number"),
    "spending": Table(("day", "usd", "most"), "day"),
    "bills": Table(("line",), "number"),
    "rings": Table(("address", "item", "moment", "attempts", "delivered"), "number"),
    "failing": Table(("address", "since", "failures", "tried", "reason"), "address"),
    "settings": Table(("fields",), "version"),
    "notes": Table(("name", "text"), "name"),
}

JSON = (("checkpoints", "metadata"), ("created", "metadata"), ("trash", "name"), ("thread_names", "name"))
"""Columns whose values are kept unchanged."""

_BYTES = ("state", "value")
"""Columns of bytes, base64 in a line."""

PERSONAL = ("spending", "bills", "rings", "failing", "settings", "notes")
"""Tables of a person's relations to the outside, not of the assistant's knowledge."""

_NOT_ASCII = re.compile(r"[^\n -~]")


class RowSource(Protocol):
    """A person's readable data besides items, in a place or a backup."""

    def read(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table."""


@runtime_checkable
class PersonalRows(RowSource, Protocol):
    """A person's data besides items, in a writable place."""

    def write(self, table: str, rows: Iterable[Row]) -> None:
        """Insert rows into an empty table."""


def choose(table: str, backup: Iterable[Row], present: Iterable[Row], *, is_own: bool) -> list[Row]:
    """Return the rows that a personal table has after a restore.

    One key must not open two calendars, and one person's reminders must not go to another's addresses, so these are
    another's. A key that was changed since must not open anything again, nobody sees again what is shown to them no
    more, what rang since must not ring twice, and what was spent since is spent: of all but the settings the present
    ones stay.

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


def dump_line(values: object) -> bytes:
    """Return values as a line of JSON."""
    return f"{json.dumps(values)}\n".encode()


def load_line(line: bytes) -> Any:
    """Return the values of a line. Raises ValueError if it is not JSON, or nested very deep."""
    try:
        values = json.loads(line)
    except RecursionError:
        raise ValueError(f"a line is nested more than {DEEP} deep") from None
    if is_deeper(values, DEEP):
        raise ValueError(f"a line is nested more than {DEEP} deep")
    return values


def dump_row(table: str, row: Row) -> bytes:
    """Return a row as a line."""
    named = zip(TABLES[table].columns, row, strict=True)
    return dump_line({name: b64encode(value).decode() if name in _BYTES else value for name, value in named})


def load_row(table: str, line: bytes) -> Row:
    """Return the row of a line. Raises ValueError, KeyError or TypeError if it is invalid."""
    values = load_line(line)
    return tuple(
        b64decode(values[name], validate=True) if name in _BYTES else values[name] for name in TABLES[table].columns
    )
