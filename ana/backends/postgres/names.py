"""Texts as PostgreSQL holds and asks for them."""

import hashlib
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from ana.backends.sql.dialect import SIGNS, Sql

LONGEST = 400
"""How many characters of a name are kept as they are: an entry of a B-tree ends at 2.7 kB."""


def to_name(text: str) -> str:
    """Return a text in ASCII, equal for equal texts only; how a long one begins is kept."""
    escaped = json.dumps(text)[1:-1]  # also NUL and half a surrogate pair, which no column of text takes
    if len(escaped) <= LONGEST:
        return escaped
    return f"{escaped[:LONGEST]}#{hashlib.sha256(escaped.encode()).hexdigest()}"


def from_name(name: str) -> str:
    """Return the text of a name; of a long one only the name is known."""
    return str(json.loads(f'"{name}"'))


class PostgresDialect:
    """Asks PostgreSQL; methods are those of `Dialect`."""

    def name_key(self, key: str) -> str:
        return f'"{to_name(key)}"'

    def use_index(self, name: str) -> str:
        return ""

    def compare_number(self, op: str, bound: Any) -> Sql:
        return Sql(f"num {SIGNS[op]} ?", (to_decimal(bound),))

    def has_part(self, name: str, part: str) -> tuple[Sql, ...]:
        return (Sql("position(? IN part) > 0", (to_bytes(part),)),)


POSTGRES = PostgresDialect()


def without_status(statuses: Sequence[str]) -> Sql:
    """Return the condition that an item has none of these statuses, in upper or lower case."""
    return Sql("coalesce(items.status, '') <> ALL(?)", ([json.dumps(status) for status in statuses],))


def to_decimal(number: float) -> Decimal:
    """Return exactly this number: a float as it is, and not as it is written."""
    return Decimal(number)


def to_bytes(text: str) -> bytes:
    """Return a text as bytes in which a part of it is found where its bytes are, and nowhere else."""
    return text.encode("utf-8", "surrogatepass")
