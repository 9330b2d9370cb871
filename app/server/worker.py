"""A worker: it carries out the runs that wait in the database, of everybody, until it is told to stop.

It keeps nothing: another goes on with the runs of one that ended, whether it said so or not.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException, ProcrastinateException
from procrastinate.job_context import JobContext
from procrastinate.jobs import DeleteJobCondition, Job, Status
from procrastinate.worker import Worker

from ana.errors import AnaError, StoreBroken, UserError
from ana.postgres.database import RECONNECT_SECONDS, open_database
from ana.postgres.person import PersonRows
from ana.runs.attempts import Attempt, take
from ana.runs.notices import Notices
from ana.runs.port import RunLeft
from ana.runs.queue import QUEUE, WORK, QueuedRuns
from ana.runs.slots import ALL
from ana.settings import load_settings
from app.server.workspaces import Workspaces

BEAT_SECONDS = 10.0
"""How often a worker says that it lives; one that has not for three times as long is no longer counted on."""

GRACE_SECONDS = 20.0
"""How long a worker that stops waits for the steps that its runs work at."""

SERVER_GRACE_SECONDS = 1.0
"""The same in a server, and in a worker that it has started."""

POLL_SECONDS = 0.5
_AGAIN_SECONDS = 1.0

_PASSING = (ProcrastinateException, psycopg.Error, OSError)
"""What fails while the database cannot be used."""

_log = logging.getLogger(__name__)


class RunWorker:
    """Carries out runs, so many at once.

    Args:
        workspaces: Those of everybody.
        notices: What this process hears of the database in which the runs wait.
        runs: How many work at once.
        beat: Seconds between two signs of life.
    """

    def __init__(self, workspaces: Workspaces, notices: Notices, runs: int = ALL, beat: float = BEAT_SECONDS) -> None:
        self._workspaces, self._database = workspaces, open_database(notices.url)
        self._notices, self._beat, self._runs = notices, beat, runs
        connector = PsycopgConnector(
            conninfo=notices.url,
            min_size=1,
            max_size=4,
            reconnect_timeout=RECONNECT_SECONDS,
            kwargs={"prepare_threshold": None},
        )
        self._app = App(connector=connector)
        self._app.task(name=WORK, queue=QUEUE, pass_context=True, retry=_WhenLeft())(self._work)
        self._ended: list[Job] = []

    async def work(self, stop: asyncio.Event, grace: float = GRACE_SECONDS) -> None:
        """Carry out runs until it is to stop, and then leave those that have not ended to others.

        Args:
            stop: Set when it is to stop.
            grace: Seconds for the steps that runs work at then.
        """
        while not stop.is_set():
            try:
                async with self._app.open_async():
                    looking = asyncio.create_task(self._replace_lost_jobs())
                    try:
                        await self._fetch(stop, grace)
                    finally:
                        looking.cancel()
                        await asyncio.wait([looking])
            except _PASSING as exc:
                _log.warning("runs are not carried out for a while: %s", type(exc).__name__)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _AGAIN_SECONDS)

    async def _fetch(self, stop: asyncio.Event, grace: float) -> None:
        worker = Worker(
            app=self._app,
            queues=[QUEUE],
            concurrency=self._runs,
            fetch_job_polling_interval=POLL_SECONDS,
            shutdown_graceful_timeout=grace,
            delete_jobs=DeleteJobCondition.ALWAYS,
            install_signal_handlers=False,
            update_heartbeat_interval=self._beat,
            stalled_worker_timeout=3 * self._beat,
        )
        working = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            worker.stop()  # type: ignore[no-untyped-call]
            self._workspaces.drain()
        stopping.cancel()
        await working

    async def _work(self, context: JobContext, person: int, run: str) -> None:
        try:
            await self._work_at(context.job, person, run)
        finally:
            self._ended.append(context.job)

    async def _work_at(self, job: Job, person: int, run: str) -> None:
        rows = await asyncio.to_thread(self._find_rows, person)
        if rows is None:  # the person was removed
            return
        if job.lock is None:
            await asyncio.to_thread(QueuedRuns(rows, self._notices).put_in_lane, run)
        elif attempt := await asyncio.to_thread(take, rows, run):
            await self._carry_out(attempt, rows)

    async def _carry_out(self, attempt: Attempt, rows: PersonRows) -> None:
        try:
            opened = await self._workspaces.open(rows.person)
            if opened.workspace.rows.number != rows.number:  # somebody else has got the name meanwhile
                raise UserError("The person was removed.")
        except AnaError as exc:
            if isinstance(exc, StoreBroken) and not attempt.is_given_up:
                raise
            await attempt.give_up(exc.sentence())
        else:
            with opened.hold():
                await attempt.carry_out(opened.worker, self._notices)

    def _find_rows(self, person: int) -> PersonRows | None:
        # asked each time: whoever is removed keeps the number, and somebody else may get the name
        name = self._database.find_name(person)
        return PersonRows(self._database, name, person) if name else None

    async def _replace_lost_jobs(self) -> None:
        """Replace the jobs of workers that are gone, and those whose end could not be noted here: their lanes wait."""
        while True:
            ended, self._ended = self._ended, []
            await asyncio.sleep(self._beat)  # what ended before is noted by now
            try:
                for job in await self._find_lost_jobs(ended):
                    await self._replace(job)
            except _PASSING as exc:
                self._ended += ended
                _log.warning("runs of workers that ended are not taken up: %s", type(exc).__name__)

    async def _find_lost_jobs(self, ended: list[Job]) -> list[Job]:
        manager = self._app.job_manager
        stalled = await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=3 * self._beat)
        doing = await manager.list_jobs_async(queue=QUEUE, status="doing") if ended else []
        # each retry counts one attempt more
        attempts = {(job.id, job.attempts) for job in ended}
        return [*stalled, *(job for job in doing if (job.id, job.attempts) in attempts)]

    async def _replace(self, job: Job) -> None:
        """Let another job, the first of its lane, take the place of one that nobody ends.

        If its worker was only held up, what it notes at the end is for a job that is gone, and is refused.
        """
        first = self._app.configure_task(WORK, queue=QUEUE, lock=job.lock, priority=job.priority + 1)
        await first.defer_async(**job.task_kwargs)
        with contextlib.suppress(ConnectorException):  # another worker was faster
            await self._app.job_manager.finish_job(job, Status.ABORTED, delete_job=True)


class _WhenLeft(BaseRetryStrategy):
    """A run that was left is the next of its lane. How often it is tried is counted with the run."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        return RetryDecision(retry_at=None if isinstance(exception, RunLeft) else _later(_AGAIN_SECONDS))


