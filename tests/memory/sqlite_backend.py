"""A backend on plain SQLite, in the tests only: that the shared parts are shared, and what a database has to add."""

import json
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

import numpy as np

from ana.backends.sql import lookup
from ana.backends.sql.items import ItemTables
from ana.backends.sql.journal import SCHEMA, JournalTable
from ana.backends.sql.search import TableSearch
from ana.backends.sql.tables import connect_tables, make_indexes, make_tables, transaction
from ana.embedders import Embedder
from ana.embedders.base import Vector
from ana.errors import DuplicateItem, StoreBroken, StoreBusy
from ana.files import connect_own
from ana.memory.backend import Expected, JournalPosition, RecordKey, check_expected, find_earlier_change
from ana.memory.changes import Change, Entry, Kind, combine, net
from ana.memory.digests import content_digest
from ana.memory.item import Item, from_json, to_json
from ana.memory.search.found import Found
from ana.memory.search.property_text import property_text
from ana.memory.search.query import Query
from ana.memory.search.ranking import sort_similar
from ana.memory.search.scoring import Weights
from ana.values import Json

LINES = "CREATE TABLE IF NOT EXISTS lines (id TEXT PRIMARY KEY, item TEXT NOT NULL, vector BLOB NOT NULL);"
VECTORS = {"item": "SELECT item, vector FROM bodies JOIN vectors USING (row)", "line": "SELECT item, vector FROM lines"}
BODIES = {
    "item": "SELECT item FROM items JOIN bodies USING (row) WHERE id IN (SELECT value FROM json_each(?))",
    "line": "SELECT item FROM lines WHERE id IN (SELECT value FROM json_each(?))",
}


