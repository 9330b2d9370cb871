"""Attempts at codes, slowed down separately for each address.

A code is short, because people type it. A token has 256 random bits, which nobody can guess.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.exceptions import HTTPException

FREE = 5
"""Wrong codes of an address after which it waits."""
LONGEST = 5.0
"""Seconds that it waits at most."""
MOST_WAITING = 20
"""Requests of one address that wait at the same time; more are refused, else the wait would slow nobody down."""
MOST_ADDRESSES = 10_000
"""Those that are remembered; the oldest is forgotten."""


@dataclass
class _Tried:
    wrong: int = 0
    until: float = 0.0
    waiting: int = 0


class Attempts:
    """Makes an address wait before its next code is checked; each wrong code makes the wait longer."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._tried: OrderedDict[str, _Tried] = OrderedDict()

    async def wait(self, address: str) -> None:
        """Wait until a code from this address may be checked.

        Raises:
            HTTPException: Too many requests of the address wait.
        """
        tried = self._tried.get(address, _Tried())
        seconds = tried.until - self._now()
        if seconds > 0:
            if tried.waiting >= MOST_WAITING:
                raise HTTPException(429, "Too many wrong codes came from this address; wait a few seconds.")
            tried.waiting += 1
            try:
                await self._sleep(seconds)
            finally:
                tried.waiting -= 1

    def note_wrong(self, address: str) -> None:
        """Note that a code was wrong."""
        tried = self._tried.setdefault(address, _Tried())
        self._tried.move_to_end(address)
        tried.wrong += 1
        if tried.wrong > FREE:
            tried.until = self._now() + min(0.1 * 2 ** min(tried.wrong - FREE, 10), LONGEST)
        while len(self._tried) > MOST_ADDRESSES:
            self._tried.popitem(last=False)