def _later(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


@contextlib.asynccontextmanager
async def working(workspaces: Workspaces, notices: Notices) -> AsyncIterator[None]:
    """Carry out runs while the context is open. Arguments as of `RunWorker`."""
    stop = asyncio.Event()
    work = asyncio.create_task(RunWorker(workspaces, notices).work(stop, grace=SERVER_GRACE_SECONDS))
    try:
        yield
    finally:
        stop.set()
        await work


async def run_worker(stop: asyncio.Event, runs: int, beat: float = BEAT_SECONDS, grace: float = GRACE_SECONDS) -> None:
    """Carry out runs until the event is set. Arguments as of `RunWorker`."""
    # each node of a run works in a thread of this pool
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2 * runs + 8, thread_name_prefix="run"))
    settings = load_settings()
    assert settings.ana_database_url
    notices = Notices(settings.ana_database_url.get_secret_value())
    with contextlib.ExitStack() as stack:
        if settings.ana_metrics:
            from app.server.measuring import open_counted, show_metrics

            workspaces = open_counted(settings, notices)
            stack.enter_context(show_metrics(settings.ana_metrics))
        else:
            workspaces = Workspaces(load_settings, notices=notices)
        async with notices.listen():
            await RunWorker(workspaces, notices, runs, beat).work(stop, grace)
        await workspaces.close_all()
