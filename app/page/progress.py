"""A running turn on the page: the calls that have run, and the text so far."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from pydantic_core import from_json

from ana.runs.port import Event, Runs
from ana.translation import _
from app.show.calls import describe_call

SENT_EVERY = 0.1
"""Seconds between two pictures of a turn at least."""
TICK = 2.0
"""Seconds after which there is another though nothing was told: it says how long the model is waited for."""

_SENTENCE_END = re.compile(r"[.!?。！？\n]+\s*")


@dataclass
class Progress:
    """The parts of a turn that are shown while it runs.

    Args:
        year: The year to omit from days.
        tell_wait: Returns a sentence about waiting for a model; empty for none.
        lines: The calls that have run, a line each.
        draft: The answer so far; a policy may still send it back.
    """

    year: int
    tell_wait: Callable[[], str] = str
    lines: list[str] = field(default_factory=list)
    draft: str = ""

    @property
    def doing(self) -> str:
        """The present step, in words."""
        return _("Writing") if self.draft else self.tell_wait() or _("Thinking")

    @property
    def settled(self) -> list[str]:
        """The sentences that are complete, for a reader that speaks them."""
        ends = [end.end() for end in _SENTENCE_END.finditer(self.draft)]
        return [told for begin, end in pairwise([0, *ends]) if (told := self.draft[begin:end].strip())]

    def read(self, event: Event) -> None:
        """Process the run's new events."""
        told = from_json(event.data) if event.name == "custom" else None
        if not isinstance(told, dict):
            return
        if "erase" in told:
            self.draft = ""
        elif "tool" in told:
            self.lines.append(describe_call(told, self.year))
        elif isinstance(told.get("draft"), str):
            self.draft += told["draft"]


async def follow(runs: Runs, id: str, progress: Progress) -> AsyncIterator[int]:
    """Yield the position in the run's events up to which it is shown, after each event and at every tick."""
    told, fresh = 0, asyncio.Event()

    async def read() -> None:
        nonlocal told
        async for event in runs.follow(id):
            progress.read(event)
            told = event.position
            fresh.set()

    reading, sent = asyncio.create_task(read()), 0
    reading.add_done_callback(lambda _: fresh.set())
    try:
        while not reading.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(fresh.wait(), TICK)
            is_tick = not fresh.is_set()
            fresh.clear()
            if told > sent or is_tick:
                sent = told
                yield told
                await asyncio.sleep(SENT_EVERY)
        if told > sent:
            yield told
        await reading
    finally:
        reading.cancel()
