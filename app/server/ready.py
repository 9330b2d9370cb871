"""GET /ready: whether the server can do its work, for load balancers."""

import asyncio
import logging
import math
import time
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from ana.errors import AnaError
from app.server.answers import answer

SECONDS = 1.0
"""How long what was found counts: everybody may ask, and each look is work."""

_log = logging.getLogger(__name__)


class Readiness:
    """Checks the server when it is asked, one check at a time.

    Args:
        look: Raises an AnaError if the server cannot do its work; its message contains nothing about people.
    """

    def __init__(self, look: Callable[[], None]) -> None:
        self._look = look
        self._looking = asyncio.Lock()
        self._fault, self._until = "", -math.inf

    async def find_fault(self) -> str:
        """Return the reason why the server cannot do its work; empty if it can."""
        async with self._looking:
            if time.monotonic() < self._until:
                return self._fault
            fault = await asyncio.to_thread(self._try)
            if self._fault and not fault:
                _log.warning("the server is ready again")
            self._fault, self._until = fault, time.monotonic() + SECONDS
            return fault

    def _try(self) -> str:
        try:
            self._look()
        except AnaError as exc:
            if not self._fault:
                _log.warning("the server is not ready: %s %s", exc, exc.__cause__)
            return exc.message
        return ""


async def ready(request: Request) -> Response:
    """GET /ready: the server's data can be read and written; otherwise 503 and the reason. No token is needed."""
    readiness: Readiness = request.app.state.readiness
    fault = await readiness.find_fault()
    return answer({"ready": not fault} | ({"why": fault} if fault else {}), 503 if fault else 200)
