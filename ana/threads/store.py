"""A person's conversations: their states, their names, the one used last, and the trash."""

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from itertools import chain
from typing import TYPE_CHECKING

from ana.tables import Statement, Tables
from ana.threads.ids import TRASHED
from ana.threads.ports import Created, DeletedThread

if TYPE_CHECKING:
    from ana.threads.saver import ThreadSaver

_KEYS = {**dict.fromkeys(("states", "task_writes", "emptied", "created"), "thread_id"), "trash": "id"}
"""The tables that hold something of a thread, each with the column of its id; all but the last go into the trash."""

_NOT_TRASHED = f"thread_id NOT LIKE '{TRASHED}%'"

_NEWEST = f"""FROM states AS s WHERE {_NOT_TRASHED} AND seq IN (SELECT max(seq) FROM states GROUP BY thread_id)"""
_OF_NEWEST = "FROM task_writes AS w WHERE (w.thread_id, w.namespace, w.checkpoint) = (s.thread_id, s.namespace, s.id)"

_WAITING = f"""SELECT thread_id {_NEWEST}
    AND EXISTS (SELECT 1 {_OF_NEWEST} AND channel = '__interrupt__')
    AND NOT EXISTS (SELECT 1 {_OF_NEWEST} AND channel IN ('__resume__', 'replies'))
    ORDER BY seq DESC"""


