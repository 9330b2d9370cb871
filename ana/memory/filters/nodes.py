"""The tree of a filter."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import TypeAlias

from ana.values import Json

OWN_KEYS = ("id", "created_at", "updated_at")
ORDER = ("$gt", "$gte", "$lt", "$lte")


@dataclass(frozen=True)
class DateOperand:
    """A date as an operand.

    Args:
        start: First microsecond since 1970 in UTC.
        end: The microsecond after the last.
        zone: The person's zone, in which stored values are read as well.
    """

    start: int
    end: int
    zone: tzinfo


Operand: TypeAlias = Json | DateOperand


@dataclass(frozen=True)
class Compare:
    """One condition on one key.

    Args:
        key: A property, or id, created_at, updated_at.
        op: $eq $ne $gt $gte $lt $lte $in $nin or $contains.
        operand: A tuple of operands for $in and $nin, a number or DateOperand for $gt $gte $lt $lte.
    """

    key: str
    op: str
    operand: Operand | tuple[Operand, ...]

    @property
    def operands(self) -> tuple[Operand, ...]:
        """Return the operands as a list, also if there is only one."""
        return self.operand if isinstance(self.operand, tuple) else (self.operand,)


@dataclass(frozen=True)
class On:
    """Passes an item if one of its dates, or the time from start_date to end_date, touches a window of time."""

    window: DateOperand


@dataclass(frozen=True)
class And:
    """True if every part is; without parts always true."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Or:
    """True if some part is."""

    parts: tuple["Node", ...]


Node: TypeAlias = And | Or | Compare | On

EVERY_ITEM = And(())


def iter_conditions(node: Node) -> Iterator[Compare | On]:
    """Yield the conditions that a filter joins."""
    if isinstance(node, And | Or):
        for part in node.parts:
            yield from iter_conditions(part)
    else:
        yield node


def find_keys(node: Node) -> set[str]:
    """Return every key that the filter asks about."""
    return {each.key for each in iter_conditions(node) if isinstance(each, Compare)}
