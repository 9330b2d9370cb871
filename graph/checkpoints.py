"""The file of all threads: one SQLite database for every door."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path

from ana.backends.chroma.care.format import read_format
from ana.errors import StoreBroken
from ana.files import connect_own, is_damage, open_readable
from ana.own_files import keep_private
from ana.settings import Settings, load_settings
from graph.pruning import PruningSaver, ServerSaver
from graph.sequence import list_marks, list_threads, list_waiting

TRASHED = "deleted:"
"""The ids of deleted threads begin with it; no other does, because those are UUIDs."""


def saver_path(settings: Settings) -> Path:
    """Return the path of the saver's file and create its folder: without it the server hangs when it starts.

    Raises:
        ConfigError: The data folder was written by a newer program.
    """
    read_format(settings.ana_data_dir)
    settings.ana_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings.ana_data_dir / "threads.sqlite"


@contextmanager
def open_saver(path: Path) -> Iterator[PruningSaver]:
    """Open the saver of the REPL and the command line."""
    with open_readable(path) as file, _connect(file) as connection:
        saver = PruningSaver(connection)
        saver.setup()
        yield saver


@asynccontextmanager
async def server_saver() -> AsyncIterator[ServerSaver]:
    """Open the saver of the LangGraph server, on the same file; langgraph.json names it."""
    settings = load_settings()
    keep_private(settings)  # the server may have been started without `ana serve`
    async with open_server_saver(saver_path(settings)) as saver:
        yield saver


@asynccontextmanager
async def open_server_saver(path: Path) -> AsyncIterator[ServerSaver]:
    """Open the saver of a program with an event loop."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="saver") as worker, ExitStack() as stack:
        connection = await loop.run_in_executor(worker, stack.enter_context, _connect(path))
        yield ServerSaver(connection, worker)


def thread_ids(path: Path) -> list[str]:
    """Return the ids of all threads but the deleted ones, the one written last first."""
    if not path.exists():
        return []
    with open_readable(path) as file, _connect(file) as connection:
        return [id for id in list_threads(connection) if not id.startswith(TRASHED)]


def waiting_since(path: Path) -> dict[str, str]:
    """Return the threads that wait for a person, each with the moment since when, the one written last first."""
    if not path.exists():
        return {}
    with open_readable(path) as file, _connect(file) as connection:
        saver = PruningSaver(connection)
        saver.is_setup = True  # only read
        ids = [id for id in list_waiting(connection) if not id.startswith(TRASHED)]
        newest = {id: saver.get_tuple({"configurable": {"thread_id": id}}) for id in ids}
        return {id: state.checkpoint["ts"] for id, state in newest.items() if state}


def thread_marks(path: Path) -> dict[str, tuple[int, int]]:
    """Return a mark of the newest state of each thread but the deleted ones; every change of it changes the mark."""
    if not path.exists():
        return {}
    with open_readable(path) as file, _connect(file) as connection:
        return {id: mark for id, mark in list_marks(connection).items() if not id.startswith(TRASHED)}


def _connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(connect_own(path, check_same_thread=False))


@contextmanager
def map_saver_errors() -> Iterator[None]:
    """Turn errors of the saver and of the file system into a sentence with the next step."""
    try:
        yield
    except (sqlite3.Error, OSError) as exc:
        hint = "Check that the disk has room and the data folder may be written."
        if isinstance(exc, sqlite3.DatabaseError) and is_damage(exc):
            hint = "`ana doctor --repair` sets the damaged file aside; what was stored stays."
        raise StoreBroken(f"The conversation could not be kept: {exc}.", hint) from exc
