"""Conditions in SQL, and the functions that they call."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ana.memory.search.tokens import fold_tag
from ana.values import fold_case

INT64 = 2**63
SIGNS = {"$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<="}


@dataclass(frozen=True)
class Sql:
    """A condition on `items.row`, and the values of its question marks."""

    text: str
    params: tuple[Any, ...] = ()


def join(word: str, parts: Iterable[Sql]) -> Sql:
    """Return conditions joined by AND or OR; without parts one that is always true."""
    known = list(parts)
    if not known:
        return Sql("TRUE")
    text = f" {word} ".join(part.text for part in known)
    return Sql(f"({text})", tuple(param for part in known for param in part.params))


_BODY = "(SELECT item FROM bodies WHERE bodies.row = held.row)"
_LONG = "folded >= '#' AND folded < '$'"
_VALUES = (
    f"SELECT DISTINCT folded FROM properties WHERE key = ? AND element = 0 AND NOT ({_LONG}) AND instr(folded, ?)"
    " LIMIT -1"  # with a limit, SQLite does not move the test of each value in front of DISTINCT
)
_SHORT_HAS_PART = f"folded IN (SELECT folded FROM ({_VALUES}) WHERE ana_has_part(folded, NULL, '', ?))"
"""Each value that has the text as JSON writes it is looked into, and only once, however many items have it."""
_LONG_HAS_PART = f"{_LONG} AND ana_has_part(value, {_BODY}, ?, ?)"


def compare_number(op: str, bound: Any) -> Sql:
    """Return the condition on a property's row that it is a number on this side of a bound."""
    if -INT64 <= bound < INT64:
        return Sql(f"num {SIGNS[op]} ?", (bound,))
    return Sql(f"num IS NOT NULL AND ana_order(value, ?) {SIGNS[op]} 0", (json.dumps(bound),))


def has_part(key: str, part: str) -> tuple[Sql, Sql]:
    """Return two conditions on a property's row. One is true if its text contains a part, in upper or lower case."""
    name, text = json.dumps(key), json.dumps(part)
    return Sql(_SHORT_HAS_PART, (name, text[1:-1], text)), Sql(_LONG_HAS_PART, (name, text))


def add_functions(db: sqlite3.Connection) -> None:
    """Define the functions that conditions and look-ups call."""

    def order(value: str, bound: str) -> int:
        one, other = json.loads(value), json.loads(bound)
        return int(one > other) - int(one < other)

    def tag(value: str) -> str | None:
        known = json.loads(value)
        return fold_tag(known) if isinstance(known, str) else None

    def has_part(value: str, body: str | None, key: str, part: str) -> bool:
        # a long value is kept as its hash alone
        known = json.loads(body)["properties"][json.loads(key)] if body else json.loads(value)
        return isinstance(known, str) and json.loads(part) in str(fold_case(known))

    db.create_function("ana_order", 2, order, deterministic=True)
    db.create_function("ana_has_part", 4, has_part, deterministic=True)
    db.create_function("ana_folded", 1, tag, deterministic=True)
