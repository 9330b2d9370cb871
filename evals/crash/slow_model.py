"""The model of evals/load, but it takes some tenths of a second, and some seconds for a text that says "slowly".

Usage: python -m evals.crash.slow_model --port PORT
"""

import asyncio
import random
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.load.model import complete

LONGEST, SLOWLY = 0.4, 4.0
"""Seconds."""


async def complete_slowly(request: Request) -> Response:
    """POST /v1/chat/completions."""
    messages = (await request.json())["messages"]
    is_slow = "slowly" in f"{messages[-1]['content']}"
    await asyncio.sleep(random.uniform(0.1, SLOWLY if is_slow else LONGEST))
    return await complete(request)


def main() -> None:
    routes = [Route("/ok", lambda _: Response("ok")), Route("/v1/chat/completions", complete_slowly, methods=["POST"])]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning")


if __name__ == "__main__":
    main()
