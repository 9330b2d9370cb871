"""Copying all that a person has from one side to the other, and comparing both."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from ana.backends.whole import WholeStore
from ana.errors import StoreBroken
from ana.memory.changes import KINDS, Entry
from ana.moving.rows import TABLES, PersonalRows
from ana.progress import Progress
from ana.transfer.exporter import export_lines

PAGE = 200


@dataclass(frozen=True)
class Side:
    """All that a person has in one place.

    Args:
        store: Items, lines, and the journal.
        rows: Everything else.
    """

    store: WholeStore
    rows: PersonalRows


def count(side: Side) -> dict[str, int]:
    """Return how much of what there is."""
    backend = side.store.backend
    return {
        "item": backend.count("item"),
        "line": backend.count("line"),
        "change": sum(1 for _ in iter_entries(side.store)),
        "conversation": len({row[0] for row in side.rows.read("checkpoints")}),
        "turn": sum(1 for _ in side.rows.read("turns")),
    }


def copy(source: Side, target: Side, progress: Progress) -> None:
    """Copy everything to a side that has nothing."""
    copy_store(source.store, target.store, progress)
    for table in TABLES:
        target.rows.write(table, source.rows.read(table))


def copy_store(given: WholeStore, taken: WholeStore, progress: Progress) -> None:
    """Copy items, lines and journal to a store that has none; the vectors too, unless another embedder made them."""
    has_vectors = given.embedder_name == taken.embedder.name
    total, done = given.backend.count("item") + given.backend.count("line"), 0
    for kind in KINDS:
        records = given.scan(kind)
        while page := [*islice(records, PAGE)]:
            taken.take_records(kind, [(item, vector if has_vectors else None) for item, vector in page])
            done += len(page)
            progress(done, total)
    entries = iter_entries(given)
    while some := [*islice(entries, PAGE)]:
        taken.take_entries(some)
    taken.take_numbers(given.backend.position()[0], given.backend.next_line_number())


def compare(source: Side, target: Side) -> None:
    """Raise StoreBroken, which names what differs, if both sides do not have the same: each is read as a whole."""
    ours, theirs = _digest_all(source), _digest_all(target)
    if differing := [what for what in ours if ours[what] != theirs[what]]:
        raise StoreBroken(
            f"What arrived is not what was there: {', '.join(differing)}.",
            "Nothing was changed over. Please report this.",
        )


def iter_entries(store: WholeStore) -> Iterator[Entry]:
    """Yield all entries of a journal, the oldest first."""
    last = 0
    while page := store.list_after(last, PAGE):
        yield from page
        last = page[-1].seq


def _digest_all(side: Side) -> dict[str, str]:
    backend = side.store.backend
    digests = {
        "export": _digest(export_lines(backend)),
        "journal": _digest(repr(entry).encode() for entry in iter_entries(side.store)),
        "position": repr(backend.position()),
    }
    return digests | {table: _digest(repr(row).encode() for row in side.rows.read(table)) for table in TABLES}


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()
