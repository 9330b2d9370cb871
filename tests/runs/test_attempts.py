"""What a run tells is written by one transaction at a time."""

import asyncio
import threading
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ana.postgres.person import PersonRows
from ana.postgres.session import Rows, Session, Statement
from ana.runs.attempts import take
from ana.runs.local import started_now
from ana.runs.notices import Notices
from ana.runs.port import StartedRun
from ana.runs.queue import QueuedRuns
from tests.postgres.server import database, server
from tests.runs.conformance import ONE, read, status


class MeetingRows(PersonRows):
    """Rows whose first transaction waits for a second one beside it."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.begun, self.met = threading.Event(), False
        self._meeting = threading.Barrier(2)

    def change(self, *statements: Statement) -> list[Rows]:
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

    async def work(self, run: StartedRun, rollback: asyncio.Event) -> AsyncGenerator[tuple[str, bytes]]:
        yield "values", b"1"
        await asyncio.to_thread(self._writing.wait)
        yield "values", b"2"

    async def clear_up(self, run: StartedRun, *, rollback: bool) -> None:
        raise AssertionError("nothing was stopped")


def test_a_run_that_ends_waits_for_what_is_being_written() -> None:
    async def check() -> None:
        notices, person = Notices(server()), str(uuid.uuid4())
        runs = QueuedRuns(PersonRows(database(), person), notices)
        run = started_now(str(uuid.uuid4()), ONE, {}, is_kept=True)
        await runs.start(run, "enqueue")
        rows = MeetingRows(database(), person)
        attempt = take(rows, run.id)
        assert attempt
        await attempt.carry_out(HastyWorker(rows.begun), notices)
        assert [event.data for event in await read(runs, run.id)] == [b"1", b"2"]
        assert (await status(runs, run.id), rows.met) == ("success", False)

    asyncio.run(check())
