"""The spec of what carries out runs, written once, as checks that run on every implementation.

A check takes a function that opens a person's runs over a worker, and raises where the implementation is wrong.
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from ana.errors import RunRejected, StoreBusy
from ana.runs.local import Worker, make_run
from ana.runs.port import Event, Runs, StartedRun, Strategy

OpenRuns = Callable[[Worker], Runs]
ONE, TWO = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001", "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"


class ScriptedWorker:
    """Tells two things of each run, and waits between them until it may go on; fails where the order says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.overlapped: list[str] = []
        self.may_go_on = asyncio.Event()
        self._working: set[str] = set()

    async def work(self, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        self.begun.append(run.id)
        if run.thread in self._working:
            self.overlapped.append(run.id)
        self._working.add(run.thread)
        try:
            yield "values", b"1"
            await self.may_go_on.wait()
            if failure := run.order.get("fails"):
                raise StoreBusy(failure)
            yield "values", b"2"
        finally:
            self._working.discard(run.thread)


async def start(runs: Runs, thread: str = ONE, strategy: Strategy = "enqueue", **order: Any) -> str:
    run = make_run(str(uuid.uuid4()), thread, order, is_persistent=True)
    await runs.start(run, strategy)
    return run.id


async def status(runs: Runs, id: str) -> str:
    run = await runs.find(id)
    assert run is not None
    return run.status


async def read(runs: Runs, id: str, after: int = 0) -> list[Event]:
    return [event async for event in runs.follow(id, after)]


async def begin(runs: Runs, **order: Any) -> str:
    """Start a run, and return its id when it has told its first thing."""
    id = await start(runs, **order)
    await anext(aiter(runs.follow(id)))
    return id


async def runs_of_a_thread_work_in_order(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    first = await begin(runs)
    second, third = await start(runs), await start(runs)
    elsewhere = await begin(runs, thread=TWO)
    assert worker.begun == [first, elsewhere]
    await runs.cancel(second)
    worker.may_go_on.set()
    await runs.join(third)
    assert worker.begun == [first, elsewhere, third]
    assert [run.id for run in await runs.list(ONE)] == [third, second, first]


async def a_run_is_rejected_while_another_works(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    first = await begin(runs)
    with pytest.raises(RunRejected):
        await start(runs, strategy="reject")
    worker.may_go_on.set()
    await runs.join(first)
    second = await start(runs, strategy="reject")
    await runs.join(second)
    assert worker.begun == [first, second]


async def interrupt_stops_what_works_and_keeps_it(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    first = await begin(runs)
    second = await start(runs, strategy="interrupt")
    worker.may_go_on.set()
    await runs.join(second)
    assert (await status(runs, first), await status(runs, second)) == ("interrupted", "success")


async def every_follower_sees_the_same_from_its_position_on(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    id = await begin(runs)
    assert await runs.position(id) == 1
    early, late = (asyncio.create_task(read(runs, id, after)) for after in (0, 1))
    worker.may_go_on.set()
    told = [Event(1, "values", b"1"), Event(2, "values", b"2")]
    assert (await early, await late) == (told, told[1:])
    assert [await read(runs, id, after) for after in (0, 1, 2, 9)] == [told, told[1:], [], []]


async def a_run_can_be_stopped_before_it_begins(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    first = await begin(runs)
    id = await start(runs)
    await runs.cancel(id)
    await runs.join(id)
    worker.may_go_on.set()
    await runs.join(first)
    assert (await status(runs, id), worker.begun, await read(runs, id)) == ("interrupted", [first], [])


async def a_run_is_stopped_once_and_stays_so(open_runs: OpenRuns) -> None:
    runs = open_runs(ScriptedWorker())
    id = await begin(runs)
    await runs.cancel(id)
    await runs.cancel(id)
    await runs.join(id)
    assert (await status(runs, id), len(await read(runs, id))) == ("interrupted", 1)


async def stopping_a_run_that_has_ended_changes_nothing(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    worker.may_go_on.set()
    id = await start(runs)
    await runs.join(id)
    await runs.cancel(id)
    assert await status(runs, id) == "success"


async def a_run_that_fails_says_why_and_holds_up_nobody(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    worker.may_go_on.set()
    first = await start(runs, fails="The store is in use.")
    second = await start(runs)
    await runs.join(second)
    failed = await runs.find(first)
    assert failed is not None
    assert failed.error is not None
    assert "The store is in use." in failed.error
    assert [event.name for event in await read(runs, first)] == ["values", "error"]
    assert (failed.status, await status(runs, second)) == ("error", "success")


async def a_forgotten_run_is_in_no_list(open_runs: OpenRuns) -> None:
    runs = open_runs(worker := ScriptedWorker())
    worker.may_go_on.set()
    id = await start(runs)
    await runs.join(id)
    await runs.forget(id)
    await runs.forget(id)
    await runs.join(id)
    assert (await runs.find(id), await runs.list(ONE), await read(runs, id)) == (None, [], [])


RUNS = [
    runs_of_a_thread_work_in_order,
    a_run_is_rejected_while_another_works,
    interrupt_stops_what_works_and_keeps_it,
    every_follower_sees_the_same_from_its_position_on,
    a_run_can_be_stopped_before_it_begins,
    a_run_is_stopped_once_and_stays_so,
    stopping_a_run_that_has_ended_changes_nothing,
    a_run_that_fails_says_why_and_holds_up_nobody,
    a_forgotten_run_is_in_no_list,
]
