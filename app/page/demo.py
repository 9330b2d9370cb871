"""The end of a demo, from the page."""

import asyncio

from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

from app.page.visits import Page, Visit

SECONDS = 1.0
"""How long the page that says so has for what it loads."""


def end(visit: Visit) -> Page:
    """POST /app/demo/end: the server ends, and its folder is deleted; the browser deletes its data of this address."""
    state = visit.request.app.state
    if state.end_demo is None:
        raise HTTPException(404, "This is no demo.")

    async def finish() -> None:
        await asyncio.sleep(SECONDS)
        state.end_demo()

    dropped = {"clear-site-data": '"cache", "storage"'}
    return Page("demo_ended.html", headers=dropped, background=BackgroundTask(finish))
