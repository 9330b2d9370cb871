"""What a person has besides items, as rows, in an order that is the same wherever they are; and their lines of JSON."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ana.values import DEEP, is_deeper
from ana.workspace.storage import NoteName

Row = tuple[Any, ...]


class Table(NamedTuple):
    """The columns of rows, JSON as it is written, and those of PostgreSQL's table by which they are in order."""

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
"""Columns that are read as they were written."""

_BYTES = ("state", "value")
"""Columns of bytes, base64 in a line."""

NOTES: tuple[NoteName, ...] = (
    "assistants",
    "calendar-key",
    "calendars",
    "push-key",
    "reminder-key",
    "telegram",
    "zone",
)
"""The notes that are a person's wherever they are."""

PERSONAL = ("spending", "bills", "rings", "failing", "settings", "notes")
"""Tables of what is between a person and the world, not of what the assistant knows."""

_NOT_ASCII = re.compile(r"[^\n -~]")


class RowSource(Protocol):
    """What a person has besides items, to read from: a backup, too."""

    def read(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table."""


@runtime_checkable
class PersonalRows(RowSource, Protocol):
    """What a person has besides items, in a place that can be written."""

    def write(self, table: str, rows: Iterable[Row]) -> None:
        """Enter the rows of a table, which has none."""


def choose(table: str, backup: Iterable[Row], present: Iterable[Row], *, is_own: bool) -> list[Row]:
    """Return the rows that a personal table has after a restore.

    One key must not open two calendars, nor one person's reminders ring at another's addresses, so nothing of that is
    another's. A key that was changed since must not open anything again, what rang since must not ring twice, and what
    was spent since is spent: of all but the settings the present ones stay.

    Args:
        backup: Those of the backup.
        present: Those that are there now.
        is_own: Whether the backup is this person's.
    """
    mine, now = [*backup] if is_own else [], [*present]
    if table == "notes":
        return [*(dict(mine) | dict(now)).items()]
    return mine or now if table == "settings" else now or mine


def split_lines(text: str) -> list[str]:
    """Return lines of JSON in ASCII as they are; of a damaged one what no database takes becomes a question mark."""
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
    """Return the row of a line. Raises ValueError, KeyError or TypeError if it is none."""
    values = load_line(line)
    return tuple(
        b64decode(values[name], validate=True) if name in _BYTES else values[name] for name in TABLES[table].columns
    )
