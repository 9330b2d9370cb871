"""What a run tells is written by one transaction at a time."""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from ana.errors import PersonRemoved, StoreBroken
from ana.postgres.person import PersonRows
from ana.postgres.session import Session
from ana.runs.attempts import take
from ana.runs.local import make_run
from ana.runs.port import StartedRun
from ana.runs.queue import QueuedRuns
from ana.tables import Rows, Statement
from tests.postgres.server import database
from tests.runs.conformance import ONE, read, status


class MeetingRows(PersonRows):
    """Rows whose first transaction waits for a second one beside it."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.begun, self.met = threading.Event(), False
        self._meeting = threading.Barrier(2)

    def change(self, *statements: Statement, waits: bool = True) -> list[Rows]:
        with super().write() as session:
            return session.run(*statements, commits=True)

    @contextmanager
    def write(self) -> Iterator[Session]:
        self.begun.set()
        with suppress(threading.BrokenBarrierError):  # from the first one on that nobody met
            self._meeting.wait(0.3)
            self.met = True
        with super().write() as session:
            yield session


class HastyWorker:
    """Ends while what it told is written."""

    def __init__(self, writing: threading.Event) -> None:
        self._writing = writing

    async def work(self, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        yield "values", b"1"
        await asyncio.to_thread(self._writing.wait)
        yield "values", b"2"


def test_a_run_that_ends_waits_for_what_is_being_written() -> None:
    async def check() -> None:
        person = str(uuid.uuid4())
        runs = QueuedRuns(PersonRows(database(), person))
        run = make_run(str(uuid.uuid4()), ONE, {}, is_persistent=True)
        await runs.start(run, "enqueue")
        rows = MeetingRows(database(), person)
        attempt = take(rows, run.id)
        assert attempt
        await attempt.carry_out(HastyWorker(rows.begun).work)
        assert [event.data for event in await read(runs, run.id)] == [b"1", b"2"]
        assert (await status(runs, run.id), rows.met) == ("success", False)

    asyncio.run(check())


class FailingRows(PersonRows):
    """Rows that can be read only every third time."""

    reads = 0

    def read(self, *statements: Statement) -> list[Rows]:
        self.reads += 1
        if self.reads % 3:
            raise StoreBroken("The database cannot be used.", "Try again.")
        return super().read(*statements)


def test_whoever_follows_a_run_goes_on_when_the_database_can_be_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ana.runs.queue._AGAIN_SECONDS", 0.01)

    async def check() -> None:
        rows = FailingRows(database(), str(uuid.uuid4()))
        runs, run = QueuedRuns(rows), make_run(str(uuid.uuid4()), ONE, {}, is_persistent=True)
        await runs.start(run, "enqueue")
        following = asyncio.create_task(read(runs, run.id))
        attempt = take(rows, run.id)
        assert attempt
        (writing := threading.Event()).set()
        await attempt.carry_out(HastyWorker(writing).work)
        assert [event.data for event in await following] == [b"1", b"2"]
        await runs.join(run.id)
        assert rows.reads >= 6

    asyncio.run(asyncio.wait_for(check(), 60))


def test_whoever_follows_a_run_is_told_when_the_database_stays_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ana.runs.queue._AGAIN_SECONDS", 0.0)
    monkeypatch.setattr("ana.runs.queue._PATIENCE", -1.0)

    async def check() -> None:
        rows = FailingRows(database(), str(uuid.uuid4()))
        runs = QueuedRuns(rows)
        for look in (read, QueuedRuns.join):
            with pytest.raises(StoreBroken, match="cannot be used"):
                await look(runs, str(uuid.uuid4()))
        assert rows.reads == 2

    asyncio.run(check())


class RemovedRows(PersonRows):
    """Rows of a person who was removed."""

    reads = 0

    def read(self, *statements: Statement) -> list[Rows]:
        self.reads += 1
        raise PersonRemoved


def test_whoever_follows_a_run_of_a_removed_person_does_not_wait_for_the_database() -> None:
    rows = RemovedRows(database(), str(uuid.uuid4()))
    with pytest.raises(PersonRemoved):
        asyncio.run(asyncio.wait_for(read(QueuedRuns(rows), str(uuid.uuid4())), 20))
    assert rows.reads == 1
