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
from typing import Any

from ana.backends.chroma.client import DATABASE, open_copy
from ana.backends.chroma.source import READ, iter_pages
from ana.errors import AnaError, UserError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.transfer.bundle import Bundle
from ana.transfer.records import item_id, make_notes, read_each, read_modified, show_path, to_stamp
from ana.values import DELIMITER, Json, Properties, plain_text

ITEMS, CONTEXT = "items", "global_context"
OURS = "ana_version"
"""A key in the metadata of ana's own collections, which have the same names."""

_HINT = "Name the folder in which agent-native-app kept its data."
_STAMPS = ("created_at", "updated_at")
Row = tuple[str, str, Mapping[str, Any]]
"""Id, document and metadata."""


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the items and the Global Context of the folder of chroma.sqlite3, which is not changed.

    The zone is not used: in such a folder a stamp without one is UTC.

    Raises UserError if it is not such a folder, cannot be read, or has records that cannot be stored; they are named.
    """
    if not (path / DATABASE).is_file():
        raise UserError(f"{show_path(path)} has no {DATABASE}.", _HINT)
    try:
        with open_copy(path) as client:
            found = {collection.name: collection for collection in client.list_collections()}
            _refuse_others(path, found)
            others = [name for name in sorted(found.keys() - {ITEMS, CONTEXT}) if found[name].count()]
            rows = list(_iter_rows(found[ITEMS])) if ITEMS in found else []
            context = [row for row in _iter_rows(found[CONTEXT]) if row[0] == CONTEXT] if CONTEXT in found else []
    except AnaError as exc:
        if exc.__cause__ is None:
            raise
        why = shorten(plain_text(str(exc.__cause__)), 120)
        hint = "Take a backup of it from before the damage."
        raise UserError(f"{show_path(path)} cannot be read: {why}.", hint) from exc
    age = read_modified(path / DATABASE)
    items = read_each(path, ((f"item {row[0]}", row) for row in rows), lambda row: _read_item(row, age))
    notes = make_notes({"Left out: collections that are not of that program": others})
    return Bundle(items, texts=[line for row in context for line in _iter_lines(row)], notes=notes)


def _refuse_others(path: Path, found: Mapping[str, Any]) -> None:
    if any(OURS in (collection.metadata or {}) for collection in found.values()):
        raise UserError(f"{show_path(path)} is a folder of ana itself.", _HINT)
    if not found.keys() & {ITEMS, CONTEXT}:
        raise UserError(f"{show_path(path)} has neither of the collections {ITEMS} and {CONTEXT}.", _HINT)


def _iter_rows(collection: Any) -> Iterator[Row]:
    for page in iter_pages(collection, READ):
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

    The properties are those of the metadata; one that was removed is still in the block, as None.
    """
    content, _, block = document.rpartition(DELIMITER)
    names = "|".join(re.escape(name.replace("_", " ")) for name in properties)
    begins = re.compile(rf"(?:{names}): |[^:\n]+: None(?:\n|\Z)")
    return content if properties and begins.match(block) else document
