"""The Chroma backend: two collections, the journal beside them, and one owner of the folder at a time.

The layers of the package: client and folder; source and index; collection; acts; this module; care. Only this module
and care are used from outside.
"""

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ana.backends.chroma.acts import Acts
from ana.backends.chroma.binding import read_embedder, unbind_empty
from ana.backends.chroma.care.backup import own_backup_path, write_backup
from ana.backends.chroma.care.healing import Healing, Tell
from ana.backends.chroma.care.migrate import migrate
from ana.backends.chroma.care.reindex import reindex, settle_reindex
from ana.backends.chroma.care.restore import finish_restore, restore
from ana.backends.chroma.care.scrub import copy_records, finish_copy, refuse_strangers, remove_remains
from ana.backends.chroma.client import map_foreign_errors, unusable_error
from ana.backends.chroma.collection import NAMES, READERS, ChromaCollection, collection_arguments
from ana.backends.chroma.folder import Folder
from ana.backends.chroma.journal import Journal
from ana.backends.chroma.vectors import BATCH, Progress, Vector, forget_vectors
from ana.embedders import Embedder
from ana.errors import DuplicateItem
from ana.memory.backend import Expected, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, net
from ana.memory.item import Item
from ana.memory.search.found import Found
from ana.memory.search.query import Query
from ana.memory.search.scoring import Weights
from ana.values import Json

_log = logging.getLogger(__name__)


