"""The PostgreSQL backend: one person's records among those of others, behind row-level security."""

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo

import numpy as np

from ana.backends.postgres import journal, properties
from ana.backends.postgres.bound import Bound
from ana.backends.postgres.derived import Derived, delete_terms
from ana.backends.postgres.journal import State
from ana.backends.postgres.names import to_name
from ana.backends.postgres.search import Search
from ana.backends.postgres.writing import Writing, read_records, select_records
from ana.backends.postgres.zones import LOCK, ZoneRows, add_zone
from ana.backends.sql.vectors import RowVectors
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.memory.backend import Expected, JournalPosition, RecordKey
from ana.memory.changes import Change, Entry, Kind
from ana.memory.item import Item, from_json
from ana.memory.search.found import Found
from ana.memory.search.postings import Rows
from ana.memory.search.query import Query
from ana.memory.search.ranking import ROUNDING, find_bar, sort_similar
from ana.memory.search.words import Scores
from ana.postgres.database import READ, WRITE, Database
from ana.postgres.session import Session, Statement
from ana.values import Json

PAGE = 1000
"""How many records a scan reads at once."""

MAKE_STORE = "INSERT INTO stores (embedder) VALUES ('') ON CONFLICT DO NOTHING"
_LINE_NUMBER = Statement(
    "SELECT greatest((SELECT line FROM stores), (SELECT max(id::bigint) + 1 FROM records WHERE kind = 'line'), 0)"
)


class PostgresBackend:
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
        self._zones: dict[str, tzinfo] = {}
        self._zone_numbers: dict[str, int] = {}

    @property
    def embedder_name(self) -> str:
        return self.embedder.name

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

    def query(self, query: Query) -> Found:
        vector = np.array(self.embedder.embed_query(query.text.text), np.float32) if query.text else None
        self._zones[str(query.zone)] = query.zone
        if vector is not None and (found := self._find_at_once(query, vector)):
            return found
        name, at_once = str(query.zone), vector is None  # what is found by date is often the whole answer
        while True:
            with self._read() as (session, ends):
                number = self._zone_numbers.get(name, 0)
                search = Search(session, query, ZoneRows.stored(query.zone, number))
                search.ask(commits=ends and at_once)
                zones = search.state.zones
                is_known = zones.get(name) == number
                if name not in zones and not ends:
                    search, is_known = self._ask_in_new_zone(session, query), True
                if is_known and (found := self._find(session, search, vector, ends)):
                    return found
            at_once = False
            if name not in zones:
                self._add_zone(query.zone)
            elif not is_known:
                self._zone_numbers = zones

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        with self._read() as (session, _):
            own, state = session.run(
                Statement("SELECT row, vector FROM records WHERE kind = ? AND id = ?", [kind, to_name(id)]),
                journal.STATE,
            )
            if not own:
                return []
            ((row, vector),) = own
            vector, now = np.frombuffer(vector, np.float32), journal.read_state(state)
            rows, cosines = self._compare(session, kind, vector, now, limit + 1)
            cosines[rows == row] = np.nan
            near = np.flatnonzero(cosines >= find_bar(cosines, limit) - ROUNDING)
            found = dict(zip(rows[near].tolist(), cosines[near].tolist(), strict=True))
            records = session.ask("SELECT row, record FROM records WHERE row = ANY(?)", [*found])
        return sort_similar((from_json(record), found[row]) for row, record in records)[:limit]

    def get_vectors(self, kind: Kind, ids: Sequence[str]) -> dict[str, Vector]:
        with self._read() as (session, _):
            names = {to_name(id): id for id in ids}
            found = session.ask("SELECT id, vector FROM records WHERE kind = ? AND id = ANY(?)", kind, [*names])
            return {names[id]: np.frombuffer(vector, np.float32) for id, vector in found}

    def list_keys(self) -> dict[str, int]:
        with self._read() as (session, _):
            return properties.list_keys(session)

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        with self._read() as (session, _):
            return properties.list_values(session, key)

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
        writing = Writing(entries, self.embedder, self._zones)
        with self._change() as (session, ends):
            return writing.make(session, expected or {}, distinct=distinct, commits=ends)

    def erase(self, records: Collection[RecordKey]) -> None:
        with self._change() as (session, _):
            session.run(LOCK, journal.delete_entries(records))
            delete_terms(session)

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
        """Forget what is kept in memory; the connections are the database's."""
        with self._deriving:
            self._derived = Derived()

    def _get_number(self) -> int:
        if self._number is None:
            self._number = self._database.find_person(self._name)
        return self._number

    @contextmanager
    def _read(self) -> Iterator[tuple[Session, bool]]:
        """Yield the transaction of this thread, or one of its own, and whether it may end with what is read."""
        if self.bound.session:
            yield self.bound.session, False
            return
        with self._database.transaction(self._get_number(), READ) as session:
            yield session, True

    @contextmanager
    def _change(self) -> Iterator[tuple[Session, bool]]:
        """Yield a transaction that may write: a part of this thread's, or one that may end with what is written."""
        if self.bound.session:
            assert self.bound.writes, "nothing is written in reading()"
            with self.bound.session.part():
                yield self.bound.session, False
            return
        with self._writing, self._database.transaction(self._get_number(), WRITE) as session:
            session.add(MAKE_STORE)
            yield session, True

    def _find_at_once(self, query: Query, vector: Vector) -> Found | None:
        """Return what a text alone finds; None if there is more to ask, or others have written since the last query."""
        if self.bound.session:
            return None
        with self._read() as (session, _), self._deriving:
            return Search(session, query, ZoneRows.stored(query.zone, 0)).find_at_once(self._derived, vector)

    def _find(self, session: Session, search: Search, vector: Vector | None, ends: bool) -> Found | None:
        """Return what was found, None if the transaction has ended and what is in memory is of another state."""
        if vector is not None and search.state.embedder:
            journal.check_embedder(search.state.embedder[0], self.embedder.name)
        with self._deriving:
            if session.is_over and not self._derived.is_at(search.state):
                return None
            return search.find(self._get_derived(session, search.state), vector, commits=ends)

    def _ask_in_new_zone(self, session: Session, query: Query) -> Search:
        """Ask from a zone that has no rows, in a transaction that goes on."""
        if self.bound.writes:
            dates = ZoneRows.stored(query.zone, add_zone(session, query.zone))
        else:
            self._add_zone(query.zone)  # for the next one: this transaction does not see it
            dates = ZoneRows.passing(session, query.zone)
        search = Search(session, query, dates)
        search.ask(commits=False)
        return search

    def _add_zone(self, zone: tzinfo) -> None:
        with self._writing, self._database.transaction(self._get_number(), WRITE) as session:
            session.add(MAKE_STORE)
            add_zone(session, zone)

    def _get_derived(self, session: Session, state: State) -> Derived:
        """Return what is kept in memory as of the store's state in this transaction."""
        if self._derived.is_at(state):
            return self._derived
        # one that began before others wrote must not take from them what they know
        derived = Derived() if state.position[0] < self._derived.seq else self._derived
        derived.read(session, state)
        return derived

    def _compare(self, session: Session, kind: Kind, vector: Vector, state: State, limit: int) -> tuple[Rows, Scores]:
        """Return the rows of all records of a kind, and the cosines of those that can be among the best."""
        if kind == "line":
            stored = session.ask("SELECT row, vector FROM records WHERE kind = 'line' ORDER BY row")
            return RowVectors(stored).compare_nearest(vector, limit)
        with self._deriving:
            derived = self._get_derived(session, state)
            return derived.vectors.compare_nearest(vector, limit)
