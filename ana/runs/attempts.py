"""An attempt to carry out a run of the queue: its events are stored as they come, until it ends or is left to another
worker.

The attempt's number is its fence: after a later attempt has begun, an earlier one can store nothing more.
"""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from itertools import count

from ana.errors import LeaseLost, PersonRemoved, StoreBroken, UserError
from ana.postgres.person import PersonRows
from ana.runs.local import Work, carry_out, fail
from ana.runs.port import Event, StartedRun, Status
from ana.runs.queue import COLUMNS, insist, read_run
from ana.tables import Rows, Statement

MOST_FAILURES = 3
"""How often a run is begun whose worker ends without a word, is held up for long, or whose database fails."""

BATCH_SECONDS = 0.005
"""How long what is told waits for more."""

LOOK_SECONDS = 0.5
"""How often it is looked whether a run that tells nothing was stopped."""

_PASSING = (StoreBroken, LeaseLost)
"""What may not happen to another attempt: the database fails, or another process takes the conversation over."""

_TAKE = f"""UPDATE runs SET status = CASE status WHEN 'pending' THEN 'running' ELSE status END, attempt = attempt + 1,
    done = (status = 'interrupted'), failures = failures + 1, updated_at = clock_timestamp() WHERE id = ? AND NOT done
    RETURNING {COLUMNS}, failures, (SELECT coalesce(max(position), 0) FROM run_events WHERE run = runs.id)"""
_LOOK = "SELECT status FROM runs WHERE id = ? AND attempt = ? AND NOT done"
_KEEP = f"""INSERT INTO run_events (run, position, name, data)
    SELECT ?, position, name, data FROM unnest(?::integer[], ?::text[], ?::bytea[]) AS told (position, name, data)
    WHERE EXISTS ({_LOOK} AND status = 'running' FOR SHARE) ON CONFLICT DO NOTHING"""
_END = """UPDATE runs SET status = CASE status WHEN 'running' THEN ? ELSE status END, error = ?, done = true,
    updated_at = clock_timestamp() WHERE id = ? AND attempt = ? AND NOT done"""
_LEAVE = """UPDATE runs SET status = CASE status WHEN 'running' THEN 'pending' ELSE status END,
    failures = failures - ? WHERE id = ? AND attempt = ? AND NOT done"""

logger = logging.getLogger(__name__)


class Attempt:
    """One attempt, in the event loop of its worker. `take` begins it."""

    def __init__(self, rows: PersonRows, run: StartedRun, failures: int, position: int) -> None:
        self.run = run
        self._rows, self._failures = rows, failures
        self._own = run.id, run.attempt
        self._positions = count(position + 1)
        self._events: list[Event] = []
        self._fresh = asyncio.Event()

    async def carry_out(self, work: Work) -> None:
        """Carry out the run, and store its events; give it up if workers have failed at it too often.

        Raises:
            CancelledError: Another worker must go on, because this one ends or was too late, or because the database
                failed with StoreBroken or LeaseLost.
        """
        if self._failures > MOST_FAILURES:
            logger.warning("run %s is given up", self.run.id)
            why = UserError(f"The run was given up: {MOST_FAILURES} attempts to carry it out failed.")
            await self._persist(_END, *fail(why, self._tell))
            return
        try:
            status, error = await self._work_and_keep(work)
        except asyncio.CancelledError:
            if self.run.status != "interrupted":  # nobody has stopped the run
                await self._persist(_LEAVE, 1)  # which is no failure
                raise
            status, error = "interrupted", None
        except _PASSING as exc:
            logger.warning("run %s failed, and is tried %s times: %s", self.run.id, MOST_FAILURES, exc)
            if self._failures < MOST_FAILURES:
                await self._persist(_LEAVE, 0)
                raise
            status, error = fail(exc, self._tell)
        await self._persist(_END, status, error)

    async def _work_and_keep(self, work: Work) -> tuple[Status, str | None]:
        working = asyncio.create_task(carry_out(work, self.run, self._tell, _PASSING))
        keep = asyncio.create_task(self._keep(working))
        try:
            return await working
        finally:
            keep.cancel()
            await asyncio.wait([keep])

    def _tell(self, name: str, data: bytes) -> None:
        self._events.append(Event(next(self._positions), name, data))
        self._fresh.set()

    async def _keep(self, work: "asyncio.Task[object]") -> None:
        """Store the events, and stop the work when the run is stopped or a later attempt has begun."""
        rows: Rows = [("running",)]
        while rows and rows[0][0] == "running":
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._fresh.wait()
            await asyncio.sleep(BATCH_SECONDS)
            self._fresh.clear()
            rows = await self._persist(_LOOK)
        if rows:
            self.run.status = rows[0][0]
        work.cancel()

    async def _persist(self, text: str, *params: object) -> Rows:
        """Store the events so far, and run a statement on the run with them, as soon as the database works; return its
        rows.
        """
        events, change = [*self._events], Statement(text, [*params, *self._own])
        try:
            rows = await insist(partial(self._write, events, change))
        except PersonRemoved:
            return []
        del self._events[: len(events)]
        return rows

    def _write(self, events: list[Event], change: Statement) -> Rows:
        with self._rows.write() as session:
            if events:
                positions, names, data = zip(*((e.position, e.name, e.data) for e in events), strict=True)
                session.add(_KEEP, self.run.id, [*positions], [*names], [*data], *self._own)
            return session.run(change, commits=True)[0]


def take(rows: PersonRows, id: str) -> Attempt | None:
    """Begin an attempt at a run; None if there is nothing left to do, for example because it was stopped meanwhile."""
    for *row, failures, position in rows.change(Statement(_TAKE, [id]))[0]:
        run = read_run(row)
        return Attempt(rows, run, failures, position) if run.is_active else None
    return None
