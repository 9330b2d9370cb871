"""Checks of the store: every record can be read and is found by its own vector; counts, index and journal agree."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from ana.backends.chroma.backend import ChromaBackend
from ana.backends.chroma.care.probe import EVERY, find_fault
from ana.backends.chroma.closed import connect_closed
from ana.backends.chroma.collection import ChromaCollection
from ana.backends.chroma.metadata import ITEM_KEY
from ana.backends.chroma.source import ChromaSource, Row
from ana.backends.sql.lookup import list_items
from ana.files import is_damage
from ana.memory.backend import RecordKey
from ana.memory.changes import Change, Kind, find_disagreements
from ana.memory.digests import digest_content
from ana.memory.item import Item
from ana.memory.search.property_text import SEARCHED, render_text
from ana.values import plain_text

AT_ONCE = 100
"""Records searched for in one call."""

MANY = 500
"""Neighbours in the second search: Chroma's index is approximate and misses one in some hundreds."""

SAME = 1e-4
"""Vectors closer than this in cosine are the same to Chroma, which stores 32 bits."""

Examined = Callable[[int], None]
"""Called with the number of records examined since the last call."""


@dataclass
class Findings:
    """The result of an examination.

    Args:
        counts: The number of records of each kind.
        store: Faults of the database.
        unreadable: Records that cannot be read as items.
        index: Faults of a derived index.
        journal: Records that differ from the journal: before is the journal's, after the store's.
        duplicates: Items that say the same, perhaps on purpose.
        foreign: Items that another program stored, which the journal does not know.
        orphans: Files that belong to nothing.
    """

    counts: dict[Kind, int] = field(default_factory=dict)
    store: list[str] = field(default_factory=list)
    unreadable: list[RecordKey] = field(default_factory=list)
    index: list[str] = field(default_factory=list)
    journal: list[Change] = field(default_factory=list)
    duplicates: list[list[str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether no fault was found; duplicates, foreign records and orphans are harmless."""
        return not (self.store or self.unreadable or self.index or self.journal)


def examine(backend: ChromaBackend, progress: Examined = lambda _: None) -> Findings:
    """Check everything in a data folder, while nobody else uses it."""
    with backend.folder.hold_closed():
        backend.folder.close()
        chroma = backend.path / "chroma"
        if chroma.exists() and (fault := find_fault(chroma, EVERY)):
            return Findings(store=[f"Chroma cannot be used: {fault}"])
        return _examine_open(backend, progress)


def _examine_open(backend: ChromaBackend, progress: Examined) -> Findings:
    findings = Findings()
    with backend.hold():
        for kind, collection in backend.collections.items():
            items = _check_collection(kind, collection, findings, progress)
            wrong = find_disagreements(kind, items.values(), backend.journal.latest(kind))
            findings.journal += [change for change in wrong if change.before or change.id not in findings.foreign]
            if kind == "item":
                findings.duplicates = _find_duplicates(items.values())
        chroma = backend.path / "chroma"
        with closing(connect_closed(chroma)) as db:
            used = {id for (id,) in db.execute("SELECT id FROM segments")}
        others = (each for each in chroma.iterdir() if each.is_dir() and each.name not in used)
        findings.orphans = sorted(f"chroma/{each.name}" for each in others)  # belong to no collection
    return findings


def _check_collection(
    kind: Kind, collection: ChromaCollection, findings: Findings, progress: Examined
) -> dict[str, Item]:
    """Check one collection, note its faults, and return the items that can be read."""
    items: dict[str, Item] = {}
    source, rows = collection.source, 0
    for batch in source.read_rows(AT_ONCE):
        rows += len(batch)
        for row in batch:
            if item := _read_item(kind, source, row, findings):
                items[row.id] = item
        findings.store += [f"{kind} {row.id} is not found by its own vector." for row in find_lost(source, batch)]
        progress(len(batch))
    if rows != source.count():
        findings.store.append(f"Chroma counts {source.count()} records of {collection.name} and has {rows}.")
    findings.counts[kind] = rows
    if len(items) == rows:
        _check_index(collection, items, findings)
    return items


def _read_item(kind: Kind, source: ChromaSource, row: Row, findings: Findings) -> Item | None:
    try:
        item = source.read(row.id, row.document or "", row.metadata or {})
    except (KeyError, ValueError, TypeError):
        findings.unreadable.append((kind, row.id))
        return None
    if ITEM_KEY not in (row.metadata or {}):
        findings.foreign.append(row.id)
    # an older ana embedded the whole text
    elif (row.document or "") not in (plain_text(render_text(item, n)) for n in (SEARCHED, None)):
        findings.store.append(f"{kind} {row.id}: its text is not the one that was embedded.")
    if row.vector is None or not np.isfinite(row.vector).all():
        findings.store.append(f"{kind} {row.id} has no vector.")
    return item


def find_lost(source: ChromaSource, rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the records that are not found by their own vector, which search by meaning would miss."""
    vectors = [(row, row.vector) for row in rows if row.vector is not None]
    if not vectors:
        return
    nearest = source.find_nearest_each([vector for _, vector in vectors], min(10, source.count()))
    for (row, vector), near in zip(vectors, nearest, strict=True):
        if not _is_near(row, near) and not _is_near(row, source.find_nearest(vector, min(MANY, source.count()))):
            yield row


def _is_near(row: Row, near: Mapping[str, float]) -> bool:
    """Return whether a record is among its neighbours, or all of these are equal to it."""
    return row.id in near or min(near.values(), default=0.0) > 1 - SAME


def _check_index(collection: ChromaCollection, items: dict[str, Item], findings: Findings) -> None:
    try:
        tables = collection.index.make_ready(collection.source)
        known = {item.id: item for item in list_items(tables.db)}
    except sqlite3.DatabaseError as exc:
        if not is_damage(exc):
            raise
        findings.index.append(f"The index of {collection.name} is damaged: {exc}.")
        return
    wrong = sorted(id for id in known.keys() | items.keys() if known.get(id) != items.get(id))
    findings.index += [f"The index of {collection.name} does not know {id} as it is." for id in wrong]


def _find_duplicates(items: Iterable[Item]) -> list[list[str]]:
    same = defaultdict(list)
    for item in items:
        same[digest_content(item.content, item.properties)].append(item.id)
    return [sorted(ids) for ids in same.values() if len(ids) > 1]
