"""The contract between memory and a database, cut at the transaction.

A backend reads, and writes in one way: `apply` makes changes and their journal entries together, all of them or none.
A database with transactions needs one commit for that; Chroma needs intent, settling and healing. Work that is the same
for every database is not in a backend: memory plans a change from the records that it read, and passes these in
`expected`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from ana.errors import RecordChanged
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult
from ana.values import Json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RecordKey: TypeAlias = tuple[Kind, str]
Expected: TypeAlias = Mapping[RecordKey, Item | None]
"""The records that a change relies on, as they must be when it is made; None is absent."""


JournalPosition: TypeAlias = tuple[int, str]
"""Where a journal stands, for `list_since`: equal as long as no entry is made. It is nothing to count with."""

TRIES = 20
"""How often a change is planned again while others may write; after that they are kept out."""

T = TypeVar("T")


class Backend(Protocol):
    """Records of two kinds, items and Global Context lines, and the journal of their changes.

    All of it is one person's. Safe to use from several threads, and beside other backends on the same store. Records
    come back exactly as they went in, with NUL and halves of surrogate pairs; ids, keys, turns and threads are UTF-8 of
    any length. An error of the database is raised as one of ana.errors; a connection that was lost is opened again by
    the next call.
    """

    @property
    def embedder_name(self) -> str:
        """Return the name of the embedder, because with another one a search finds other items."""

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        """Return the records with these ids; ids that do not exist are left out."""

    def scan(self, kind: Kind) -> Iterator[Item]:
        """Yield every record of a kind, in no order."""

    def count(self, kind: Kind) -> int:
        """Return the number of records of a kind."""

    def query(self, query: Query) -> QueryResult:
        """Find items by meaning, best first; without a text by own date, undated ones last.

        Among equals the newest comes first, then the first by id.

        Raises:
            ToolError: The filter has more conditions than this database takes.
        """

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        """Return the records nearest to a stored one by their vectors, best first, each with its cosine.

        Equal ones are in the order of `query`. Nothing is embedded, and the record itself is left out; one that does
        not exist has none.
        """

    def get_vectors(self, kind: Kind, ids: Sequence[str]) -> "dict[str, NDArray[np.float32]]":
        """Return the vectors of the records with these ids, each of length 1; ids that do not exist are left out."""

    def list_keys(self) -> dict[str, int]:
        """Return the properties that items have, each with the number of items, the most frequent first."""

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        """Return the values of a property, each with the number of items that have it, the most frequent first.

        Members of a list count as values, texts that differ only in case count as one, in the most frequent spelling;
        very long values are left out.
        """

    def find_change(self, key: str) -> Change | None:
        """Return the change that the call with this key made."""

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        """Return journal entries, the newest first.

        Args:
            turn: Only those of this turn.
            id: Only those of this record, an item's id or a line's number.
            since: Only from this moment on, ISO 8601 in UTC.
            limit: How many at most; all if negative.
        """

    def position(self) -> JournalPosition:
        """Return the position of the last entry ever made in the journal, even if it has been erased since."""

    def latest(self, kind: Kind) -> list[Entry]:
        """Return the last entry of every record of a kind."""

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        """Return the last deletion of every deleted record, or of a single one, the newest first."""

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        """Return the turns that wrote something with their threads, the one that wrote last first.

        They are in the journal's order, because a clock may have gone back between two turns.

        Args:
            thread: Only those of this conversation; empty for changes outside of any.
            prefix: Only turns whose names begin with this.
            limit: How many at most; all if negative.
        """

    def next_line_number(self) -> int:
        """Return the number that the next line would get, without taking it."""

    def take_line_number(self) -> int:
        """Return a number that no line ever had and that is never given again."""

    def reserve_line_numbers(self, below: int) -> None:
        """Make sure that no number below this is taken from now on."""

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        """Make changes and enter them in the journal, all or none.

        Args:
            entries: The changes in order; if several change one record, the last one decides its final state.
            expected: Records that must be as given when the changes are made.
            distinct: Whether a new item that says the same as an existing one is refused.

        Texts are embedded before other processes are kept out, unless the caller is `alone`.

        Returns:
            The net change of each record, its `after` as it was read back. A single entry whose key is already in the
            journal changes nothing, and the earlier change is returned.

        Raises:
            RecordChanged: A record differs from `expected`.
            DuplicateItem: A new item is not distinct; the error names the oldest item that says the same, or among
                several the first by id.
        """

    def erase(self, records: Collection[RecordKey]) -> None:
        """Remove every entry of these records from the journal, and permanently all remains of deleted records.

        When this returns, nobody can read them any more. By then no file of the Chroma backend contains a byte of them,
        except backups; another database documents when it drops its old versions. Files are cleaned also if there is no
        record to erase: an earlier erasure may have been cut short.
        """

    def reading(self) -> AbstractContextManager[object]:
        """Let all reads of this thread in the context see one state. May be nested, also in `alone`.

        Others need not be kept out, though a database may do so. Nothing is written in it, except inside `alone`.
        """

    def alone(self) -> AbstractContextManager[object]:
        """Keep every other writer out while the context is open, whatever thread or process it is in. May be nested.

        It is not a transaction: the changes that `apply` has made stay if an error ends it.
        """

    def close(self) -> None:
        """Close everything; the next use opens it again."""


def to_key(name: str) -> RecordKey:
    """Return the key of the record with this name for people: an item's id, or "line 3"."""
    id = name.removeprefix("line ")
    return "item" if id == name else "line", id


def get_records(backend: Backend, keys: Collection[RecordKey]) -> dict[RecordKey, Item]:
    """Return the existing ones of these records, of both kinds."""
    return {
        (kind, id): record
        for kind in dict.fromkeys(kind for kind, _ in keys)
        for id, record in backend.get_many(kind, [id for k, id in keys if k == kind]).items()
    }


def check_expected(expected: Expected, current: Expected) -> None:
    """Raise RecordChanged, which names the first record, if stored records differ from what the caller read."""
    for key, item in expected.items():
        if current.get(key) != item:
            raise RecordChanged(*key)


def find_earlier_change(find: Callable[[str], Change | None], entries: Sequence[Entry]) -> Change | None:
    """Return the change that an earlier run of the same call made: its key is already in the journal.

    Raises:
        RecordChanged: One of several keys is already in the journal, so somebody made part of the changes meanwhile.
    """
    for entry in entries:
        if entry.key and (earlier := find(entry.key)):
            if len(entries) > 1:
                raise RecordChanged(entry.change.kind, entry.change.id)
            return earlier
    return None


def list_since(backend: Backend, position: JournalPosition, most: int) -> list[Entry] | None:
    """Return the entries after a position, the newest first; best called in a `reading`.

    None if there are more than `most`, or if that is unknown: some were erased, or the journal comes from a backup.
    """
    count = backend.position()[0] - position[0]
    if not 0 <= count <= most:
        return None
    # positions have no gaps, so that one entry more is the one at the position
    entries = backend.entries(limit=count + 1)
    return entries[:-1] if entries and entries[-1].position == position else None


def retry_on_change(backend: Backend, attempt: Callable[[], T]) -> T:
    """Run an attempt; repeat it while others change the records that it read, at last with others kept out. Raises
    RecordChanged.
    """
    for _ in range(TRIES):
        try:
            return attempt()
        except RecordChanged:
            continue
    with backend.alone():
        return attempt()
