"""An item as Chroma's document and metadata, and back.

Chroma refuses or changes many values (null, empty and mixed lists, nested objects, large integers, some keys), so the
item is stored as JSON under a key of ana's own; beside it is a flat copy of the values that Chroma can filter, for
other programs.
"""

import json
import re
from datetime import UTC, datetime
from typing import TypeAlias, TypeGuard

from ana.memory.item import Item, from_json, to_json
from ana.memory.search.property_text import SEARCHED, render_text
from ana.time.dates import day_of
from ana.values import Json, Properties, plain_text

Scalar: TypeAlias = str | int | float | bool
Metadata: TypeAlias = dict[str, Scalar | None]

_FLAT_KEY = re.compile(r"[^\W_][\w .-]{0,63}")
_INT64 = 2**63

ITEM_KEY = "ana:item"
"""The key of our JSON; only one, because every key costs Chroma a row in each write and each read."""

MOST_NAMES = 500
"""Names of properties in one collection that have flat copies; those of further ones are left out.

Measured with Chroma 1.5.9: a record with 5,461 keys or more, its document's included (six values each for one statement
of SQLite, which takes 32,766), is taken into the log and never into the tables, and from then on every call fails with
"Failed to apply logs to the metadata segment". And every name that was ever used makes a collection's description 70
bytes longer, which each call reads: with 10,000 names a call takes .1 s, with 100,000 .9 s, even after the
names are gone.
"""

UNKNOWN = "1970-01-01T00:00:00.000000+00:00"
"""The stamps of a record that another program stored: nobody knows when."""

DATE_KEY = "ana:date:{}"
"""The key of a date property as a number, in seconds."""


def is_flat(value: Json) -> TypeGuard[Scalar]:
    """Return whether Chroma stores this value unchanged."""
    if isinstance(value, str):
        return len(value) <= 512 and value.isprintable()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return isinstance(value, bool)
    return isinstance(value, float) or -_INT64 <= value < _INT64  # Chroma's integers have 64 bits


def to_chroma(item: Item) -> tuple[str, Metadata]:
    """Return the document that is embedded, and metadata with the rest."""
    document = render_text(item)
    rest = to_json(item) | {"length": len(item.content)}
    del rest["id"]
    if len(item.content) <= SEARCHED and is_utf8(document):  # it begins with the content, which is not stored twice
        del rest["content"]
    else:
        document = plain_text(document)
    metadata: Metadata = {ITEM_KEY: json.dumps(rest, allow_nan=False)}
    for key, value in item.properties.items():
        if _FLAT_KEY.fullmatch(key) and is_flat(value):
            metadata[key] = value
            if day_of(value):
                moment = datetime.fromisoformat(str(value))  # without a zone as UTC, so that such dates are in order
                metadata[DATE_KEY.format(key)] = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return document, metadata


def limit_flat(metadata: Metadata, names: set[str]) -> Metadata:
    """Return the metadata of one of ana's records, with as many flat copies as the collection has room for.

    `names` are the names that the collection knows; new ones are added.
    """
    flat: Metadata = {}
    for name, value in metadata.items():
        if name == ITEM_KEY or (len(flat) < MOST_NAMES and (name in names or len(names) < MOST_NAMES)):
            flat[name] = value
            names.add(name)
    return flat


def from_chroma(id: str, document: str, metadata: Metadata) -> Item:
    """Return the item exactly as it was stored; if another program stored it, with its metadata as properties."""
    if ITEM_KEY in metadata:
        return from_own(id, document, metadata)
    # Chroma also has values that JSON does not know, such as sparse vectors
    plain: Properties = {
        key: value if isinstance(value, Scalar | list) else str(value) for key, value in metadata.items()
    }
    return Item(id, document, plain, UNKNOWN, UNKNOWN)


def from_own(id: str, document: str, metadata: Metadata) -> Item:
    """Return the item exactly as it was stored. Raises KeyError, ValueError, TypeError if ana did not write it."""
    rest = json.loads(str(metadata[ITEM_KEY]))
    length = rest.pop("length")
    return from_json({"id": id, "content": document[:length], **rest})


def is_utf8(text: str) -> bool:
    """Return whether a text can be written in UTF-8: it has no half of a surrogate pair."""
    return plain_text(text) == text