class SqliteBackend:
    """A `Backend` in one file, which several connections may use.

    Args:
        path: The file. One with `.alone` after its name is locked by whoever writes.
        embedder: Turns text into vectors.
    """

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._path = path
        self._embedder = embedder
        self._tables = ItemTables()
        self._search = TableSearch(self._tables, Weights())
        self._journal = JournalTable(self._connect)
        self._inside = threading.RLock()
        self._readers = self._writers = 0
        self._seen = 0
        self._db: sqlite3.Connection | None = None

    @property
    def embedder_name(self) -> str:
        return self._embedder.name

    def get_many(self, kind: Kind, ids: Sequence[str]) -> dict[str, Item]:
        with self._use() as db:
            found = [from_json(json.loads(text)) for (text,) in db.execute(BODIES[kind], (json.dumps(list(ids)),))]
            return {item.id: item for item in found}

    def scan(self, kind: Kind) -> Iterator[Item]:
        return iter([item for item, _ in self._list_embedded(kind)])

    def count(self, kind: Kind) -> int:
        with self._use() as db:
            return int(db.execute(f"SELECT count(*) FROM {kind}s").fetchone()[0])

    def query(self, query: Query) -> Found:
        vector = np.array(self._embedder.embed_query(query.text.text), np.float32) if query.text else None
        with self._use() as db:
            return self._search.find(db, query, vector)

    def find_similar(self, kind: Kind, id: str, limit: int) -> list[tuple[Item, float]]:
        known = self._list_embedded(kind)
        mine = next((vector for item, vector in known if item.id == id), None)
        near = [] if mine is None else [(item, float(vector @ mine)) for item, vector in known if item.id != id]
        return sort_similar(near)[:limit]

    def get_vectors(self, kind: Kind, ids: Sequence[str]) -> dict[str, Vector]:
        return {item.id: vector for item, vector in self._list_embedded(kind) if item.id in ids}

    def list_keys(self) -> dict[str, int]:
        with self._use() as db:
            return lookup.list_keys(db)

    def list_values(self, key: str) -> list[tuple[Json, int]]:
        with self._use() as db:
            return lookup.list_values(db, key)

    def find_change(self, key: str) -> Change | None:
        with self._use():
            return self._journal.find(key)

    def entries(
        self, *, turn: str | None = None, id: str | None = None, since: str = "", limit: int = -1
    ) -> list[Entry]:
        with self._use():
            return self._journal.entries(turn=turn, id=id, since=since, limit=limit)

    def position(self) -> JournalPosition:
        with self._use():
            return self._journal.position()

    def latest(self, kind: Kind) -> list[Entry]:
        with self._use():
            return self._journal.latest(kind)

    def deletions(self, record: RecordKey | None = None) -> list[Entry]:
        with self._use():
            found = self._journal.deletions(record)
            return [e for e in found if not self.get_many(e.change.kind, [e.change.id])]

    def turns(self, *, thread: str | None = None, prefix: str = "", limit: int = -1) -> dict[str, str]:
        with self._use():
            return self._journal.turns(thread=thread, prefix=prefix, limit=limit)

    def next_line_number(self) -> int:
        with self._use() as db:
            used = db.execute("SELECT coalesce(max(CAST(id AS INTEGER)), -1) FROM lines").fetchone()[0]
            return max(int(used) + 1, self._journal.next_number("line"))

    def take_line_number(self) -> int:
        with self.alone():
            number = self.next_line_number()
            self.reserve_line_numbers(number + 1)
            return number

    def reserve_line_numbers(self, below: int) -> None:
        with self._change():
            self._journal.raise_number("line", below)

    def apply(
        self, entries: Sequence[Entry], expected: Expected | None = None, *, distinct: bool = False
    ) -> list[Change]:
        changes = net(entry.change for entry in entries)
        vectors = self._embed(changes)
        with self._change() as db:
            if earlier := find_earlier_change(self._journal.find, entries):
                return [earlier]
            check_expected(expected or {}, {(k, id): self.get_many(k, [id]).get(id) for k, id in expected or {}})
            for change in changes if distinct else ():
                self._refuse_copy(db, change)
            for change in changes:
                self._store(db, change, vectors.get(change.key))
            first = self._journal.next_seq()
            self._journal.insert(entries, first, first, done=True)
            read = {c.key: self.get_many(c.kind, [c.id]).get(c.id) for c in changes}
            return [
                Change(c.kind, c.id, c.before, read.get(c.key, c.after)) for c in combine(e.change for e in entries)
            ]

    def erase(self, records: Collection[RecordKey]) -> None:
        with self.alone():
            with self._change():
                self._journal.delete(records)
            with self._use() as db:
                db.execute("VACUUM")

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._inside:
            begins = not (self._readers or self._writers)
            if begins:
                self._run("BEGIN")
                self._run("SELECT 1 FROM lines")  # from here on the state is that of this moment
            self._readers += 1
            try:
                yield
            finally:
                self._readers -= 1
                if begins and self._db is not None:
                    self._run("COMMIT")

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._inside:
            assert self._writers or not self._readers, "nothing is written in reading()"
            with nullcontext() if self._writers else self._lock_others_out():
                self._writers += 1
                try:
                    yield
                finally:
                    self._writers -= 1

    def close(self) -> None:
        with self._inside:
            if self._db is not None:
                self._db.close()
                self._db = None

    @contextmanager
    def _lock_others_out(self) -> Iterator[None]:
        """Lock a file beside the data, so that it is kept through several transactions."""
        # without a write-ahead log: to switch to it is refused at once where two do so at the same time
        with closing(connect_own(self._path.with_name(f"{self._path.name}.alone"), isolation_level=None)) as lock:
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as exc:
                raise StoreBusy(f"{self._path} is in use.", "Try again.") from exc
            yield

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self.alone(), self._use() as db, transaction(db):
            yield db

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection; what SQLite raises becomes ours, and what is kept in memory is of the present state."""
        with self._inside:
            try:
                db = self._connect()
                if self._seen != (seen := int(db.execute("PRAGMA data_version").fetchone()[0])):
                    self._tables.forget()
                    self._seen = seen
                yield db
            except sqlite3.Error as exc:
                self._tables.forget()
                self.close()
                raise StoreBroken(f"{self._path} cannot be used: {exc}.", "Try again.") from exc
            except BaseException:
                self._tables.forget()  # what was undone in the file
                raise

    def _run(self, statement: str) -> None:
        with self._use() as db:
            db.execute(statement).fetchall()

    def _connect(self) -> sqlite3.Connection:
        if self._db is None:
            self._db, self._seen = connect_tables(self._path), 0
            if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'lines'").fetchone():
                self._db.executescript(SCHEMA)
                with transaction(self._db):
                    make_tables(self._db)
                    make_indexes(self._db)
                    self._db.execute(LINES)
        return self._db

    def _list_embedded(self, kind: Kind) -> list[tuple[Item, Vector]]:
        with self._use() as db:
            rows = db.execute(VECTORS[kind]).fetchall()
        return [(from_json(json.loads(text)), np.frombuffer(vector, np.float32)) for text, vector in rows]

    def _embed(self, changes: Sequence[Change]) -> dict[RecordKey, Vector]:
        texts = {c.key: property_text(c.after.content, c.after.properties) for c in changes if c.after}
        vectors = self._embedder.embed_documents(list(texts.values()))
        return {key: np.array(vector, np.float32) for key, vector in zip(texts, vectors, strict=True)}

    def _refuse_copy(self, db: sqlite3.Connection, change: Change) -> None:
        if change.after:
            digest = content_digest(change.after.content, change.after.properties)
            if same := lookup.find_same(db, digest):
                raise DuplicateItem(same[0])

    def _store(self, db: sqlite3.Connection, change: Change, vector: Vector | None) -> None:
        if change.kind == "item" and (change.after is None or vector is None):
            self._tables.remove(db, [change.id])
        elif change.kind == "item" and change.after is not None and vector is not None:
            self._tables.put(db, [(change.after, vector)])
        else:
            db.execute("DELETE FROM lines WHERE id = ?", (change.id,))
            if change.after is not None and vector is not None:
                text = json.dumps(to_json(change.after))
                db.execute("INSERT INTO lines VALUES (?, ?, ?)", (change.id, text, vector.tobytes()))
