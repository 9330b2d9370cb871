"""The file of all threads: one SQLite database for every door."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import aiosqlite

from ana.files import open_readable
from ana.private import keep_private
from ana.settings import Settings, load_settings
from graph.pruning import AsyncPruningSaver, PruningSaver

BUSY_SECONDS = 10.0


def saver_path(settings: Settings) -> Path:
    """Return the path of the saver's file and create its folder: without it the server hangs when it starts."""
    settings.ana_data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return settings.ana_data_dir / "threads.sqlite"


@contextmanager
def open_saver(path: Path) -> Iterator[PruningSaver]:
    """Open the saver of the REPL and the command line."""
    with (
        open_readable(path) as file,
        closing(sqlite3.connect(file, check_same_thread=False, timeout=BUSY_SECONDS)) as connection,
    ):
        saver = PruningSaver(connection)
        saver.setup()
        yield saver


@asynccontextmanager
async def server_saver() -> AsyncIterator[AsyncPruningSaver]:
    """Open the saver of the LangGraph server, on the same file; langgraph.json names it."""
    settings = load_settings()
    keep_private(settings)  # the server may have been started without `ana serve`
    path = saver_path(settings)
    async with aiosqlite.connect(path, timeout=BUSY_SECONDS) as connection:
        yield AsyncPruningSaver(connection)


def thread_ids(path: Path) -> list[str]:
    """Return the ids of all threads, the one written last first."""
    if not path.exists():
        return []
    query = "SELECT thread_id FROM checkpoints GROUP BY thread_id ORDER BY max(checkpoint_id) DESC"
    try:
        with open_readable(path) as file, closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
            return [row[0] for row in connection.execute(query)]
    except sqlite3.OperationalError as exc:
        if "no such table" in str(exc):
            return []
        raise