class ThreadStore(ABC):
    """A person's conversations in tables; names and the last thread are kept as each place keeps such things.

    A thread in the trash has an id of its own, and is in no list of threads. If nothing can be written, names and the
    last thread stay unchanged. Failures of the disk or the database are raised as one of ana.errors, except in savers.
    The code that reads checkpoints is imported only when they are read, because that takes half a second.
    """

    errors: tuple[type[Exception], ...]
    """What savers raise where the disk, or the database, fails: OSError, and what the database has."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    @contextmanager
    def open_saver(self) -> "Iterator[ThreadSaver]":
        """Open the saver of a door that runs the graph itself."""
        from ana.threads.saver import ThreadSaver

        with self.tables.keep_open() as tables:
            yield ThreadSaver(tables)

    @asynccontextmanager
    async def open_server_saver(self) -> "AsyncIterator[ThreadSaver]":
        """Open the saver of a program with an event loop."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        # one thread, so that what is asked for first is saved first
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="saver")
        with ExitStack() as stack:
            try:
                loop = asyncio.get_running_loop()
                saver = await loop.run_in_executor(worker, stack.enter_context, self.open_saver())
                saver.worker = worker
                yield saver
            finally:
                await asyncio.to_thread(worker.shutdown)

    @abstractmethod
    def map_errors(self) -> AbstractContextManager[None]:
        """Turn the `errors` of savers into StoreBroken: a sentence with the next step."""

    def ids(self) -> list[str]:
        """Return the ids of all threads, the one written last first."""
        query = f"SELECT thread_id FROM states WHERE {_NOT_TRASHED} GROUP BY thread_id ORDER BY max(seq) DESC"
        return [id for (id,) in self.tables.ask(query)]

    def marks(self) -> dict[str, tuple[int, int]]:
        """Return a mark of the newest state of each thread, which changes with every change of the state."""
        emptied, newest = self.tables.read(
            Statement(f"SELECT thread_id FROM emptied WHERE {_NOT_TRASHED}"),
            Statement(f"SELECT thread_id, seq, (SELECT count(*) {_OF_NEWEST}) {_NEWEST}"),
        )
        return {id: (0, 0) for (id,) in emptied} | {id: (seq, writes) for id, seq, writes in newest}

    def list_waiting(self) -> list[str]:
        """Return the ids of the threads that wait for a person, the one written last first."""
        return [id for (id,) in self.tables.ask(_WAITING)]

    def waiting_since(self) -> dict[str, str]:
        """Return the threads of `list_waiting`, each with the moment at which it began to wait."""
        ids = self.list_waiting()
        if not ids:  # the code that reads checkpoints takes half a second to import
            return {}
        with self.map_errors(), self.open_saver() as saver:
            newest = {id: saver.get_tuple({"configurable": {"thread_id": id}}) for id in ids}
        return {id: state.checkpoint["ts"] for id, state in newest.items() if state}

    @abstractmethod
    def names(self) -> dict[str, str]:
        """Return the names of conversations by their ids."""

    @abstractmethod
    def set_names(self, names: Mapping[str, str]) -> None:
        """Name conversations, given by their ids; they may not have begun yet."""

    def created(self) -> dict[str, Created]:
        """Return the conversations that a client has created, by their ids; they may not have begun yet."""
        query = f"SELECT thread_id, ts, CAST(metadata AS TEXT) FROM created WHERE {_NOT_TRASHED}"
        return {id: Created(ts, json.loads(metadata)) for id, ts, metadata in self.tables.ask(query)}

    def create(self, id: str, created: Created) -> None:
        """Store a client's metadata of a conversation, in place of the earlier metadata."""
        row = [id, created.ts, json.dumps(created.metadata)]
        self.tables.change(
            Statement("DELETE FROM created WHERE thread_id = ?", [id]),
            Statement("INSERT INTO created (thread_id, ts, metadata) VALUES (?, ?, ?)", row),
        )

    @abstractmethod
    def last(self) -> str | None:
        """Return the thread in which the REPL was left; None if there is none."""

    @abstractmethod
    def set_last(self, id: str) -> None:
        """Note the thread in which the REPL is left."""

    @abstractmethod
    def forget(self, ids: Collection[str]) -> None:
        """Forget the names of threads, and that one of them was the last."""

    def put_in_trash(self, id: str, ts: str, name: str, trace: str) -> None:
        """Move a thread with its name and its trace into the trash, in one step."""
        deleted = f"{TRASHED}{ts}:{id}"
        row = [deleted, id, ts, self.dump_name(name), trace]
        enter = Statement("INSERT INTO trash (id, thread, ts, name, trace) VALUES (?, ?, ?, ?, ?)", row)
        self.tables.change(enter, *_rename(id, deleted))

    @abstractmethod
    def dump_name(self, name: str) -> str:
        """Return a name as the table of the trash takes it."""

    def list_trash(self) -> list[DeletedThread]:
        """Return every deleted thread, the one deleted last first."""
        # not by time: a clock can go back; VACUUM may number the rows of a file again, in the same order
        rows = self.tables.ask("SELECT id, thread, ts, name, trace FROM trash ORDER BY rowid DESC")
        return [DeletedThread(*row) for row in rows]

    def take_out_of_trash(self, deleted: DeletedThread) -> None:
        """Give a thread its own id again, in one step, and its name."""
        forget = Statement("DELETE FROM trash WHERE id = ?", [deleted.id])
        self.tables.change(*_rename(deleted.id, deleted.thread), forget)
        if deleted.name:
            self.set_names({deleted.thread: deleted.name})

    def delete(self, ids: Collection[str]) -> None:
        """Delete threads, by their own ids or by those in the trash."""
        self.tables.change(
            *(Statement(f"DELETE FROM {table} WHERE {key} = ?", [id]) for id in ids for table, key in _KEYS.items())
        )

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        """Return the ids of the threads, including deleted ones, that mention the given texts."""
        every = " UNION ".join(f"SELECT {key} FROM {table}" for table, key in _KEYS.items())
        with self.map_errors(), self.tables.keep_open() as tables:
            return {id for (id,) in tables.ask(every) if any(map(mentions, _iter_bytes(tables, id)))}


def _iter_bytes(tables: Tables, id: str) -> Iterator[bytes]:
    """Yield all stored data of one thread; threads are read one by one, because all of them may not fit into memory."""
    queries = (Statement(f"SELECT * FROM {table} WHERE {key} = ?", [id]) for table, key in _KEYS.items())
    for value in chain.from_iterable(chain.from_iterable(tables.read(*queries))):
        if isinstance(value, bytes):
            yield value
        elif isinstance(value, str | dict):
            yield (value if isinstance(value, str) else json.dumps(value)).encode(errors="replace")


def _rename(thread: str, to: str) -> Iterator[Statement]:
    for table in ("emptied", "created"):  # a client may have made it again
        is_replaced = f"EXISTS (SELECT 1 FROM {table} AS own WHERE own.thread_id = ?)"
        yield Statement(f"DELETE FROM {table} WHERE thread_id = ? AND {is_replaced}", [to, thread])
    for table in list(_KEYS)[:-1]:
        yield Statement(f"UPDATE {table} SET thread_id = ? WHERE thread_id = ?", [to, thread])
