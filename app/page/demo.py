"""The end of a demo, from the page."""

import asyncio
from typing import Any

from starlette.background import BackgroundTask
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.page.shell import render

SECONDS = 1.0
"""How long the page that says so has for what it loads."""


async def end(request: Request, _: FormData) -> Response:
    """POST /app/demo/end: the server ends, and its folder goes; the browser drops what it kept of this address."""
    if request.app.state.end_demo is None:
        raise HTTPException(404, "This is no demo.")
    response = await render(request, "demo_ended.html", conversations=())
    response.headers["clear-site-data"] = '"cache", "storage"'
    response.background = BackgroundTask(_end, request.app)
    return response


async def _end(app: Any) -> None:
    await asyncio.sleep(SECONDS)
    app.state.end_demo()
