"""Runs in this process. Their events are kept in memory: after a restart only the thread's state shows that a run
existed.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, Protocol

from pydantic_core import to_json

from ana.errors import AnaError, RunRejected
from ana.runs.port import Event, StartedRun, Status, Strategy
from ana.runs.slots import Slots

REMEMBERED = 200
"""How many of a person's runs that have ended are remembered, the last ones,"""

MOST_BYTES = 8_000_000
"""and how many bytes their orders and what they told may have together."""

MOST_ACTIVE, MOST_ORDERED = 500, 32_000_000
"""How many runs of a person may wait or work at once, and how many bytes their orders may have together: they are kept
in the memory that all people share."""

logger = logging.getLogger(__name__)


Tell = Callable[[str, bytes], None]
"""Takes name and data of what a run tells."""

Work = Callable[[StartedRun], AsyncGenerator[tuple[str, bytes]]]


class Worker(Protocol):
    """The object that carries out a run."""

    def work(self, run: StartedRun) -> AsyncGenerator[tuple[str, bytes]]:
        """Yield the names and the data of the run's events.

        It is cancelled like a task; before that the run's status is set if a person has stopped it.
        """


class _LocalRun:
    """A run with its events and its task."""

    def __init__(self, run: StartedRun) -> None:
        self.run = run
        self.events: list[Event] = []
        self.size = 0
        """Bytes of what they tell."""
        self.done = asyncio.Event()
        """Set when nothing of it works any more."""
        self.task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    def tell(self, name: str, data: bytes) -> None:
        if self.run.is_active:
            self.events.append(Event(len(self.events) + 1, name, data))
            self.size += len(data)
            self._wake()

    def become(self, status: Status) -> None:
        """Note the run's status; the status of an ended run never changes."""
        if self.run.is_active:
            self.run.status, self.run.updated_at = status, datetime.now(UTC)
            self._wake()

    async def change(self) -> None:
        """Wait until the run has sent another event, or ended."""
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class LocalRuns:
    """One person's runs, as tasks of this process's event loop. Called in that loop.

    Args:
        worker: Carries them out.
        slots: The slots shared by everybody.
    """

    def __init__(self, person: str, worker: Worker, slots: Slots) -> None:
        self._person = person
        self._worker = worker
        self._slots = slots
        self._entries: dict[str, _LocalRun] = {}

    @property
    def is_idle(self) -> bool:
        """Whether no run is at work or waiting here."""
        return all(entry.done.is_set() for entry in self._entries.values())

    def count_waiting(self) -> int:
        """Return the number of runs that have not begun."""
        return sum(entry.run.status == "pending" for entry in [*self._entries.values()])

    async def start(self, run: StartedRun, strategy: Strategy) -> None:
        unended = [entry for entry in self._entries.values() if not entry.done.is_set()]
        before = [entry for entry in unended if entry.run.thread == run.thread]
        active = [entry.run.id for entry in before if entry.run.is_active]
        check_room(run, [entry.run.size for entry in unended], is_busy=bool(active) and strategy == "reject")
        if strategy == "interrupt":
            for id in active:
                self._cancel(id)
        entry = self._entries[run.id] = _LocalRun(run)
        entry.task = asyncio.create_task(self._carry_out(entry, before))
        entry.task.add_done_callback(lambda _: entry.done.set())  # also of one that is cancelled before it begins
        self._forget_oldest()

    async def find(self, id: str) -> StartedRun | None:
        entry = self._entries.get(id)
        return entry.run if entry else None

    async def list(self, thread: str) -> list[StartedRun]:
        return [entry.run for entry in reversed(self._entries.values()) if entry.run.thread == thread]

    async def find_newest(self, threads: Collection[str]) -> dict[str, StartedRun]:
        wanted = {*threads}
        runs = [entry.run for entry in self._entries.values() if entry.run.thread in wanted]
        return {run.thread: run for run in [*runs, *(run for run in runs if run.is_active)]}

    async def position(self, id: str) -> int:
        return len(self._entries[id].events)

    async def follow(self, id: str, after: int = 0) -> AsyncIterator[Event]:
        entry = self._entries.get(id)
        while entry:
            for event in entry.events[after:]:
                after = event.position
                yield event
            if after >= len(entry.events):
                if not entry.run.is_active:
                    return
                await entry.change()

    async def join(self, id: str) -> None:
        if entry := self._entries.get(id):
            await entry.done.wait()

    async def cancel(self, id: str) -> None:
        self._cancel(id)

    async def forget(self, id: str) -> None:
        self._entries.pop(id, None)

    def _cancel(self, id: str) -> None:
        entry = self._entries.get(id)
        if entry is None or not entry.run.is_active:
            return
        entry.become("interrupted")
        assert entry.task is not None
        entry.task.cancel()

    async def close(self) -> None:
        """Stop every run, as the person could do, and wait until all have ended."""
        entries = [*self._entries.values()]
        for each in entries:
            self._cancel(each.run.id)
        await asyncio.gather(*(each.task for each in entries if each.task), return_exceptions=True)

    async def _carry_out(self, entry: _LocalRun, before: Sequence[_LocalRun]) -> None:
        run = entry.run
        try:
            await asyncio.sleep(run.order.get("after_seconds") or 0)
            for other in before:
                await other.done.wait()
            async with self._slots.take(self._person):
                entry.become("running")
                status, run.error = await carry_out(self._worker.work, run, entry.tell)
            entry.become(status)
        except asyncio.CancelledError:
            entry.become("interrupted")

    def _forget_oldest(self) -> None:
        ended, total = [entry for entry in self._entries.values() if entry.done.is_set()], 0
        for place, entry in enumerate(reversed(ended)):
            total += entry.size + entry.run.size
            if place >= REMEMBERED or total > MOST_BYTES:
                del self._entries[entry.run.id]


