"""Slots for simultaneous work, runs and requests, shared fairly between people."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

EACH = 4
"""How many runs of one person work at once, with questions of POST /ask; any number may wait."""

ALL = 32
"""How many runs work at once."""


class Slots:
    """A free slot goes to the person with the fewest runs at work, and among several such people to the one who has
    waited longest.

    Args:
        each: The greatest number of slots of one person.
        all: The number of all slots.
    """

    def __init__(self, each: int = EACH, all: int = ALL) -> None:
        self._each = each
        self._free = all
        self._taken: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def take(self, person: str) -> AsyncIterator[None]:
        """Hold a slot while the context is open, as soon as there is one for this person."""
        ready = asyncio.get_running_loop().create_future()
        self._waiting.append((person, ready))
        self._give()
        try:
            await ready
            yield
        finally:
            if ready.done() and not ready.cancelled():
                self._free += 1
                self._taken[person] -= 1
            else:
                self._waiting.remove((person, ready))
            self._give()

    def _give(self) -> None:
        while self._free and (entitled := [each for each in self._waiting if self._may_have(*each)]):
            person, ready = chosen = min(entitled, key=lambda each: self._taken[each[0]])
            self._waiting.remove(chosen)
            self._free -= 1
            self._taken[person] += 1
            ready.set_result(None)

    def _may_have(self, person: str, ready: asyncio.Future[None]) -> bool:
        # who waits can have been cancelled without having left yet
        return not ready.done() and self._taken[person] < self._each
