"""A model on loopback that takes some tenths of a second, keeps what it is told, and tries again what failed.

Usage: python -m evals.crash.slow_model --port PORT
"""

import asyncio
import itertools
import random
import sys
from collections.abc import Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.load.model import call, say

LONGEST, SLOWLY = 0.4, 4.0
"""Seconds; the second for a message that says "slowly"."""

KEPT, NOT_KEPT = "Kept.", "That failed, and it was not kept."
_MOST_CALLS = 3


async def complete(request: Request) -> Response:
    """POST /v1/chat/completions."""
    asked = await request.json()
    said = reply(asked["messages"])
    await asyncio.sleep(random.uniform(0.1, SLOWLY if "slowly" in str(said) else LONGEST))
    return say(asked, said)


def reply(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the next reply: a call that keeps the message, until it is kept, then an answer."""
    results = [*itertools.takewhile(lambda message: message["role"] != "user", reversed(messages))]
    tried = [message["content"] for message in results if message["role"] == "tool"]
    text = messages[-len(results) - 1]["content"].rpartition("\n\n")[2]  # before it: what it is told of the time
    if tried and '"error"' not in tried[0]:
        return {"content": KEPT}
    if len(tried) == _MOST_CALLS or " put " not in text:  # else a policy has sent an answer back
        return {"content": NOT_KEPT}
    return {"content": None, "tool_calls": [call("create_item", content=text) | {"id": f"call{len(tried)}"}]}


def main() -> None:
    routes = [Route("/ok", lambda _: Response("ok")), Route("/v1/chat/completions", complete, methods=["POST"])]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning")


if __name__ == "__main__":
    main()
