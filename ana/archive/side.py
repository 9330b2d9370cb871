"""Copying everything of one person from one place to another, and verifying the copy."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Annotated, Any

from pydantic import Field

from ana.archive.parts import TABLES, PersonalRows, Row, RowSource, dump_line, dump_row
from ana.backends.whole import StoreSource, WholeStore
from ana.errors import StoreBroken
from ana.memory.changes import KINDS, Change, Entry, Kind
from ana.memory.item import from_json, to_json
from ana.stopping import Progress

PAGE = 200

RECORDS: dict[Kind, str] = {"item": "items", "line": "lines"}
"""The parts with records, by kind."""
JOURNAL = "journal"
PARTS = (*TABLES, *RECORDS.values(), JOURNAL)
"""All parts. Threads first: see `ana/backends/chroma/care/files.py`."""


@dataclass(frozen=True)
class Side:
    """Everything of one person in one place.

    Args:
        store: Items, lines, and the journal.
        rows: Everything else.
        alone: Keeps others from writing to the store.
    """

    store: StoreSource
    rows: RowSource
    alone: Callable[[], AbstractContextManager[object]] = nullcontext


@dataclass(frozen=True)
class Part:
    """The number of a part's rows, and the digest of their lines; records may be in any order."""

    rows: Annotated[int, Field(ge=0)]
    digest: str


def copy(source: Side, target: Side, progress: Progress, wanted: Mapping[str, Iterable[Row]] | None = None) -> None:
    """Copy everything to an empty place.

    Args:
        wanted: Rows of tables for the target that replace the source's.
    """
    assert isinstance(target.rows, PersonalRows)
    for table in TABLES:
        target.rows.write(table, wanted[table] if wanted and table in wanted else source.rows.read(table))
    copy_store(source.store, target.store, progress)


def copy_store(source: StoreSource, store: StoreSource, progress: Progress) -> None:
    """Copy items, lines and journal to an empty store; vectors too, unless another embedder made them."""
    assert isinstance(store, WholeStore)
    has_vectors = source.embedder_name == store.embedder_name
    total, done = sum(map(source.count, KINDS)), 0
    for kind in KINDS:
        records = source.scan(kind)
        while page := [*islice(records, PAGE)]:
            store.take_records(kind, [(item, vector if has_vectors else None) for item, vector in page])
            done += len(page)
            progress(done, total)
    entries = iter(source.entries())
    while some := [*islice(entries, PAGE)]:
        store.take_entries(some)
    store.take_numbers(*source.numbers())


def digest_all(side: Side) -> dict[str, Part]:
    """Read a place completely, and return its parts."""
    parts = {table: digest(table, (dump_row(table, row) for row in side.rows.read(table))) for table in TABLES}
    for kind, name in RECORDS.items():
        parts[name] = digest(name, (dump_line(to_json(item)) for item, _ in side.store.scan(kind)))
    return parts | {JOURNAL: digest(JOURNAL, map(dump_entry, side.store.entries()))}


def digest(part: str, lines: Iterable[bytes]) -> Part:
    """Return the number of a part's lines, and their digest."""
    each = [hashlib.sha256(line).digest() for line in lines]
    if part in RECORDS.values():
        each.sort()
    return Part(len(each), hashlib.sha256(b"".join(each)).hexdigest())


def compare(parts: Mapping[str, Part], target: Side, but: Iterable[str] = ()) -> None:
    """Raise StoreBroken with the differences if a place does not contain the expected data.

    Args:
        but: Tables that were not to be copied.
    """
    arrived = digest_all(target)
    if differing := [name for name, part in parts.items() if name not in but and arrived[name] != part]:
        raise StoreBroken(
            f"The copy differs from the source: {', '.join(differing)}.",
            "The source is still in use. Please report this.",
        )


def dump_entry(entry: Entry) -> bytes:
    """Return an entry of the journal as a line."""
    return dump_line(asdict(entry))


def load_entry(values: Any) -> Entry:
    """Return the entry of a line's values. Raises ValueError, KeyError or TypeError if it is invalid."""
    change: Any = {name: from_json(each) if isinstance(each, dict) else each for name, each in values["change"].items()}
    return Entry(**values | {"change": Change(**change)})
