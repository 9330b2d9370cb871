"""The file of all threads: one SQLite database for every door."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path

from ana.settings import Settings, load_settings
from graph.pruning import PruningSaver, ServerSaver
from graph.sequence import list_threads

BUSY_SECONDS = 10.0


def saver_path(settings: Settings) -> Path:
    """Return the path of the saver's file and create its folder: without it the server hangs when it starts."""
    settings.ana_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings.ana_data_dir / "threads.sqlite"


@contextmanager
def open_saver(path: Path) -> Iterator[PruningSaver]:
    """Open the saver of the REPL and the command line."""
    with _connect(path) as connection:
        saver = PruningSaver(connection)
        saver.setup()
        yield saver


@asynccontextmanager
async def server_saver() -> AsyncIterator[ServerSaver]:
    """Open the saver of the LangGraph server, on the same file; langgraph.json names it."""
    async with open_server_saver(saver_path(load_settings())) as saver:
        yield saver


@asynccontextmanager
async def open_server_saver(path: Path) -> AsyncIterator[ServerSaver]:
    """Open the saver of a program with an event loop."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="saver") as worker, ExitStack() as stack:
        connection = await loop.run_in_executor(worker, stack.enter_context, _connect(path))
        yield ServerSaver(connection, worker)


def thread_ids(path: Path) -> list[str]:
    """Return the ids of all threads, the one written last first."""
    if not path.exists():
        return []
    with _connect(path) as connection:
        return list_threads(connection)


def _connect(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, check_same_thread=False, timeout=BUSY_SECONDS))
