"""A model on loopback that keeps what it is told and looks up what it is asked, and takes as long as it is told to.

Usage: python -m evals.load.model --port PORT
"""

import asyncio
import itertools
import json
import random
import sys
from collections.abc import Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}

SLOWLY = 4.0
"""Seconds at most for a message that says "slowly"."""

SUCCESS, FAILURE = "Kept.", "That failed, and it was not kept."
_MOST_CALLS = 3


async def set_seconds(request: Request) -> Response:
    """PUT /seconds: from how many to how many each request takes from now on."""
    request.app.state.seconds = await request.json()
    return Response()


async def complete(request: Request) -> Response:
    """POST /v1/chat/completions."""
    body = await request.json()
    message = reply(body["messages"])
    least, most = request.app.state.seconds
    await asyncio.sleep(random.uniform(least, SLOWLY if "slowly" in str(message) else most))
    return say(body, message)


def reply(messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the next reply: a call that keeps the message, until it is kept, or looks it up; then an answer."""
    results = [*itertools.takewhile(lambda message: message["role"] != "user", reversed(messages))]
    tried = [message["content"] for message in results if message["role"] == "tool"]
    text = messages[-len(results) - 1]["content"].rpartition("\n\n")[2]  # before it: what it is told of the time
    if text.endswith("?"):
        return {"content": "Found."} if tried else {"content": None, "tool_calls": [call("query_items", text=text)]}
    if tried and '"error"' not in tried[0]:
        return {"content": SUCCESS}
    if len(tried) == _MOST_CALLS or " put " not in text:  # else a policy has sent an answer back
        return {"content": FAILURE}
    return {"content": None, "tool_calls": [call("create_item", content=text) | {"id": f"call{len(tried)}"}]}


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a tool call, as it stands in a reply."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"index": 0, "id": "call", "type": "function", "function": function}


def say(body: dict[str, Any], message: dict[str, Any]) -> Response:
    """Return a reply, whole or streamed as it was asked for."""
    fields: dict[str, Any] = {"id": "one", "created": 0, "model": "one", "usage": USAGE}
    why, message = "tool_calls" if "tool_calls" in message else "stop", {"role": "assistant", **message}
    if not body.get("stream"):
        choices = [{"index": 0, "message": message, "finish_reason": why}]
        return JSONResponse(fields | {"object": "chat.completion", "choices": choices})
    fields["object"] = "chat.completion.chunk"
    parts = [{"index": 0, "delta": message, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": why}]
    lines = [f"data: {json.dumps(fields | {'choices': [part]})}\n\n" for part in parts]
    return StreamingResponse(iter([*lines, "data: [DONE]\n\n"]), media_type="text/event-stream")


def main() -> None:
    routes = [
        Route("/ok", lambda _: Response("ok")),
        Route("/seconds", set_seconds, methods=["PUT"]),
        Route("/v1/chat/completions", complete, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.state.seconds = (0.1, 0.4)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning")


if __name__ == "__main__":
    main()