class ChromaBackend:
    """A Backend in one data folder, which several processes may use in turns.

    Args:
        path: The data folder; created at the first use.
        embedder: Turns text into vectors.
        timeout: Seconds to wait for another process.
        program: The name of this process in another's messages.
        tell: Called with the progress of a repair.
        weights: The weights of the ranking; None for those measured as best.
        follow: Returns the embedder of another name, which the folder may be bound to, or None if it must not be used.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        *,
        timeout: float = 10.0,
        program: str = "ana",
        tell: Tell = _log.warning,
        weights: Weights | None = None,
        follow: Callable[[str], Embedder | None] = lambda _: None,
    ) -> None:
        self.folder = Folder(path, timeout, program)
        self.embedder = embedder
        self._follow = follow
        self.progress: Progress = lambda *_: None
        """Called while many texts are embedded for a write."""
        self.collections = {
            kind: ChromaCollection(self.folder, name, embedder, weights or Weights(), READERS[kind])
            for kind, name in NAMES.items()
        }
        self.journal = Journal(path / "journal.sqlite")
        self.acts = Acts(self.collections, self.journal)
        self.healing = Healing(path, self.collections, self.journal, embedder, tell)
        self.folder.before_opening = (self._settle_files, self._heal)
        bind = (self._settle_reindex, self._follow_embedder, self._unbind_empty)
        self.folder.after_opening = (*bind, self.healing.complete, self.acts.settle)

    @property
    def path(self) -> Path:
        """Return the data folder."""
        return self.folder.path

    @property
    def embedder_name(self) -> str:
        return self.embedder.name

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        return {item.id: item for item in self.collections[kind].get_many([id for id in ids if id])}

    def scan(self, kind: Kind) -> Iterator[Item]:
        return iter(self.collections[kind].copy_all()) if kind == "line" else self.collections[kind].scan()

    def count(self, kind: Kind) -> int:
        return self.collections[kind].count()

    def query(self, query: Query) -> Found:
        return self.collections["item"].query(query)

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        return self.collections[kind].find_similar(id, limit)

    def list_keys(self) -> dict[str, int]:
        return self.collections["item"].list_keys()

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        return self.collections["item"].list_values(key)

    def find_change(self, key: str) -> Change | None:
        with self._hold():
            self.acts.settle()  # the change may be in an act that was cut short
            return self.journal.find(key)

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        with self._hold():
            return self.journal.entries(turn=turn, id=id, since=since, limit=limit)

    def latest(self, kind: Kind) -> list[Entry]:
        with self._hold():
            return self.journal.latest(kind)

    def turns(self) -> dict[str, str]:
        with self._hold():
            return self.journal.turns()

    def next_line_number(self) -> int:
        with self._hold():
            return max(self.journal.next_number("line"), max((int(i.id) for i in self.scan("line")), default=-1) + 1)

    def take_line_number(self) -> int:
        with self._hold():
            number = self.next_line_number()
            self.journal.reserve_numbers("line", number + 1)
            return number

    def reserve_line_numbers(self, below: int) -> None:
        with self._hold():
            self.journal.reserve_numbers("line", below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        # before the folder is held: an embedder may be a server, and slow
        embedder, vectors = self.embedder, self._embed(net(entry.change for entry in entries))
        with self._hold():
            if self.embedder is not embedder:
                vectors = {}
            self.acts.settle()
            if earlier := find_earlier_change(self, entries):
                return [earlier]
            check_expected(expected or {}, self._read(expected or {}))
            if distinct:
                self._refuse_copies(entries)
            made = self.acts.make(entries, vectors)
            if len(vectors) > BATCH:
                forget_vectors(self.path)
            return made

    def check_erasable(self) -> None:
        """Refuse what `erase` would refuse with a UserError, before anything else is deleted with the records."""
        with self.folder.hold():
            refuse_strangers(self.path)

    def erase(self, records: Collection[RecordKey]) -> None:
        with map_foreign_errors(self.path), self.folder.hold() as client:
            self.acts.settle()  # an act that was cut short may need an entry
            self.journal.erase(records)
            self.folder.mark_written()
            copy_records(client, self.path)
            self.folder.close()
            finish_copy(self.path)
            forget_vectors(self.path)  # of what may be among the purged
            for collection in self.collections.values():
                collection.index.discard()
            remove_remains(self.path)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._hold():
            yield

    def close(self) -> None:
        self.journal.close()
        for collection in self.collections.values():
            collection.close()
        self.folder.close()

    def read_vectors(self) -> dict[str, Vector]:
        """Return the vectors of all items by the text that was embedded."""
        return self.collections["item"].read_vectors()

    def fill(self, items: Sequence[Item]) -> None:
        """Store many new items without the journal, for benchmarks and tests."""
        self.collections["item"].put([(item, None) for item in items])

    def describe(self) -> list[dict[str, Any]]:
        """Return name, count, embedder, dimension, distance space and format version of both collections."""
        return [collection.describe() for collection in self.collections.values()]

    def hold_closed(self) -> AbstractContextManager[None]:
        """Own the data folder with Chroma closed, so that its files can be looked at or replaced. May be nested."""
        return self.folder.hold_closed()

    def back_up(self, traces: Path | None, to: Path) -> int:
        """Write everything into one file, and return how many files are in it. Arguments as `write_backup`."""
        return write_backup(self.folder, traces, to)

    def back_up_before(self, event: str, traces: Path) -> Path:
        """Write a backup into the data folder, before something that might be regretted, and return where it is."""
        to = own_backup_path(self.path, f"before-{event}")
        write_backup(self.folder, traces, to)
        return to

    def restore(self, traces: Path, backup: Path) -> Path:
        """Make everything what it was in a backup, and return a backup of what was there before.

        Raises:
            UserError: The backup cannot be used; nothing was changed.
        """
        return restore(self.folder, traces, backup)

    def reindex(self, progress: Progress) -> int:
        """Embed everything again with this backend's embedder, while other processes wait.

        Args:
            progress: Called with the number of records done, and of all.

        Returns:
            The number of records.
        """
        with map_foreign_errors(self.path), self.folder.hold() as client:
            self.folder.mark_written()
            arguments = collection_arguments(self.embedder)
            try:
                return reindex(client, self.path, list(NAMES.values()), arguments, self.embedder, progress)
            finally:
                self.folder.close()  # the collections were replaced

    def _settle_files(self) -> None:
        finish_restore(self.path)
        finish_copy(self.path)
        migrate(self.path)

    def _heal(self) -> None:
        self.folder.in_doubt |= self.healing.was_cut_short()
        if self.folder.in_doubt:
            self.healing.heal()

    def _settle_reindex(self) -> None:
        with self.folder.hold() as client:
            settle_reindex(client, self.path)

    def _follow_embedder(self) -> None:
        """Take the embedder with which another process has embedded everything again."""
        bound = read_embedder(self.path)
        if bound and bound != self.embedder.name and (other := self._follow(bound)):
            self.embedder = self.healing.embedder = other
            for collection in self.collections.values():
                collection.embedder = other

    def _unbind_empty(self) -> None:
        with self.folder.hold() as client:
            if unbind_empty(client, NAMES.values(), self.embedder):
                self.folder.mark_written()

    def _embed(self, changes: Sequence[Change]) -> dict[str, Vector]:
        vectors: dict[str, Vector] = {}
        for kind, collection in self.collections.items():
            vectors |= collection.embed([c.after for c in changes if c.kind == kind and c.after], self.progress)
        return vectors

    def _read(self, expected: Expected) -> dict[tuple[Kind, str], Item | None]:
        """Return the current state of the expected records."""
        # a record that should be absent is looked up in the index, which is faster than Chroma
        found: dict[tuple[Kind, str], Item | None] = {}
        for kind, collection in self.collections.items():
            absent = [id for (k, id), item in expected.items() if k == kind and item is None]
            taken = collection.find_existing(absent) if absent else set()
            wanted = [id for (k, id), item in expected.items() if k == kind and (item or id in taken)]
            if wanted:
                found |= {(kind, item.id): item for item in collection.get_many(wanted)}
        return found

    def _refuse_copies(self, entries: Sequence[Entry]) -> None:
        for change in net(entry.change for entry in entries):
            if change.after and (same := self.collections[change.kind].find_same(change.after)):
                raise DuplicateItem(same[0])

    @contextmanager
    def _hold(self) -> Iterator[None]:
        try:
            with self.folder.hold():
                yield
        except sqlite3.Error as exc:
            raise unusable_error(self.path, exc) from exc
