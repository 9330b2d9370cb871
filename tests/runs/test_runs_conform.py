"""Runs in this process pass the suite, and share their slots fairly."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ana.errors import RunRejected
from ana.postgres.database import open_database
from ana.postgres.person import PersonRows
from ana.runs.local import MOST_ACTIVE, MOST_ORDERED, LocalRuns, Worker, make_run
from ana.runs.port import Runs
from ana.runs.queue import QueuedRuns
from ana.runs.slots import Slots
from app.server.worker import RunWorker
from tests.examples import examples
from tests.postgres.server import new_database
from tests.runs.conformance import ONE, RUNS, TWO, OpenRuns, ScriptedWorker, begin, read, start, status

PATIENCE = 20
"""Seconds after which a check counts as one that hangs."""


def run(check: Awaitable[None]) -> None:
    asyncio.run(asyncio.wait_for(check, PATIENCE))


@pytest.mark.parametrize("check", RUNS)
def test_runs_in_this_process_conform(check: Callable[[OpenRuns], Awaitable[None]]) -> None:
    run(check(lambda worker: LocalRuns("ann", worker, Slots())))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with new_database() as url:
        yield url
        open_database(url).close()


@pytest.mark.parametrize("check", RUNS)
def test_runs_in_postgres_conform(check: Callable[[OpenRuns], Awaitable[None]], url: str) -> None:
    async def check_with_worker() -> None:
        stop, rows, working = (
            asyncio.Event(),
            PersonRows(open_database(url), str(uuid.uuid4())),
            list[asyncio.Task[None]](),
        )

        def open_runs(worker: Worker) -> Runs:
            home: Any = OneHome(worker, rows)
            working.append(asyncio.create_task(RunWorker(home, url).work(stop)))
            return QueuedRuns(rows)

        await check(open_runs)
        stop.set()
        await asyncio.gather(*working)

    run(check_with_worker())


class OneHome:
    """Workspaces of whom runs are carried out by one worker."""

    def __init__(self, worker: Worker, rows: PersonRows) -> None:
        self.worker, self.workspace = worker, SimpleNamespace(rows=rows)

    async def open(self, _: str) -> "OneHome":
        return self

    def hold(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_long_runs_of_one_person_hold_up_nobody_else() -> None:
    async def check() -> None:
        slots, worker = Slots(each=2, all=3), ScriptedWorker()
        anns, bobs = LocalRuns("ann", worker, slots), LocalRuns("bob", worker, slots)
        waiting = [await start(anns, f"thread {n}") for n in range(4)]
        bob = await begin(bobs)
        assert worker.begun == [*waiting[:2], bob]
        worker.may_go_on.set()
        for id in waiting:
            await anns.join(id)

    run(check())


@pytest.mark.parametrize(("many", "size"), [(MOST_ACTIVE, 0), (10, MOST_ORDERED // 10)])
def test_what_waits_of_one_person_has_bounds(many: int, size: int) -> None:
    async def order(runs: LocalRuns) -> str:
        run = make_run(str(uuid.uuid4()), ONE, {}, is_persistent=True, size=size)
        await runs.start(run, "enqueue")
        return run.id

    async def check() -> None:
        slots, worker = Slots(), ScriptedWorker()
        anns, bobs = LocalRuns("ann", worker, slots), LocalRuns("bob", worker, slots)
        ordered = [await order(anns) for _ in range(many)]
        with pytest.raises(RunRejected):
            await order(anns)
        await order(bobs)
        await anns.cancel(ordered[-1])
        await anns.join(ordered[-1])
        worker.may_go_on.set()
        for _ in range(2):  # those that have ended are forgotten when the next one begins
            await anns.join(await order(anns))
        assert sum(run.size for run in await anns.list(ONE)) <= MOST_ORDERED + size

    run(check())


def test_no_more_runs_work_at_once_than_there_are_slots() -> None:
    async def check() -> None:
        slots, worker = Slots(each=4, all=2), ScriptedWorker()
        people = [LocalRuns(name, worker, slots) for name in ("ann", "bob", "eve")]
        first, second = await begin(people[0]), await begin(people[1])
        third = await start(people[2])
        await people[0].cancel(first)
        await people[0].join(first)
        await anext(aiter(people[2].follow(third)))
        assert worker.begun == [first, second, third]

    run(check())


def test_runs_that_are_stopped_together_leave_their_slot() -> None:
    async def check() -> None:
        slots, worker = Slots(each=1, all=1), ScriptedWorker()
        anns, bobs = LocalRuns("ann", worker, slots), LocalRuns("bob", worker, slots)
        works = await begin(anns)
        waits = await start(anns, TWO)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await anns.close()
        assert (await status(anns, works), await status(anns, waits)) == ("interrupted", "interrupted")
        await begin(bobs, thread=ONE)

    run(check())


Step = tuple[str, int, str]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("start"), st.integers(0, 2), st.sampled_from(["enqueue", "interrupt"])),
        st.tuples(st.just("cancel"), st.integers(0, 9), st.just("")),
        st.tuples(st.just("turn"), st.integers(1, 4), st.just("")),
    ),
    max_size=14,
)


@settings(max_examples=examples(200))
@given(STEPS)
def test_whatever_is_started_and_stopped_ends_in_order_and_is_told_alike(steps: list[Step]) -> None:
    async def check() -> None:
        worker = ScriptedWorker()
        runs = LocalRuns("ann", worker, Slots(each=2, all=2))
        threads: dict[str, str] = {}
        followers = []
        for what, number, how in steps:
            if what == "start":
                id = await start(runs, f"thread {number}", how)  # type: ignore[arg-type]
                threads[id] = f"thread {number}"
                followers.append([asyncio.create_task(read(runs, id)) for _ in range(2)])
            elif what == "cancel" and threads:
                await runs.cancel([*threads][number % len(threads)])
            else:
                for _ in range(number):
                    await asyncio.sleep(0)
        worker.may_go_on.set()
        for first, second in followers:
            assert await first == await second
        for id in threads:
            await runs.join(id)
        assert runs.is_idle
        assert not worker.overlapped
        started = [*threads]
        for thread in set(threads.values()):
            begun = [id for id in worker.begun if threads[id] == thread]
            assert begun == sorted(begun, key=started.index)
        await begin(runs, thread="free")

    run(check())
