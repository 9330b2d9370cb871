"""Conversations in PostgreSQL: their states and the trash, their names, and the last one, of one person."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, starmap
from typing import TYPE_CHECKING

from ana.errors import StoreBroken
from ana.postgres.person import PersonRows
from ana.postgres.session import Statement
from ana.threads.ids import TRASHED, canonical_id
from ana.threads.ports import Created, DeletedThread, ThreadStore

if TYPE_CHECKING:
    from ana.threads.postgres_saver import PostgresSaver

_TABLES = ("checkpoints", "writes", "emptied", "created")
"""What a thread takes with it into the trash."""

_KEYS = dict.fromkeys(_TABLES, "thread") | {"trash": "id"}
"""The tables that hold something of a thread, each with the column of its id."""

_NOT_TRASHED = f"thread NOT LIKE '{TRASHED}%'"

_NEWEST = f"""(SELECT DISTINCT ON (thread) thread, seq, namespace, id FROM checkpoints
    WHERE {_NOT_TRASHED} ORDER BY thread, seq DESC) AS newest"""

_OF_NEWEST = "(w.thread, w.namespace, w.checkpoint) = (newest.thread, newest.namespace, newest.id)"

_WAITING = f"""SELECT thread FROM {_NEWEST}
    WHERE EXISTS (SELECT FROM writes AS w WHERE channel = '__interrupt__' AND {_OF_NEWEST})
    AND NOT EXISTS (SELECT FROM writes AS w WHERE channel IN ('__resume__', 'replies') AND {_OF_NEWEST})
    ORDER BY seq DESC"""


class PostgresThreadStore(ThreadStore):
    """The conversations of a person. The code that reads checkpoints is imported only when they are read.

    Args:
        rows: The person's rows in the database.
    """

    errors: tuple[type[Exception], ...] = (StoreBroken, OSError)

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    @contextmanager
    def open_saver(self) -> "Iterator[PostgresSaver]":
        from ana.threads.postgres_saver import PostgresSaver

        yield PostgresSaver(self._rows)

    @contextmanager
    def map_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as exc:
            raise StoreBroken(f"The conversation could not be kept: {exc}.", "Try again.") from exc

    def ids(self) -> list[str]:
        query = f"SELECT thread FROM checkpoints WHERE {_NOT_TRASHED} GROUP BY thread ORDER BY max(seq) DESC"
        return [id for (id,) in self._rows.ask(query)]

    def marks(self) -> dict[str, tuple[int, int]]:
        emptied, newest = self._rows.read(
            Statement(f"SELECT thread FROM emptied WHERE {_NOT_TRASHED}"),
            Statement(f"SELECT thread, seq, (SELECT count(*) FROM writes AS w WHERE {_OF_NEWEST}) FROM {_NEWEST}"),
        )
        return {id: (0, 0) for (id,) in emptied} | {id: (seq, writes) for id, seq, writes in newest}

    def list_waiting(self) -> list[str]:
        return [id for (id,) in self._rows.ask(_WAITING)]

    def names(self) -> dict[str, str]:
        return dict(self._rows.ask("SELECT thread, name FROM thread_names"))

    def set_names(self, names: Mapping[str, str]) -> None:
        self._rows.change(*starmap(_set_name, names.items()))

    def created(self) -> dict[str, Created]:
        rows = self._rows.ask(f"SELECT thread, ts, metadata FROM created WHERE {_NOT_TRASHED}")
        return {id: Created(ts, metadata) for id, ts, metadata in rows}

    def create(self, id: str, created: Created) -> None:
        query = """INSERT INTO created (thread, ts, metadata) VALUES (?, ?, ?)
            ON CONFLICT (person, thread) DO UPDATE SET ts = excluded.ts, metadata = excluded.metadata"""
        self._rows.change(Statement(query, [id, created.ts, json.dumps(created.metadata)]))

    def last(self) -> str | None:
        return next((canonical_id(id) for (id,) in self._rows.ask("SELECT thread FROM last_thread")), None)

    def set_last(self, id: str) -> None:
        query = (
            "INSERT INTO last_thread (thread) VALUES (?) ON CONFLICT (person) DO UPDATE SET thread = excluded.thread"
        )
        self._rows.change(Statement(query, [id]))

    def forget(self, ids: Collection[str]) -> None:
        tables = ("thread_names", "last_thread")
        self._rows.change(*(Statement(f"DELETE FROM {table} WHERE thread = ANY(?)", [[*ids]]) for table in tables))

    def put_in_trash(self, id: str, ts: str, name: str, trace: str) -> None:
        deleted = f"{TRASHED}{ts}:{id}"
        enter = "INSERT INTO trash (id, thread, ts, name, trace) VALUES (?, ?, ?, ?, ?)"
        self._rows.change(Statement(enter, [deleted, id, ts, json.dumps(name), trace]), *_rename(id, deleted))

    def list_trash(self) -> list[DeletedThread]:
        # not by time: a clock can go back
        rows = self._rows.ask("SELECT id, thread, ts, name, trace FROM trash ORDER BY number DESC")
        return [DeletedThread(*row) for row in rows]

    def take_out_of_trash(self, deleted: DeletedThread) -> None:
        named = [_set_name(deleted.thread, deleted.name)] if deleted.name else []
        forget = Statement("DELETE FROM trash WHERE id = ?", [deleted.id])
        self._rows.change(*_rename(deleted.id, deleted.thread), forget, *named)

    def delete(self, ids: Collection[str]) -> None:
        self._rows.change(*(Statement(f"DELETE FROM {t} WHERE {key} = ANY(?)", [[*ids]]) for t, key in _KEYS.items()))

    def compact(self) -> None:
        """Do nothing: the server takes the room of deleted rows back by itself, and its files are its operator's."""

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        every = " UNION ".join(f"SELECT {key} FROM {table}" for table, key in _KEYS.items())
        return {id for (id,) in self._rows.ask(every) if any(map(mentions, self._iter_bytes(id)))}

    def _iter_bytes(self, id: str) -> Iterator[bytes]:
        """Yield all stored data of one thread; threads are read one by one, because all of them may not fit into
        memory.
        """
        queries = (Statement(f"SELECT * FROM {table} WHERE {key} = ?", [id]) for table, key in _KEYS.items())
        for value in chain.from_iterable(chain.from_iterable(self._rows.read(*queries))):
            if isinstance(value, bytes):
                yield value
            elif isinstance(value, str | dict):
                yield (value if isinstance(value, str) else json.dumps(value)).encode(errors="replace")


def _set_name(id: str, name: str) -> Statement:
    query = """INSERT INTO thread_names (thread, name) VALUES (?, ?)
        ON CONFLICT (person, thread) DO UPDATE SET name = excluded.name"""
    return Statement(query, [id, json.dumps(name)])


def _rename(thread: str, to: str) -> Iterator[Statement]:
    for table in ("emptied", "created"):  # a client may have made it again
        is_replaced = f"EXISTS (SELECT FROM {table} AS own WHERE own.thread = ?)"
        yield Statement(f"DELETE FROM {table} WHERE thread = ? AND {is_replaced}", [to, thread])
    for table in _TABLES:
        yield Statement(f"UPDATE {table} SET thread = ? WHERE thread = ?", [to, thread])
