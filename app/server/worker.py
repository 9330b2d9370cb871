"""A worker: it carries out everybody's runs that wait in the database, until it is told to stop.

It keeps no state: if a worker ends, even by a crash, another one goes on with its runs.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
from procrastinate import App, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import ConnectorException, ProcrastinateException
from procrastinate.job_context import JobContext
from procrastinate.jobs import DeleteJobCondition, Job, Status

from ana.postgres.database import RECONNECT_SECONDS, open_database
from ana.postgres.person import PersonRows
from ana.runs.attempts import take
from ana.runs.port import StartedRun
from ana.runs.queue import QUEUE, WORK
from ana.runs.slots import ALL
from ana.settings import load_settings
from app.server.workspaces import Workspaces

BEAT_SECONDS = 10.0
"""How often a worker says that it lives; one that has not for three times as long is no longer counted on."""

GRACE_SECONDS = 20.0
"""How long a worker that stops waits for its runs to end; what has not, another goes on with."""

SERVER_GRACE_SECONDS = 1.0
"""The same in a server, and in a worker that it has started."""

POLL_SECONDS = 0.5
_AGAIN_SECONDS = 1

_PASSING = (ProcrastinateException, psycopg.Error, OSError)
"""What fails while the database cannot be used."""

_log = logging.getLogger(__name__)


class RunWorker:
    """Carries out several runs at once.

    Args:
        workspaces: Everybody's workspaces.
        url: The database in which the runs wait.
        runs: The number of runs at work at once.
        beat: Seconds between two signs of life.
    """

    def __init__(self, workspaces: Workspaces, url: str, runs: int = ALL, beat: float = BEAT_SECONDS) -> None:
        self._workspaces, self._database = workspaces, open_database(url)
        self._beat, self._runs = beat, runs
        connector = PsycopgConnector(
            conninfo=url,
            min_size=1,
            max_size=4,
            reconnect_timeout=RECONNECT_SECONDS,
            kwargs={"prepare_threshold": None},
        )
        self._app = App(connector=connector)
        again = RetryStrategy(wait=_AGAIN_SECONDS)  # how often a run is tried is counted with the run
        self._app.task(name=WORK, queue=QUEUE, pass_context=True, retry=again)(self._work)
        self._ended: list[Job] = []

    async def work(self, stop: asyncio.Event, grace: float = GRACE_SECONDS) -> None:
        """Carry out runs until it must stop, and then leave unfinished ones to others.

        Args:
            stop: Set when it must stop.
            grace: Seconds that its runs then have to end.
        """
        stopping = asyncio.create_task(stop.wait())
        while not stop.is_set():
            try:
                async with self._app.open_async():
                    await self._fetch(stopping, grace)
            except _PASSING as exc:
                _log.warning("runs are not carried out for a while: %s", type(exc).__name__)
                await asyncio.wait([stopping], timeout=_AGAIN_SECONDS)

    async def _fetch(self, stopping: asyncio.Task[bool], grace: float) -> None:
        working = asyncio.create_task(
            self._app.run_worker_async(
                queues=[QUEUE],
                concurrency=self._runs,
                fetch_job_polling_interval=POLL_SECONDS,
                shutdown_graceful_timeout=grace,
                delete_jobs=DeleteJobCondition.ALWAYS,
                install_signal_handlers=False,
                update_heartbeat_interval=self._beat,
                stalled_worker_timeout=3 * self._beat,
            )
        )
        looking = asyncio.create_task(self._replace_lost_jobs())
        await asyncio.wait([working, stopping], return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            working.cancel()  # which gives its runs their time to end
        await asyncio.wait([working])
        looking.cancel()
        await asyncio.wait([looking])
        if not working.cancelled():
            working.result()

    async def _work(self, context: JobContext, person: int, run: str) -> None:
        try:
            # asked each time: whoever is removed keeps the number, and somebody else may get the name
            if name := await asyncio.to_thread(self._database.find_name, person):
                rows = PersonRows(self._database, name, person)
                if attempt := await asyncio.to_thread(take, rows, run):
                    await attempt.carry_out(partial(self._open_and_work, rows))
        finally:
            self._ended.append(context.job)

    async def _open_and_work(self, rows: PersonRows, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        opened = await self._workspaces.open(rows.person)
        if opened.workspace.rows.number == rows.number:  # else the person was removed meanwhile, with all runs
            with opened.hold():
                async with contextlib.aclosing(opened.worker.work(run)) as events:
                    async for event in events:
                        yield event

    async def _replace_lost_jobs(self) -> None:
        """Replace the jobs of ended workers, and jobs whose end could not be recorded, because their lanes wait for
        them.
        """
        manager = self._app.job_manager
        while True:
            ended, self._ended = self._ended, []
            await asyncio.sleep(self._beat)  # what ended before is noted by now
            # each retry counts one attempt more
            attempts = {(job.id, job.attempts) for job in ended}
            try:
                lost = [*await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=3 * self._beat)]
                doing = await manager.list_jobs_async(queue=QUEUE, status="doing") if ended else []
                for job in (*lost, *(job for job in doing if (job.id, job.attempts) in attempts)):
                    await self._replace(job)
            except _PASSING as exc:
                self._ended += ended
                _log.warning("runs of workers that ended are not taken up: %s", type(exc).__name__)

    async def _replace(self, job: Job) -> None:
        """Put another job, the first of its lane, in the place of one that nobody will end.

        If its worker was only delayed, its later report names a job that no longer exists, and is refused.
        """
        first = self._app.configure_task(WORK, queue=QUEUE, lock=job.lock, priority=job.priority + 1)
        await first.defer_async(**job.task_kwargs)
        with contextlib.suppress(ConnectorException):  # another worker was faster
            await self._app.job_manager.finish_job(job, Status.ABORTED, delete_job=True)


@contextlib.asynccontextmanager
async def working(workspaces: Workspaces, url: str) -> AsyncIterator[None]:
    """Carry out runs while the context is open. Arguments as of `RunWorker`."""
    stop = asyncio.Event()
    work = asyncio.create_task(RunWorker(workspaces, url).work(stop, grace=SERVER_GRACE_SECONDS))
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
    with contextlib.ExitStack() as stack:
        if settings.ana_metrics:
            from app.server.measuring import open_counted, show_metrics

            workspaces = open_counted(settings)
            stack.enter_context(show_metrics(settings.ana_metrics))
        else:
            workspaces = Workspaces(load_settings)
        await RunWorker(workspaces, settings.ana_database_url.get_secret_value(), runs, beat).work(stop, grace)
        await workspaces.close_all()
