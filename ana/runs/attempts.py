"""An attempt to carry out a run of the queue: its events are stored as they come, until it ends or is left to another
worker.

The attempt's number is its fence: after a later attempt has begun, an earlier one can store nothing more.
"""

import asyncio
import logging
from contextlib import suppress
from itertools import count

from ana.errors import AnaError, LeaseLost, PersonRemoved, StoreBroken, StoreBusy, UserError
from ana.postgres.person import PersonRows
from ana.runs.local import Worker, carry_out, fail
from ana.runs.port import Event, StartedRun, Status
from ana.runs.queue import COLUMNS, read_run
from ana.tables import Rows, Statement

MOST_FAILURES = 3
"""How often a run is begun whose worker ends without a word, is held up for long, or whose database fails."""

BATCH_SECONDS = 0.005
"""How long what is told waits for more."""

LOOK_SECONDS = 0.5
"""How often it is looked whether a run that tells nothing was stopped."""

_PASSING = (StoreBroken, LeaseLost)
"""What may not happen to another attempt: the database fails, or another process takes the conversation over."""

_AGAIN_SECONDS = 0.5
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

    @property
    def is_exhausted(self) -> bool:
        """Return whether workers have failed at a run so often that it must be given up."""
        return self._failures > MOST_FAILURES

    async def carry_out(self, worker: Worker) -> None:
        """Let the worker carry it out, and store its events.

        Raises:
            CancelledError: Another worker must go on, because this one ends or was too late, or because the database
                failed with StoreBroken or LeaseLost.
        """
        if self.is_exhausted:
            await self.give_up(UserError(f"The run was given up: {MOST_FAILURES} attempts to carry it out failed."))
            return
        try:
            status, error = await self._work_and_keep(worker)
        except asyncio.CancelledError:
            if self.run.status != "interrupted":  # nobody has stopped the run
                await self._persist(_LEAVE, 1)  # which is no failure
                raise
            status, error = "interrupted", None
        except _PASSING as exc:
            logger.warning("run %s is tried again: %s", self.run.id, exc)
            await self._persist(_LEAVE, 0)
            raise
        await self._persist(_END, status, error)

    async def give_up(self, why: AnaError) -> None:
        """End the run without another attempt."""
        logger.warning("run %s is given up: %s", self.run.id, why)
        await self._persist(_END, *fail(why, self._tell))

    async def _work_and_keep(self, worker: Worker) -> tuple[Status, str | None]:
        work = asyncio.create_task(carry_out(worker, self.run, self._tell, _PASSING))
        keep = asyncio.create_task(self._keep(work))
        try:
            return await work
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
        while True:
            writing = asyncio.ensure_future(asyncio.to_thread(self._write, events, change))
            try:
                rows = await asyncio.shield(writing)
            except asyncio.CancelledError:
                await asyncio.wait([writing])  # who writes next would wait for it, and it for them
                raise
            except PersonRemoved:
                return []
            except (StoreBroken, StoreBusy) as exc:
                logger.warning("what a run told is not kept yet: %s", exc)
                await asyncio.sleep(_AGAIN_SECONDS)
            else:
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
