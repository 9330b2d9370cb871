"""Attempts at keys, slowed down for each address that makes them."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.exceptions import HTTPException

FREE = 5
"""Wrong keys of an address after which it waits."""
LONGEST = 5.0
"""Seconds that it waits at most."""
MOST_WAITING = 20
"""Requests of one address that wait at the same time; more are refused, else the wait would slow nobody down."""
MOST_ADDRESSES = 10_000
"""Those that are remembered; the oldest is forgotten."""
MOST_RIGHT = 1000
"""Right keys whose digests are remembered, those that were used last."""


@dataclass
class _Tried:
    wrong: int = 0
    last: str = ""
    until: float = 0.0
    waiting: int = 0


class Attempts:
    """Makes an address wait before its next key is looked at, the longer, the more of its keys were wrong."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    ) -> None:
        self._now = now
        self._sleep = sleep
        self._tried: OrderedDict[str, _Tried] = OrderedDict()
        self._right: OrderedDict[str, None] = OrderedDict()

    async def wait(self, address: str, digest: str) -> None:
        """Wait until a key of this address may be looked at, unless it is known to have been right: whoever guesses can
        share an address, as that of a house or of a proxy, with people who have a key.

        Raises:
            HTTPException: Too many requests of the address wait.
        """
        if digest in self._right:
            return
        tried = self._tried.get(address, _Tried())
        seconds = tried.until - self._now()
        if seconds > 0:
            if tried.waiting >= MOST_WAITING:
                raise HTTPException(429, "Too many wrong tokens came from this address; wait a few seconds.")
            tried.waiting += 1
            try:
                await self._sleep(seconds)
            finally:
                tried.waiting -= 1

    def note_right(self, digest: str) -> None:
        """Note that a key was right."""
        self._right[digest] = None
        self._right.move_to_end(digest)
        if len(self._right) > MOST_RIGHT:
            self._right.popitem(last=False)

    def note_wrong(self, address: str, digest: str) -> None:
        """Note that a key was wrong; the same one again, as of a device that was signed out, is no further guess."""
        self._right.pop(digest, None)
        tried = self._tried.setdefault(address, _Tried())
        self._tried.move_to_end(address)
        if digest == tried.last:
            return
        tried.wrong, tried.last = tried.wrong + 1, digest
        if tried.wrong > FREE:
            tried.until = self._now() + min(0.1 * 2 ** min(tried.wrong - FREE, 10), LONGEST)
        while len(self._tried) > MOST_ADDRESSES:
            self._tried.popitem(last=False)