def check_room(run: StartedRun, sizes: Sequence[int], *, is_busy: bool) -> None:
    """Check whether a run may wait.

    Args:
        sizes: The sizes of the person's runs that have not ended.
        is_busy: Whether another run is at work although the request forbids that.

    Raises:
        RunRejected: As in `Runs.start`.
    """
    if is_busy:
        raise RunRejected("A run works in this conversation.", "Send the message again when it has ended.")
    if len(sizes) >= MOST_ACTIVE or sum(sizes) + run.size > MOST_ORDERED:
        raise RunRejected("Too many of your runs have not ended.", "Send it again when some have, or cancel them.")


async def carry_out(
    work: Work, run: StartedRun, tell: Tell, passing: tuple[type[Exception], ...] = ()
) -> tuple[Status, str | None]:
    """Carry out a run, and return its outcome, with the reason if it failed.

    Args:
        work: As `Worker.work`.
        tell: Called with every event of the run.
        passing: Errors that are raised, because another attempt may succeed.
    """
    try:
        async with aclosing(work(run)) as events:
            async for name, data in events:
                tell(name, data)
    except passing:
        raise
    except AnaError as exc:
        logger.warning("A run failed: %s", exc)
        return fail(exc, tell)
    except Exception as exc:  # whatever it is, whoever follows the run learns of it
        logger.exception("a run failed in a way that was not foreseen")
        return fail(exc, tell)
    return "success", None


def fail(exc: Exception, tell: Tell) -> tuple[Status, str]:
    """Send the reason why a run failed, and return its outcome, with the reason."""
    name = type(exc).__name__
    why = exc.sentence() if isinstance(exc, AnaError) else f"Something went wrong that was not foreseen: {name}."
    tell("error", to_json({"error": name, "message": why}))
    return "error", why


def make_run(id: str, thread: str, order: dict[str, Any], *, is_persistent: bool, size: int = 0) -> StartedRun:
    """Return a run that begins now. Arguments as of `StartedRun`."""
    return StartedRun(id, thread, order, datetime.now(UTC), is_persistent, size)
