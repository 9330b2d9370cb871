"""What a person has besides items, as the rows of PostgreSQL's tables, in an order that is the same on both sides."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from ana.workspace.storage import NoteName

Row = tuple[Any, ...]


class Table(NamedTuple):
    """The columns that are moved, JSON as it is written, and those by which rows are in order."""

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
    "turns": Table(("thread", "id", "line"), "thread, number"),
    "spending": Table(("day", "usd", "most"), "day"),
    "bills": Table(("line",), "number"),
    "rings": Table(("address", "item", "moment", "attempts", "delivered"), "number"),
    "failing": Table(("address", "since", "failures", "tried", "reason"), "address"),
    "settings": Table(("fields",), "version"),
    "notes": Table(("name", "text"), "name"),
}

JSON = (("checkpoints", "metadata"), ("created", "metadata"), ("trash", "name"), ("thread_names", "name"))
"""Columns that are read as they were written."""

NOTES: tuple[NoteName, ...] = ("calendar-key", "push-key", "zone")
"""The notes that are a person's wherever they are."""

_NOT_ASCII = re.compile(r"[^\n -~]")


class PersonalRows(Protocol):
    """What a person has on one side."""

    def read(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table."""

    def write(self, table: str, rows: Iterable[Row]) -> None:
        """Enter the rows of a table, which has none."""


def split_lines(text: str) -> list[str]:
    """Return lines of JSON in ASCII as they are; of a damaged one what no database takes becomes a question mark."""
    return [line for line in _NOT_ASCII.sub("?", text).split("\n") if line]
