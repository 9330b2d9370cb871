"""An attempt to carry out a run of the queue: what it tells is kept as it goes, until it ends or is left to another.

The attempt's number is its fence: one that another has followed keeps nothing more.
"""

import asyncio
import logging
from contextlib import aclosing, suppress
from itertools import count
from typing import NoReturn

from pydantic_core import to_json

from ana.errors import AnaError, LeaseLost, PersonRemoved, StoreBroken, StoreBusy, UserError
from ana.postgres.person import PersonRows
from ana.postgres.session import Rows, Statement
from ana.runs.local import Worker
from ana.runs.notices import Notices, name_stop, notify
from ana.runs.port import Event, RunLeft, StartedRun, Status
from ana.runs.queue import read_run

MOST_FAILURES = 3
"""How often a run is begun whose worker ends without a word, is held up for long, or whose database fails."""

BATCH_SECONDS = 0.005
"""How long what is told waits for more."""

_PASSING = (StoreBroken, LeaseLost)
"""What may not happen to another attempt: the database fails, or another process takes the conversation over."""

_AGAIN_SECONDS = 0.5
_COLUMNS = "id, thread, asked, is_kept, size, status, error, attempt, created_at, updated_at"
_TAKE = f"""UPDATE runs SET status = CASE status WHEN 'pending' THEN 'running' ELSE status END, attempt = attempt + 1,
    failures = failures + 1, updated_at = clock_timestamp() WHERE id = ? AND NOT done
    RETURNING {_COLUMNS}, rollback, failures, (SELECT coalesce(max(position), 0) FROM run_events WHERE run = runs.id)"""
_LOOK = "SELECT status, rollback FROM runs WHERE id = ? AND attempt = ? AND NOT done"
_KEEP = f"""INSERT INTO run_events (run, position, name, data)
    SELECT ?, position, name, data FROM unnest(?::integer[], ?::text[], ?::bytea[]) AS told (position, name, data)
    WHERE EXISTS ({_LOOK} AND status = 'running' FOR SHARE) ON CONFLICT DO NOTHING"""
_END = """UPDATE runs SET status = CASE status WHEN 'running' THEN ? ELSE status END, error = ?, done = true,
    updated_at = clock_timestamp() WHERE id = ? AND attempt = ? AND NOT done AND (NOT rollback OR ?) RETURNING 1"""
_FORGET = "DELETE FROM runs WHERE id = ? AND attempt = ? AND rollback AND done"
_LEAVE = """UPDATE runs SET status = CASE status WHEN 'running' THEN 'pending' ELSE status END,
    failures = failures - ? WHERE id = ? AND attempt = ? AND NOT done"""

logger = logging.getLogger(__name__)


