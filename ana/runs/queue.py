"""Runs that wait in PostgreSQL until a worker, in any process, carries them out; any process can follow them.

The queue is that of procrastinate, and a person has LANES locks in it: the runs of a thread wait in one lane, so that
they work in order, and a lane works for one run at a time, so that one person's runs do not hold up everybody else's.
"""

import asyncio
import json
import logging
import math
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from ana.errors import PersonRemoved, StoreBroken, StoreBusy
from ana.postgres.database import open_database
from ana.postgres.person import PersonRows
from ana.postgres.session import Session
from ana.runs.local import MOST_BYTES, REMEMBERED, check_room
from ana.runs.port import Event, StartedRun, Strategy
from ana.tables import Rows, Statement

QUEUE, WORK = "runs", "work"
"""The queue of procrastinate, and its one task."""

LANES = 4
"""How many runs of one person work at once."""

REMEMBERED_DAYS = 30
"""After how many days a run that has ended is forgotten."""

_PAGE = 500
"""How many events are read at once."""

_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.02, 0.2
"""How long whoever follows a run looks away, at first and at last, while it tells nothing."""

_AGAIN_SECONDS, _PATIENCE = 0.5, 600.0
"""How often a database that cannot be used is asked again, and for how many seconds by who follows a run."""

_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)

