"""The Chroma folder of the original agent-native-app.

The format is that of its `store.py` and of its README's section on the store: the collections `items` and
`global_context`, stamps and properties in the metadata, all of Global Context in one document. A document is content,
delimiter, properties in words.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from ana.backends.chroma.client import DATABASE, open_copy
from ana.errors import AnaError, UserError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.transfer.bundle import Bundle
from ana.transfer.records import item_id, make_notes, read_each, read_modified, show_path, to_stamp
from ana.values import DELIMITER, Json, Properties, plain_text

if TYPE_CHECKING:
    from ana.backends.chroma.client import Client

ITEMS, CONTEXT = "items", "global_context"
OURS = "ana_version"
"""A key in the metadata of ana's own collections, which have the same names."""

_HINT = "Name the folder in which agent-native-app kept its data."
_PAGE = 1000
_STAMPS = ("created_at", "updated_at")
Row = tuple[str, str, Mapping[str, Any]]
"""Id, document and metadata."""

_WANTED: Any = ["documents", "metadatas"]


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the items and the Global Context of a folder, which is not changed.

    Args:
        path: The folder of chroma.sqlite3.
        zone: Not used: in such a folder a stamp without a zone is UTC.

    Raises:
        UserError: It is not such a folder, cannot be read, or has records that cannot be stored; they are named.
    """
    if not (path / DATABASE).is_file():
        raise UserError(f"{show_path(path)} has no {DATABASE}.", _HINT)
    try:
        with open_copy(path) as client:
            names = _find_collections(path, client)
            others = [
                name
                for name in sorted(names - {ITEMS, CONTEXT})
                if client.get_collection(name, embedding_function=None).count()
            ]
            rows = list(_iter_rows(client, ITEMS)) if ITEMS in names else []
            context = [row for row in _iter_rows(client, CONTEXT) if row[0] == CONTEXT] if CONTEXT in names else []
    except AnaError as exc:
        if exc.__cause__ is None:
            raise
        why = shorten(plain_text(str(exc.__cause__)), 120)
        raise UserError(
            f"{show_path(path)} cannot be read: {why}.", "Take a backup of it from before the damage."
        ) from exc
    age = read_modified(path / DATABASE)
    items = read_each(path, ((f"item {row[0]}", row) for row in rows), lambda row: _read_item(row, age))
    notes = make_notes({"Left out: collections that are not of that program": others})
    return Bundle(items, texts=[line for row in context for line in _iter_lines(row)], notes=notes)


def _find_collections(path: Path, client: "Client") -> set[str]:
    names = {collection.name: collection.metadata or {} for collection in client.list_collections()}
    if any(OURS in metadata for metadata in names.values()):
        raise UserError(f"{show_path(path)} is a folder of ana itself.", _HINT)
    if not names.keys() & {ITEMS, CONTEXT}:
        raise UserError(f"{show_path(path)} has neither of the collections {ITEMS} and {CONTEXT}.", _HINT)
    return set(names)


def _iter_rows(client: "Client", name: str) -> Iterator[Row]:
    collection = client.get_collection(name, embedding_function=None)
    for offset in range(0, collection.count(), _PAGE):
        page: Any = collection.get(limit=_PAGE, offset=offset, include=_WANTED)
        for id, document, metadata in zip(page["ids"], page["documents"], page["metadatas"], strict=True):
            yield id, document or "", metadata or {}


def _read_item(row: Row, age: str) -> Item:
    id, document, metadata = row
    made, changed = (_read_stamp(metadata.get(name)) for name in _STAMPS)
    created = made or changed or age
    properties = _read_properties(row)
    content = split_document(document, properties)
    return check_item(Item(item_id(f"agent-native-app:{id}"), content, properties, created, changed or created))


def _read_properties(row: Row) -> Properties:
    return {name: value for name, value in row[2].items() if name not in _STAMPS}


def _read_stamp(written: object) -> str | None:
    try:
        moment = datetime.fromisoformat(written) if isinstance(written, str) else None
        return to_stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC)) if moment else None
    except (ValueError, OverflowError):
        return None


def _iter_lines(row: Row) -> Iterator[str]:
    for each in split_document(row[1], _read_properties(row)).split("\n"):
        if line := "".join(c for c in " ".join(each.split()) if c.isprintable()):
            yield line


def split_document(document: str, properties: Mapping[str, Json]) -> str:
    """Return a document's content: what stands before its last delimiter, if that begins a block of its properties.

    Args:
        document: The embedded text; what follows the delimiter and looks unlike properties is content too.
        properties: Those of the metadata. A property that was removed is still in the block, as None.
    """
    content, _, block = document.rpartition(DELIMITER)
    names = "|".join(re.escape(name.replace("_", " ")) for name in properties)
    begins = re.compile(rf"(?:{names}): |[^:\n]+: None(?:\n|\Z)")
    return content if properties and begins.match(block) else document
