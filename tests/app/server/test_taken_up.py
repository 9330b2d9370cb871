"""Jobs that nobody ends, of a worker that is gone and of one that could not note an end, and who takes them up."""

import asyncio
import json
import secrets
from typing import Any

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager

from ana.settings import load_settings
from app.server.worker import RunWorker
from app.server.workspaces import Workspaces
from evals.postgres import WORKER
from tests.postgres.server import database, server

_ENTER = """INSERT INTO procrastinate_jobs (queue_name, task_name, lock, args, status, priority, worker_id)
    VALUES ($1::text, 'work', $1::text, $2, $3::procrastinate_job_status, $4, $5) RETURNING id"""
FAILING = 7
"""The priority of a job whose end cannot be noted at first."""
NOBODY = json.dumps({"person": -1, "run": "a run of somebody who was removed"})


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> str:
    name = secrets.token_hex(8)
    monkeypatch.setattr("app.server.worker.QUEUE", name)
    return name


def ask(text: str, *params: object) -> list[tuple[Any, ...]]:
    with database().connect() as connection:
        return connection.execute(text, params).fetchall()


async def work_until_nothing_waits(queue: str) -> None:
    stop = asyncio.Event()
    worker = RunWorker(Workspaces(load_settings), f"{server()} user={WORKER}", beat=0.2)
    working = asyncio.create_task(worker.work(stop, grace=1.0))
    while await asyncio.to_thread(ask, "SELECT 1 FROM procrastinate_jobs WHERE queue_name = $1", queue):
        await asyncio.sleep(0.02)
    stop.set()
    await working


def enter_job_of_a_dead_worker(queue: str) -> int:
    ((worker,),) = ask(
        "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '1 hour') RETURNING id"
    )
    return enter_job(queue, "doing", worker=worker)


def enter_job(queue: str, status: str, priority: int = 0, worker: int | None = None) -> int:
    ((job,),) = ask(_ENTER, queue, NOBODY, status, priority, worker)
    return int(job)


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The jobs that were ended, or were to be, in order."""
    finish, jobs = JobManager.finish_job, list[Job]()

    async def note(manager: JobManager, job: Job, status: Status, delete_job: bool) -> None:
        jobs.append(job)
        if job.priority == FAILING and job not in jobs[:-1]:
            raise ConnectorException
        await finish(manager, job=job, status=status, delete_job=delete_job)

    monkeypatch.setattr(JobManager, "finish_job", note)
    return jobs


def test_what_a_worker_had_begun_that_is_gone_is_the_next_of_its_lane(queue: str, finished: list[Job]) -> None:
    gone = enter_job_of_a_dead_worker(queue)
    waiting = enter_job(queue, "todo")
    asyncio.run(work_until_nothing_waits(queue))
    assert [finished[0].id, finished[-1].id] == [gone, waiting]
    assert [job.task_kwargs for job in finished] == [json.loads(NOBODY)] * 3


def test_a_job_whose_end_could_not_be_noted_holds_up_its_lane_for_a_moment(queue: str, finished: list[Job]) -> None:
    failing, waiting = enter_job(queue, "todo", FAILING), enter_job(queue, "todo")
    asyncio.run(work_until_nothing_waits(queue))
    assert [job.id for job in finished][:2] == [failing] * 2
    assert finished[-1].id == waiting
