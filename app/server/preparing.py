"""Work for which the first views of the page would have to wait, done once a server has begun to answer."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Event, Thread

from app.due import group_due
from app.meanwhile import PASSING
from app.server.workspaces import OpenWorkspace

PAUSE = 0.01
"""Seconds between checks for a request in progress, which the search would slow down."""


@asynccontextmanager
async def preparing(opened: OpenWorkspace) -> AsyncIterator[None]:
    """Read what is due, and after the first request search once, in a thread, while the context is open.

    The search begins while no request of this person is answered. Whoever asks for the same is told of faults.
    """
    ended = Event()

    def take_steps() -> None:
        with suppress(*PASSING):
            group_due(opened.handles)
        opened.asked.wait()  # who never asks needs no encoder and no Chroma in memory
        while opened.requests and not ended.wait(PAUSE):
            pass
        if not ended.is_set():
            opened.handles.prepare_search()

    taking = Thread(target=take_steps, daemon=True)  # a server that cannot start must end
    taking.start()
    try:
        yield
    finally:
        ended.set()
        opened.asked.set()
        await asyncio.to_thread(taking.join)
