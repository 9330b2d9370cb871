"""A model on loopback: it keeps what it is told, answers what begins with "What" with a sum, and works on whatever
begins with "long" until nobody waits for it.

Usage: python -m evals.load.model --port PORT
"""

import asyncio
import json
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


async def set_seconds(request: Request) -> Response:
    """PUT /seconds: how long each request takes from now on."""
    request.app.state.seconds = await request.json()
    return Response()


async def complete(request: Request) -> Response:
    """POST /v1/chat/completions: a call that keeps the message, then an answer."""
    asked = await request.json()
    await asyncio.sleep(request.app.state.seconds)
    last = asked["messages"][-1]
    if last["role"] == "tool":
        return say(asked, {"content": "Kept."})
    text = last["content"].rpartition("\n\n")[2]  # before it stands what the model is told of the time
    while text.startswith("long") and not await request.is_disconnected():
        await asyncio.sleep(0.05)
    if text.startswith("What"):
        return say(asked, {"content": "There are 1234567."})
    return say(asked, {"content": None, "tool_calls": [call("create_item", content=text)]})


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a tool call, as it stands in a reply."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"index": 0, "id": "call", "type": "function", "function": function}


def say(asked: dict[str, Any], said: dict[str, Any]) -> Response:
    """Return a reply, whole or streamed as it was asked for."""
    told: dict[str, Any] = {"id": "one", "created": 0, "model": "one", "usage": USAGE}
    why, said = "tool_calls" if "tool_calls" in said else "stop", {"role": "assistant", **said}
    if not asked.get("stream"):
        choices = [{"index": 0, "message": said, "finish_reason": why}]
        return JSONResponse(told | {"object": "chat.completion", "choices": choices})
    told["object"] = "chat.completion.chunk"
    parts = [{"index": 0, "delta": said, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": why}]
    lines = [f"data: {json.dumps(told | {'choices': [part]})}\n\n" for part in parts]
    return StreamingResponse(iter([*lines, "data: [DONE]\n\n"]), media_type="text/event-stream")


def main() -> None:
    routes = [
        Route("/ok", lambda _: Response("ok")),
        Route("/seconds", set_seconds, methods=["PUT"]),
        Route("/v1/chat/completions", complete, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    app.state.seconds = 0.0
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning")


if __name__ == "__main__":
    main()
