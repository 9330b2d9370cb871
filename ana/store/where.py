"""The filter language: which items a `where` means.

Equality on one or several keys; the operators of the full language are refused by name until they work.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ana.errors import ToolError
from ana.store.item import Item, Json
from ana.store.metadata import flat_key, flat_value

OWN_KEYS = ("id", "created_at", "updated_at")


@dataclass(frozen=True)
class Filter:
    """A checked `where`.

    Args:
        chroma: What Chroma can narrow down to, in its own language; None for everything.
        test: Whether an item is meant; exact, also where Chroma's types blur.
        unfiltered: Whether every item is meant.
    """

    chroma: dict[str, Any] | None
    test: Callable[[Item], bool]
    unfiltered: bool


def compile_where(where: Mapping[str, Json] | None) -> Filter:
    """Check a filter and prepare it.

    Raises:
        ToolError: It is not a filter; the message says what is wrong.
    """
    wanted = dict(where or {})
    for key, value in wanted.items():
        if key.startswith("$") or isinstance(value, dict):
            raise ToolError(
                f"The filter on {key!r} uses an operator; only equality is understood.",
                'Give a plain value, such as {"status": "active"}.',
            )
    narrow = [_clause(k, v) for k, v in wanted.items() if k not in OWN_KEYS and flat_key(k) and flat_value(v)]
    chroma = narrow[0] if len(narrow) == 1 else {"$and": narrow} if narrow else None
    return Filter(chroma, lambda item: all(_equal(_value(item, k), v) for k, v in wanted.items()), not wanted)


def _clause(key: str, value: Json) -> dict[str, Any]:
    if isinstance(value, int | float) and not isinstance(value, bool) and float(value) == value and abs(value) < 2**53:
        return {"$or": [{key: int(value)}, {key: float(value)}]} if float(value).is_integer() else {key: value}
    return {key: value}


def _value(item: Item, key: str) -> Json:
    """A property, or an item's own field; a property of the same name is reached first."""
    if key in item.properties:
        return item.properties[key]
    return getattr(item, key) if key in OWN_KEYS else None


def _equal(left: Json, right: Json) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and left == right
