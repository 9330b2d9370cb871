"""Notices between processes: a run has told something, or is to stop. They hold its id and nothing else.

The one connection that listens must reach the server itself: a pooler in transaction mode, such as PgBouncer, delivers
no notices. Without them, and where one is lost, whoever waits looks by itself every POLL_SECONDS.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator

import psycopg

from ana.postgres.database import open_database
from ana.postgres.session import Statement

CHANNEL = "ana_runs"
POLL_SECONDS = 0.4

_AGAIN_SECONDS = 1.0
_WAITING = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = 'runs'"
_log = logging.getLogger(__name__)


def notify(run: str) -> Statement:
    """Return what tells all processes, when it is committed, that something about a run has changed."""
    return Statement("SELECT pg_notify(?, ?)", [CHANNEL, run])


class Notices:
    """What this process hears of, in its event loop.

    Args:
        url: The server's address.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    def count_waiting(self) -> int:
        """Return how many runs wait for a worker, of everybody."""
        with open_database(self.url).connect() as connection:
            (count,) = connection.execute(_WAITING).fetchone() or (0,)
        return int(count)

    @contextlib.contextmanager
    def watch(self, run: str) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever something about a run has changed."""
        changed = asyncio.Event()
        self._waiting[run].add(changed)
        try:
            yield changed
        finally:
            self._waiting[run].discard(changed)
            if not self._waiting[run]:
                del self._waiting[run]

    @contextlib.asynccontextmanager
    async def listen(self) -> AsyncIterator[None]:
        """Hear of changes while the context is open."""
        listening = asyncio.create_task(self._listen())
        try:
            yield
        finally:
            listening.cancel()
            await asyncio.wait([listening])

    async def _listen(self) -> None:
        is_told = False
        while True:
            try:
                async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
                    await connection.execute(f"LISTEN {CHANNEL}".encode())
                    is_told = False
                    async for notice in connection.notifies():
                        for changed in self._waiting.get(notice.payload, ()):
                            changed.set()
            except psycopg.Error as exc:
                if not is_told:  # not again with each attempt
                    _log.warning("no notices of runs are heard for a while: %s", f"{exc}".partition("\n")[0])
                is_told = True
            await asyncio.sleep(_AGAIN_SECONDS)


async def wait_for(changed: asyncio.Event) -> None:
    """Return when something has changed, or may have, so that it is looked at."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(changed.wait(), POLL_SECONDS)
    changed.clear()
