"""Notices between processes: a run has told something, or is to stop. They hold its id and no words.

The one connection that listens must reach the server itself: a pooler in transaction mode, such as PgBouncer, delivers
no notices. Until one was heard, whoever waits looks by itself every POLL_SECONDS, and then every SAFE_SECONDS.
"""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import chain

import psycopg

from ana.postgres.database import open_database
from ana.postgres.session import Statement

CHANNEL = "ana_runs"
POLL_SECONDS = 0.4
SAFE_SECONDS = 5.0
"""How long a connection that is lost may be taken for one on which nothing happens."""

_AGAIN_SECONDS = 1.0
_WAITING = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = 'runs'"
_log = logging.getLogger(__name__)


def notify(run: str) -> Statement:
    """Return what tells all processes, when it is committed, that something about a run has changed."""
    return Statement("SELECT pg_notify(?, ?)", [CHANNEL, run])


def name_stop(run: str) -> str:
    """Return what is told and watched in place of a run's id for whoever carries it out: it is to stop."""
    return f"stop {run}"


class Notices:
    """What this process hears of, in its event loop.

    Args:
        url: The server's address.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._are_heard = False

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

    async def wait(self, changed: asyncio.Event) -> None:
        """Return when something has changed, or may have, so that it is looked at."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(changed.wait(), SAFE_SECONDS if self._are_heard else POLL_SECONDS)
        changed.clear()

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
                        self._are_heard = True
                        _wake(self._waiting.get(notice.payload, ()))
            except psycopg.Error as exc:
                if not is_told:  # not again with each attempt
                    _log.warning("no notices of runs are heard for a while: %s", f"{exc}".partition("\n")[0])
                is_told = True
            self._are_heard = False
            _wake(chain.from_iterable(self._waiting.values()))
            await asyncio.sleep(_AGAIN_SECONDS)


def _wake(waiting: Iterable[asyncio.Event]) -> None:
    for changed in waiting:
        changed.set()
