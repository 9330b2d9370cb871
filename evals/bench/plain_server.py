"""What a turn through the API is measured against: a model that takes a second, and a route around create_agent.

`python -m evals.bench.plain_server model|agent --port PORT`
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import uvicorn
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from evals.bench.turn import make_their_tools
from nodes.reason import system_prompt

STEP_SECONDS = 0.5
"""What a model call takes; a turn has two, one that calls a tool and one that answers."""

CALL = {
    "index": 0,
    "id": "call",
    "type": "function",
    "function": {"name": "query_items", "arguments": '{"text": "milk"}'},
}
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


async def complete(request: Request) -> Response:
    """POST /v1/chat/completions: a tool call after a message, an answer after a result."""
    asked = await request.json()
    await asyncio.sleep(STEP_SECONDS)
    after_tool = asked["messages"][-1]["role"] == "tool"
    said: dict[str, Any] = {"role": "assistant", "content": "Found." if after_tool else None}
    said |= {} if after_tool else {"tool_calls": [CALL]}
    told = {"id": "one", "created": 0, "model": "one", "object": "chat.completion", "usage": USAGE}
    why = "stop" if after_tool else "tool_calls"
    if not asked.get("stream"):
        return JSONResponse(told | {"choices": [{"index": 0, "message": said, "finish_reason": why}]})
    told["object"] = "chat.completion.chunk"
    parts = [{"index": 0, "delta": said, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": why}]
    lines = [f"data: {json.dumps(told | {'choices': [part]})}\n\n" for part in parts]
    return StreamingResponse(iter([*lines, "data: [DONE]\n\n"]), media_type="text/event-stream")


@asynccontextmanager
async def serve_agent(app: Starlette) -> AsyncIterator[None]:
    """Open an agent with the settings' model, our store's search as its tool, and our saver."""
    settings = load_settings()
    handles = open_handles(open_workspace(settings))
    key = settings.openai_api_key
    model = ChatOpenAI(model=settings.openai_model, base_url=settings.openai_base_url, api_key=key, temperature=0)
    async with AsyncExitStack() as stack:
        saver = await stack.enter_async_context(handles.workspace.open_thread_store().open_server_saver())
        tools = make_their_tools(handles)
        app.state.agent = create_agent(model, tools, system_prompt=system_prompt({}), checkpointer=saver)
        yield


async def turn(request: Request) -> Response:
    """POST /turn/{thread}: run a turn of the agent."""
    asked = await request.json()
    config = {"configurable": {"thread_id": request.path_params["thread"]}}
    state = await request.app.state.agent.ainvoke(asked, config)
    return JSONResponse({"answer": state["messages"][-1].text})


def main() -> None:
    kind, _, port = sys.argv[1:]
    ok = Route("/ok", lambda _: Response("ok"))
    apps = {
        "model": Starlette(routes=[ok, Route("/v1/chat/completions", complete, methods=["POST"])]),
        "agent": Starlette(routes=[ok, Route("/turn/{thread}", turn, methods=["POST"])], lifespan=serve_agent),
    }
    uvicorn.run(apps[kind], host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main()