class Attempt:
    """One attempt, in the event loop of its worker. `take` begins it."""

    def __init__(self, rows: PersonRows, run: StartedRun, failures: int, position: int, *, rollback: bool) -> None:
        self.run, self.rollback, self._rollback = run, asyncio.Event(), rollback
        self._rows, self._failures = rows, failures
        self._positions = count(position + 1)
        self._told: list[Event] = []
        self._fresh = asyncio.Event()

    @property
    def is_given_up(self) -> bool:
        """Whether others have failed often enough: the run is not carried out any more."""
        return self._failures > MOST_FAILURES

    async def carry_out(self, worker: Worker, notices: Notices) -> None:
        """Have the worker carry it out, and keep what it tells.

        Raises:
            RunLeft: Another worker is to go on.
        """
        if self.is_given_up:
            await self.give_up(f"The run was given up: {MOST_FAILURES} attempts to carry it out failed.")
            return
        if not self.run.is_active:
            await self._clear_up(worker, rollback=self._rollback)
            return
        work = asyncio.create_task(self._work(worker))
        await asyncio.sleep(0)  # it has begun, so that it clears up when it is cancelled
        keep = asyncio.create_task(self._keep(work, notices))
        try:
            status, error = await asyncio.shield(work)
        except asyncio.CancelledError:
            if not work.done():  # the process ends
                self.run.is_left = True
                work.cancel()
                with suppress(asyncio.CancelledError, AnaError):
                    await work
            status, error = "interrupted", None
        except RunLeft:
            self.run.is_left = True
            status, error = "interrupted", None
        except _PASSING as exc:
            logger.warning("run %s is tried again: %s", self.run.id, exc)
            await self._leave(failed=True, keep=keep)
        if self.run.is_left:
            await self._leave(failed=False, keep=keep)
        keep.cancel()
        await asyncio.wait([keep])
        if not await self._end(status, error, taken_back=status == "interrupted" and self.rollback.is_set()):
            await self._clear_up(worker, rollback=True)

    async def give_up(self, why: str) -> None:
        """End the run without another attempt."""
        await self._end(*self._fail(UserError(why), why), taken_back=True)

    async def _clear_up(self, worker: Worker, *, rollback: bool) -> None:
        """End a run that was stopped while nobody worked at it, or when it had ended but for that."""
        await asyncio.create_task(worker.clear_up(self.run, rollback=rollback))  # a task works under its own lease
        await self._end("interrupted", None, taken_back=True)

    async def _work(self, worker: Worker) -> tuple[Status, str | None]:
        try:
            async with aclosing(worker.work(self.run, self.rollback)) as told:
                async for name, data in told:
                    self._tell(name, data)
        except (asyncio.CancelledError, RunLeft, *_PASSING):
            raise
        except AnaError as exc:
            logger.warning("A run failed: %s", exc)
            return self._fail(exc, exc.sentence())
        except Exception as exc:  # whatever it is, whoever follows the run learns of it
            logger.exception("a run failed in a way that was not foreseen")
            return self._fail(exc, f"Something went wrong that was not foreseen: {type(exc).__name__}.")
        return "success", None

    def _fail(self, exc: Exception, why: str) -> tuple[Status, str]:
        self._tell("error", to_json({"error": type(exc).__name__, "message": why}))
        return "error", why

    def _tell(self, name: str, data: bytes) -> None:
        self._told.append(Event(next(self._positions), name, data))
        self._fresh.set()

    async def _keep(self, work: "asyncio.Task[object]", notices: Notices) -> None:
        """Keep what is told, and stop the work when the run is stopped, or another attempt has followed."""
        looking = asyncio.create_task(self._look(work, notices))
        try:
            while True:
                await self._fresh.wait()
                await asyncio.sleep(BATCH_SECONDS)
                self._fresh.clear()
                await self._persist()
        finally:
            looking.cancel()

    async def _look(self, work: "asyncio.Task[object]", notices: Notices) -> None:
        with notices.watch(name_stop(self.run.id)) as changed:
            while not await self._stop_if_told(work):
                await notices.wait(changed)

    async def _stop_if_told(self, work: "asyncio.Task[object]") -> bool:
        """Stop the work if the run is to stop, or another attempt has followed; return whether that was so."""
        try:
            found = await asyncio.to_thread(self._rows.ask, _LOOK, self.run.id, self.run.attempt)
        except PersonRemoved:
            found = []
        except (StoreBroken, StoreBusy):
            return False
        if found and found[0][0] != "interrupted":
            return False
        if not found:
            self.run.is_left = True
        elif found[0][1]:
            self.rollback.set()
        work.cancel()
        return True

    async def _persist(self, change: Statement | None = None) -> Rows:
        """Keep what was told, and make another change with it, as soon as the database can; return its rows."""
        told = [*self._told]
        while True:
            writing = asyncio.ensure_future(asyncio.to_thread(self._write, told, change))
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
                del self._told[: len(told)]
                return rows

    def _write(self, told: list[Event], change: Statement | None) -> Rows:
        with self._rows.write() as session:
            if told:
                positions, names, data = zip(*((e.position, e.name, e.data) for e in told), strict=True)
                own = self.run.id, self.run.attempt
                session.add(_KEEP, self.run.id, [*positions], [*names], [*data], *own)
            forget = Statement(_FORGET, [self.run.id, self.run.attempt])
            changes = [change, forget] if change else []
            return session.run(*changes, notify(self.run.id), commits=True)[0]

    async def _end(self, status: Status, error: str | None, *, taken_back: bool) -> bool:
        """End the run, and return whether that was so: something of it is to be taken back, and was not yet."""
        own = self.run.id, self.run.attempt
        if await self._persist(Statement(_END, [status, error, *own, taken_back])):
            return True
        return not await asyncio.to_thread(self._rows.ask, _LOOK, *own)  # else another attempt has followed

    async def _leave(self, *, failed: bool, keep: "asyncio.Task[None]") -> NoReturn:
        keep.cancel()
        await asyncio.wait([keep])
        await self._persist(Statement(_LEAVE, [int(not failed), self.run.id, self.run.attempt]))
        raise RunLeft


def take(rows: PersonRows, id: str) -> Attempt | None:
    """Begin an attempt at a run; None if nothing of it is left to do."""
    for *row, rollback, failures, position in rows.change(Statement(_TAKE, [id]))[0]:
        return Attempt(rows, read_run(row), failures, position, rollback=rollback)
    return None