COLUMNS = "id, thread, asked, is_kept, size, status, error, attempt, created_at, updated_at"
_IS_ACTIVE = "status IN ('pending', 'running')"
# one starts at a time
_ALONE = Statement("SELECT 1 FROM people WHERE number = current_setting('ana.person')::integer FOR NO KEY UPDATE")
_OPEN = Statement(f"SELECT id, thread, size, lane, {_IS_ACTIVE} FROM runs WHERE NOT done ORDER BY seq")
_ENTER = """INSERT INTO runs (id, thread, lane, asked, size, is_kept, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
_DEFER = """SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(?::text, ?::text, 0, ?::text, NULL, ?::jsonb,
    ?::timestamptz)::procrastinate_job_to_defer_v1])"""
# noted here too: its worker may be dead, and another door may come to its turn before the next worker does
CANCEL = f"""WITH cancelled AS (UPDATE runs SET status = 'interrupted', done = (attempt = 0),
    updated_at = clock_timestamp() WHERE id = ? AND {_IS_ACTIVE} RETURNING *)
    INSERT INTO stopped (run_id) SELECT id FROM cancelled WHERE is_kept AND attempt > 0 ON CONFLICT DO NOTHING"""
_WAITING = f"SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo' AND queue_name = '{QUEUE}'"
_EVENTS = "SELECT position, name, data FROM run_events WHERE run = ? AND position > ? ORDER BY position LIMIT ?"
_FORGET_OLD = f"""DELETE FROM runs WHERE done AND (updated_at < clock_timestamp() - interval '{REMEMBERED_DAYS} days'
    OR id IN (SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(size + told) OVER newest AS held FROM (
            SELECT id, seq, size, (SELECT coalesce(sum(length(data)), 0) FROM run_events WHERE run = runs.id) AS told
            FROM runs WHERE done) AS each
        WINDOW newest AS (ORDER BY seq DESC)) AS ended
    WHERE place > {REMEMBERED} OR held > {MOST_BYTES}))"""


class QueuedRuns:
    """One person's runs.

    Args:
        rows: The person's rows in the database.
    """

    is_idle = True
    """Nothing works here."""

    def __init__(self, rows: PersonRows) -> None:
        self._rows = rows

    async def start(self, run: StartedRun, strategy: Strategy) -> None:
        await asyncio.to_thread(self._start, run, strategy)

    async def find(self, id: str) -> StartedRun | None:
        rows = await self._ask(f"SELECT {COLUMNS} FROM runs WHERE id = ?", id)
        return read_run(rows[0]) if rows else None

    async def list(self, thread: str) -> list[StartedRun]:
        rows = await self._ask(f"SELECT {COLUMNS} FROM runs WHERE thread = ? ORDER BY seq DESC", thread)
        return [*map(read_run, rows)]

    async def find_newest(self, threads: Collection[str]) -> dict[str, StartedRun]:
        columns = COLUMNS.replace("asked", "'{}'::json")
        newest = f"SELECT DISTINCT ON (thread) {columns} FROM runs WHERE thread = ANY(?)"
        rows = await self._ask(f"{newest} ORDER BY thread, ({_IS_ACTIVE}) DESC, seq DESC", [*threads])
        return {run.thread: run for run in map(read_run, rows)}

    async def position(self, id: str) -> int:
        return int((await self._ask("SELECT coalesce(max(position), 0) FROM run_events WHERE run = ?", id))[0][0])

    async def follow(self, id: str, after: int = 0) -> AsyncIterator[Event]:
        is_active = Statement(f"SELECT {_IS_ACTIVE} FROM runs WHERE id = ?", [id])
        async with aclosing(
            _look_again(lambda: self._rows.read(is_active, Statement(_EVENTS, [id, after, _PAGE])))
        ) as looks:
            async for run, events in looks:
                for position, name, data in events:
                    after = position
                    yield Event(position, name, data)
                if len(events) < _PAGE and not (run and run[0][0]):
                    return

    async def join(self, id: str) -> None:
        unended = "SELECT 1 FROM runs WHERE id = ? AND NOT done"
        async with aclosing(_look_again(lambda: self._rows.ask(unended, id))) as looks:
            async for rows in looks:
                if not rows:
                    return

    async def cancel(self, id: str) -> None:
        await asyncio.to_thread(self._rows.change, Statement(CANCEL, [id]))

    async def forget(self, id: str) -> None:
        await asyncio.to_thread(self._rows.change, Statement("DELETE FROM runs WHERE id = ?", [id]))

    async def close(self) -> None:
        """Do nothing, because the runs are at work elsewhere."""

    def _start(self, run: StartedRun, strategy: Strategy) -> None:
        with self._rows.write() as session:
            _, known = session.run(_ALONE, _OPEN)
            lane = _choose_lane(run, known, strategy)
            if strategy == "interrupt":
                for id, thread, *_ in known:
                    if thread == run.thread:
                        session.add(CANCEL, id)
            # each step is kept before the next: another worker may have to go on
            order = json.dumps(run.order | {"durability": "sync"})
            row = run.id, run.thread, lane, order, run.size, run.is_persistent, run.created_at, run.created_at
            session.add(_ENTER, *row)
            self._defer(session, run, lane)
            session.add(_FORGET_OLD)

    def _defer(self, session: Session, run: StartedRun, lane: int) -> None:
        number, after = self._rows.number, float(run.order.get("after_seconds") or 0)
        args = json.dumps({"person": number, "run": run.id})
        # a job that waits for its time would keep all others of its lane waiting; it has one of its own
        lock = f"{number}/{run.id if after else lane}"
        at = datetime.now(UTC) + timedelta(seconds=after) if after else None
        session.add(_DEFER, QUEUE, WORK, lock, args, at)

    async def _ask(self, text: str, *params: Any) -> Rows:
        return await asyncio.to_thread(self._rows.ask, text, *params)


async def _look_again(look: Callable[[], _Result]) -> AsyncGenerator[_Result]:
    """Yield the result of a query again and again, with longer pauses while it stays the same; see `insist`."""
    before, pause = None, _SHORTEST_SECONDS
    while True:
        result = await insist(look, _PATIENCE)
        yield result
        pause = _SHORTEST_SECONDS if result != before else min(2 * pause, _LONGEST_SECONDS)
        before = result
        await asyncio.sleep(pause)


async def insist(call: Callable[[], _Result], patience: float = math.inf) -> _Result:
    """Return the result of a call, which is made again while the database is away, and never left half done.

    Args:
        patience: For how many seconds.

    Raises:
        StoreBroken: It could not be used for so long; or StoreBusy.
        PersonRemoved: Nobody's runs are there any more.
    """
    since, fault = time.monotonic(), ""
    while True:
        calling = asyncio.ensure_future(asyncio.to_thread(call))
        try:
            return await asyncio.shield(calling)
        except asyncio.CancelledError:
            await asyncio.wait([calling])  # who writes next would wait for it, and it for them
            raise
        except PersonRemoved:
            raise
        except (StoreBroken, StoreBusy) as exc:
            if time.monotonic() - since > patience:
                raise
            if fault != str(exc):
                _log.warning("the runs in the database are out of reach for a while: %s", exc)
            fault = str(exc)
        await asyncio.sleep(_AGAIN_SECONDS)


def read_run(row: Sequence[Any]) -> StartedRun:
    """Return the run of a row of COLUMNS."""
    id, thread, order, is_persistent, size, status, error, attempt, created_at, updated_at = row
    run = StartedRun(id, thread, order, created_at, is_persistent, size, status, error, attempt)
    run.updated_at = updated_at
    return run


def _choose_lane(run: StartedRun, known: Sequence[tuple[Any, ...]], strategy: Strategy) -> int:
    """Return the lane of a run's thread, or else the emptiest. Errors as of `Runs.start`."""
    of_thread = [row for row in known if row[1] == run.thread]
    is_busy = strategy == "reject" and any(is_active for *_, is_active in of_thread)
    check_room(run, [size for _, _, size, *_ in known], is_busy=is_busy)
    if of_thread:
        return int(of_thread[-1][3])
    taken = Counter(lane for _, _, _, lane, _ in known)
    return min(range(LANES), key=lambda lane: taken[lane])


def count_waiting(url: str) -> int:
    """Return the number of everybody's runs that wait for a worker."""
    with open_database(url).connect() as connection:
        (count,) = connection.execute(_WAITING).fetchone() or (0,)
    return int(count)
