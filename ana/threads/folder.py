"""Conversations in a data folder: one SQLite database of their states for every door, their names and the last one."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ana.errors import StoreBroken
from ana.files import compact_database, connect_own, is_damage, is_read_only, open_readable
from ana.notes import Note
from ana.threads.ids import canonical_id
from ana.threads.names import NAMES, Names
from ana.threads.ports import DeletedThread

if TYPE_CHECKING:
    from ana.threads.pruning import PruningSaver, ServerSaver

THREADS = "threads.sqlite"
"""The file of the states, in a data folder."""

LAST = "last_thread"


class FolderThreadStore:
    """The conversations of a data folder; nothing is opened or created before it is used.

    What reads checkpoints is imported by whoever reads them: it takes half a second.

    Args:
        folder: The data folder.
    """

    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError)

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = Names(folder / NAMES)
        self._last = Note(folder / LAST)

    @contextmanager
    def open_saver(self) -> "Iterator[PruningSaver]":
        from ana.threads.pruning import PruningSaver

        with open_readable(self._make_path()) as file, _connect(file) as connection:
            saver = PruningSaver(connection)
            saver.setup()
            yield saver

    @asynccontextmanager
    async def open_server_saver(self) -> "AsyncIterator[ServerSaver]":
        from ana.threads.pruning import ServerSaver

        path, loop = self._make_path(), asyncio.get_running_loop()
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="saver") as worker, ExitStack() as stack:
            connection = await loop.run_in_executor(worker, stack.enter_context, _connect(path))
            yield ServerSaver(connection, worker)

    @contextmanager
    def map_errors(self) -> Iterator[None]:
        try:
            yield
        except self.errors as exc:
            hint = "Check that the disk has room and the data folder may be written."
            if isinstance(exc, sqlite3.DatabaseError) and is_damage(exc):
                hint = "`ana doctor --repair` sets the damaged file aside; what was stored stays."
            raise StoreBroken(f"The conversation could not be kept: {exc}.", hint) from exc

    def ids(self) -> list[str]:
        from ana.threads.sequence import list_threads

        with self._read() as connection:
            return _leave_out_deleted(list_threads(connection)) if connection else []

    def marks(self) -> dict[str, tuple[int, int]]:
        from ana.threads.sequence import list_marks

        with self._read() as connection:
            marks = list_marks(connection) if connection else {}
        return {id: marks[id] for id in _leave_out_deleted(marks)}

    def waiting_since(self) -> dict[str, str]:
        from ana.threads.pruning import PruningSaver
        from ana.threads.sequence import list_waiting

        with self._read() as connection:
            if not connection:
                return {}
            saver = PruningSaver(connection)
            saver.is_setup = True  # only read
            ids = _leave_out_deleted(list_waiting(connection))
            newest = {id: saver.get_tuple({"configurable": {"thread_id": id}}) for id in ids}
            return {id: state.checkpoint["ts"] for id, state in newest.items() if state}

    def names(self) -> dict[str, str]:
        return self._names.read()

    def set_name(self, id: str, name: str) -> None:
        if not is_read_only(self._folder):
            self._names.change(lambda names: names | {id: name})

    def last(self) -> str | None:
        return canonical_id(self._last.read().strip())

    def set_last(self, id: str) -> None:
        self._last.write(id)

    def forget(self, ids: Collection[str]) -> None:
        if self.names().keys() & {*ids}:
            self._names.change(lambda names: {id: name for id, name in names.items() if id not in ids})
        if self.last() in ids:
            self._last.remove()

    def put_in_trash(self, id: str, ts: str, name: str, trace: str) -> None:
        from ana.threads.trash import put_in_trash

        put_in_trash(self._make_path(), id, ts, name, trace)

    def list_trash(self) -> list[DeletedThread]:
        from ana.threads.trash import list_trash

        return list_trash(self._make_path())

    def take_out_of_trash(self, deleted: DeletedThread) -> None:
        from ana.threads.trash import take_out_of_trash

        take_out_of_trash(self._make_path(), deleted)
        if deleted.name:
            self.set_name(deleted.thread, deleted.name)

    def delete(self, ids: Collection[str]) -> None:
        from ana.threads.trash import delete_threads

        delete_threads(self._make_path(), ids)

    def compact(self) -> None:
        if (path := self._make_path()).exists():
            compact_database(path)

    def find_mentions(self, mentions: Callable[[bytes], bool]) -> set[str]:
        from ana.threads.trash import find_threads

        return find_threads(self._make_path(), mentions)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection | None]:
        """Yield a connection to read from; None without a file."""
        path = self._make_path()
        if not path.exists():
            yield None
            return
        with open_readable(path) as file, _connect(file) as connection:
            yield connection

    def _make_path(self) -> Path:
        """Return the path of the file and create its folder: without it the server hangs when it starts."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self._folder / THREADS


def _leave_out_deleted(ids: Collection[str]) -> list[str]:
    from ana.threads.trash import TRASHED

    return [id for id in ids if not id.startswith(TRASHED)]


def _connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(connect_own(path, check_same_thread=False))
