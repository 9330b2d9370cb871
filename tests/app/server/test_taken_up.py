"""A job that was taken up from a worker that seemed dead, and that the same worker has got again."""

import asyncio
import secrets

from procrastinate import App, PsycopgConnector
from procrastinate.jobs import DeleteJobCondition

from app.server.worker import _TAKE_UP as TAKE_UP_STALLED
from app.server.worker import _Worker
from evals.postgres import WORKER
from tests.postgres.server import database, server

_TAKE_UP = "UPDATE procrastinate_jobs SET status = 'todo', attempts = attempts + 1, worker_id = NULL WHERE id = $1"
_STATUS = "SELECT status::text FROM procrastinate_jobs WHERE id = $1"


async def work_twice() -> list[list[tuple[str]]]:
    """Return what is known of the job when its first attempt has ended, and when the second has."""
    queue, begun, gates = secrets.token_hex(8), list[asyncio.Event](), [asyncio.Event(), asyncio.Event()]

    async def wait() -> None:
        begun.append(gate := gates[len(begun)])
        await gate.wait()

    async def until_begun(count: int) -> None:
        while len(begun) < count:
            await asyncio.sleep(0.01)

    app, found = App(connector=PsycopgConnector(conninfo=f"{server()} user={WORKER}")), []
    task = app.task(name=queue, queue=queue)(wait)
    async with app.open_async():
        job = await task.defer_async()
        worker = _Worker(
            app=app,
            queues=[queue],
            concurrency=2,
            fetch_job_polling_interval=0.05,
            delete_jobs=DeleteJobCondition.ALWAYS,
            install_signal_handlers=False,
        )
        working = asyncio.create_task(worker.run())  # type: ignore[no-untyped-call]
        await until_begun(1)
        with database().connect() as connection:
            connection.execute(_TAKE_UP, (job,))
        await until_begun(2)
        for number, gate in enumerate(gates, 1):
            gate.set()
            while len(worker._running_jobs) > len(gates) - number:
                await asyncio.sleep(0.01)
            with database().connect() as connection:
                found.append(connection.execute(_STATUS, (job,)).fetchall())
        worker.stop()  # type: ignore[no-untyped-call]
        await working
    return found


def test_what_its_first_attempt_came_to_does_not_end_the_second() -> None:
    assert asyncio.run(work_twice()) == [[("doing",)], []]


def test_a_job_is_taken_up_whose_worker_was_last_heard_of_while_the_clock_was_ahead() -> None:
    queue = secrets.token_hex(8)
    with database().connect() as connection:
        (worker,) = connection.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() + interval '1 year') RETURNING id"
        ).fetchone() or (0,)
        connection.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status, worker_id) VALUES ($1, $1, 'doing', $2)",
            (queue, worker),
        )
        connection.execute(TAKE_UP_STALLED, (queue, 30))
        taken = "DELETE FROM procrastinate_jobs WHERE queue_name = $1 RETURNING status::text"
        assert connection.execute(taken, (queue,)).fetchall() == [("todo",)]
        connection.execute("DELETE FROM procrastinate_workers WHERE id = $1", (worker,))
