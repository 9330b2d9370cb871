"""The PostgreSQL backend: one person's records among those of others, behind row-level security."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ana.backends.postgres import journal
from ana.backends.postgres.derived import Derived
from ana.backends.postgres.journal import LOCK, State
from ana.backends.postgres.writing import Writing, read_records, select_records
from ana.backends.sql.items import ItemTables
from ana.backends.sql.reads import IndexReads, T
from ana.backends.sql.search import search
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.embedders.known import OnceEmbeddings
from ana.memory.backend import Expected, JournalPosition, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item, from_json
from ana.memory.search.property_text import render_text
from ana.memory.search.query import Query
from ana.memory.search.result import QueryResult
from ana.postgres.database import READ, WRITE, Database
from ana.postgres.session import Session
from ana.tables import Statement

PAGE = 1000
"""How many records a scan reads at once."""

MAKE_STORE = "INSERT INTO stores (embedder) VALUES ('') ON CONFLICT DO NOTHING"
_LINE_NUMBER = Statement(
    "SELECT greatest((SELECT line FROM stores), (SELECT max(id::bigint) + 1 FROM records WHERE kind = 'line'), 0)"
)


class Bound(threading.local):
    """The transaction in which a thread does everything until it ends."""

    session: Session | None = None
    writes = False

    @contextmanager
    def bind(self, session: Session, *, writes: bool) -> Iterator[None]:
        self.session, self.writes = session, writes
        try:
            yield
        finally:
            self.session, self.writes = None, False


class PostgresBackend(IndexReads):
    """A `Backend` of one person."""

    def __init__(self, database: Database, person: str, embedder: Embedder) -> None:
        self.embedder = embedder
        self._database, self._name = database, person
        self._number: int | None = None
        self.bound = Bound()
        self._writing = threading.RLock()
        """In a process one thread at a time waits for the database: others keep no connection meanwhile."""
        self._deriving = threading.RLock()
        self._derived = Derived()

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        with self._read() as (session, ends):
            (rows,) = session.run(select_records([(kind, id) for id in ids]), commits=ends)
            return {id: record for (_, id), record in read_records(rows).items()}

    def scan(self, kind: Kind) -> Iterator[Item]:
        page, last = "SELECT row, record FROM records WHERE kind = ? AND row > ? ORDER BY row LIMIT ?", 0
        while True:
            with self._read() as (session, ends):  # for a page only, so that a slow reader keeps no connection
                (rows,) = session.run(Statement(page, [kind, last, PAGE]), commits=ends)
            yield from (from_json(record) for _, record in rows)
            if len(rows) < PAGE:
                return
            last = rows[-1][0]

    def count(self, kind: Kind) -> int:
        with self._read() as (session, ends):
            ((row,),) = session.run(Statement("SELECT count(*) FROM records WHERE kind = ?", [kind]), commits=ends)
            return int(row[0])

    def query(self, query: Query) -> QueryResult:
        # before a connection is taken: an embedder may be a server, and slow
        vector = np.array(self.embedder.embed_query(query.text.text), np.float32) if query.text else None

        def find(derived: Derived) -> QueryResult:
            if vector is not None:
                journal.check_embedder(derived.embedder, self.embedder.name)
            return search(derived.tables["item"], query, vector)

        return self._use_derived(find)

    def look_up(self, kind: Kind, find: Callable[[ItemTables], T]) -> T:
        return self._use_derived(lambda derived: find(derived.tables[kind]))

    def find_change(self, key: str) -> Change | None:
        with self._read() as (session, ends):
            (rows,) = session.run(journal.find_by_keys([key]), commits=ends)
            return next((entry.change for entry in journal.read_entries(rows)), None)

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        with self._read() as (session, _):
            return journal.list_entries(session, turn, id, since, limit)

    def position(self) -> JournalPosition:
        with self._read() as (session, ends):
            return journal.read_state(session.run(journal.STATE, commits=ends)[0]).position

    def latest(self, kind: Kind) -> list[Entry]:
        with self._read() as (session, _):
            return journal.list_latest(session, kind)

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        with self._read() as (session, _):
            return journal.list_deletions(session, record)

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        with self._read() as (session, _):
            return journal.list_turns(session, thread, prefix, limit)

    def next_line_number(self) -> int:
        with self._read() as (session, ends):
            ((row,),) = session.run(_LINE_NUMBER, commits=ends)
            return int(row[0])

    def take_line_number(self) -> int:
        with self._change() as (session, _):
            _, ((number,),) = session.run(LOCK, _LINE_NUMBER)
            session.add("UPDATE stores SET line = ?", number + 1)
        return int(number)

    def reserve_line_numbers(self, below: int) -> None:
        with self._change() as (session, _):
            session.add("UPDATE stores SET line = greatest(line, ?)", below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        writing = Writing(entries, self.embedder)
        with self._change() as (session, ends):
            return writing.make(session, expected or {}, distinct=distinct, commits=ends)

    def erase(self, records: Collection[RecordKey]) -> None:
        with self._change() as (session, _):
            session.run(LOCK, journal.delete_entries(records))

    def scan_vectors(self, kind: Kind) -> Iterator[tuple[Item, Vector]]:
        query = f"SELECT record, vector FROM records WHERE kind = '{kind}' ORDER BY row"
        assert self.bound.session
        for record, vector in self.bound.session.scan(query):
            yield from_json(record), np.frombuffer(vector, np.float32)

    def take_records(self, kind: Kind, records: Sequence[tuple[Item, Vector | None]]) -> None:
        known = {render_text(item): vector for item, vector in records if vector is not None}
        # only records are written, without journal entries: `take_entries` brings those
        creations = [Entry(ts="", thread="", turn="", change=Change(kind, item.id, None, item)) for item, _ in records]
        with self._change() as (session, _):
            session.add(MAKE_STORE)
            Writing(creations, OnceEmbeddings(self.embedder, known)).fill(session)

    def take_entries(self, entries: Sequence[Entry]) -> None:
        rows = [row for each in entries for row in journal.make_entries([each], each.seq)]
        with self._change() as (session, _):
            session.insert("entries", journal.ENTRIES, rows)
            session.run()

    def take_numbers(self, last_entry: int, next_line: int) -> None:
        numbers = "UPDATE stores SET embedder = ?, entries = ?, line = ?"
        with self._change() as (session, _):
            session.add(MAKE_STORE)
            session.add(numbers, self.embedder.name, last_entry, next_line)

    @contextmanager
    def reading(self) -> Iterator[None]:
        if self.bound.session:
            yield
            return
        with self._database.transaction(self._get_number(), READ) as session:
            session.run()  # from here on the state is that of this moment
            with self.bound.bind(session, writes=False):
                yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        if self.bound.session:
            assert self.bound.writes, "nothing is written in reading()"
            yield
            return
        with self._writing, self._database.transaction(self._get_number(), WRITE) as session:
            session.add(MAKE_STORE)
            session.run(LOCK)
            with self.bound.bind(session, writes=True):
                try:
                    yield
                finally:
                    session.commit()  # after an error too: it is no transaction

    def close(self) -> None:
        """Drop the tables in memory; the connections belong to the database object."""
        with self._deriving:
            self._derived = Derived()

    def _get_number(self) -> int:
        if self._number is None:
            self._number = self._database.find_person(self._name)
        return self._number

    @contextmanager
    def _read(self) -> Iterator[tuple[Session, bool]]:
        """Yield this thread's transaction, or a new one, and whether it may end with this read."""
        if self.bound.session:
            yield self.bound.session, False
            return
        with self._database.transaction(self._get_number(), READ) as session:
            yield session, True

    @contextmanager
    def _change(self) -> Iterator[tuple[Session, bool]]:
        """Yield a transaction that may write: a part of this thread's, or a new one that may end with this write."""
        if self.bound.session:
            assert self.bound.writes, "nothing is written in reading()"
            with self.bound.session.part():
                yield self.bound.session, False
            return
        with self._writing, self._database.transaction(self._get_number(), WRITE) as session:
            session.add(MAKE_STORE)
            yield session, True

    def _use_derived(self, find: Callable[[Derived], T]) -> T:
        """Return the result of a search in memory, as of the present state: in one round trip, unless somebody has
        written.
        """
        for at_once in (True, False):
            with self._read() as (session, ends):
                state = journal.read_state(session.run(journal.STATE, commits=ends and at_once)[0])
                with self._deriving:
                    if self._derived.is_at(state):
                        return find(self._derived)
                    if not session.is_over:
                        return find(self._bring_up_to(session, state))
        raise AssertionError("the second transaction goes on")

    def _bring_up_to(self, session: Session, state: State) -> Derived:
        """Return the tables in memory, brought up to the store's state in this transaction."""
        # one that began before others wrote must not take from them what they know
        derived = Derived() if state.position[0] < self._derived.seq else self._derived
        derived.read(session, state)
        return derived
