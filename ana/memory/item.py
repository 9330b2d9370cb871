"""The Item, its one form in JSON, its id, and the check of its properties."""

import base64
import hashlib
import math
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ana.errors import ToolError
from ana.memory.sources import ALL_MINE, Sources, is_others
from ana.time.dates import day_of
from ana.values import DEEPEST, Json, Properties


@dataclass(frozen=True)
class Item:
    """Anything a person wants to keep: a text of any length with any properties, in the order given.

    The id is 8 characters of base32, or the number of a Global Context line; the stamps are UTC, ISO 8601. The zone is
    that in which its times are meant; empty for the person's.
    """

    id: str
    content: str
    properties: Properties
    created_at: str
    updated_at: str
    sources: Sources = ALL_MINE
    zone: str = ""

    @property
    def source(self) -> str:
        """Return its source: the person if all of it is theirs, else the least trusted source."""
        return self.sources.least_trusted

    @property
    def date(self) -> str | None:
        """Return its own date as written: due_date, else the first property that is a date; None if it has no date."""
        values = (self.properties.get("due_date"), *self.properties.values())
        return next((str(value) for value in values if day_of(value)), None)


def to_json(item: Item) -> dict[str, Json]:
    """Return an item as JSON exactly as stored, as commands and servers show it; sources only if some are others'."""
    record: dict[str, Json] = {
        "id": item.id,
        "content": item.content,
        "properties": dict(item.properties),
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }
    if is_others(item.source):
        record["sources"] = item.sources.to_json()
    return record | ({"zone": item.zone} if item.zone else {})


def from_json(record: Mapping[str, Any]) -> Item:
    """Return the item from the result of `to_json`."""
    sources = Sources(**record["sources"]) if "sources" in record else ALL_MINE
    return Item(**{**record, "sources": sources})


def make_item_id() -> str:
    """Return a random item id: 8 characters of lower-case base32 (40 bits); models garble longer ones."""
    return spell_id(secrets.token_bytes(5))


def spell_id(entropy: bytes) -> str:
    """Return the item id that 5 bytes spell."""
    return base64.b32encode(entropy[:5]).decode().lower()  # 40 bits are exactly 8 characters, without padding


def iter_candidate_ids(key: str) -> Iterator[str]:
    """Yield ids for a new item. The first follow from the call's key: a call that runs again gets the same id."""
    seed = hashlib.sha256(key.encode()).digest() if key else b""
    yield from (spell_id(seed[i : i + 5]) for i in range(0, len(seed) - 4, 5))
    while True:  # all ids of the call are in use
        yield make_item_id()


def is_date_key(key: str) -> bool:
    """Whether a property is one for a date: date, due_date, start_date, end_date and every other *_date."""
    return key.lower() == "date" or key.lower().endswith("_date")


def check_properties(properties: Mapping[str, object]) -> None:
    """Raise ToolError, which names the property, if JSON cannot hold one: NaN, an infinity, another type."""
    for key, value in properties.items():
        if problem := _find_problem(value):
            raise ToolError(f"Property {key!r} cannot be stored: {problem}.", "Leave it out, or give another value.")


def _find_problem(value: object, depth: int = 0) -> str | None:
    if depth > DEEPEST:
        return f"it is nested more than {DEEPEST} deep"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} is not a number"
    if isinstance(value, int) and value.bit_length() > 1024:  # more than any float
        return "it has more digits than a number can have"
    if isinstance(value, list):
        return next((p for v in value if (p := _find_problem(v, depth + 1))), None)
    if isinstance(value, dict):
        if not all(isinstance(k, str) for k in value):
            return "its keys are not all text"
        return next((p for v in value.values() if (p := _find_problem(v, depth + 1))), None)
    is_plain = value is None or isinstance(value, bool | int | float | str)
    return None if is_plain else f"{type(value).__name__} is not JSON"


def merge_properties(old: Properties, changes: Mapping[str, Json]) -> Properties:
    """Return old properties with changes applied; a change to None removes the property."""
    return {k: v for k, v in (old | dict(changes)).items() if v is not None or k not in changes}  # an old null stays
