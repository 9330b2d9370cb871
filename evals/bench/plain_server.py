"""What a turn through the API is measured against: a model that takes a second, and a route around create_agent.

`python -m evals.bench.plain_server model|agent --port PORT`
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import uvicorn
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ana.handles import open_handles
from ana.settings import load_settings
from ana.workspace import open_workspace
from evals.bench.turn import make_their_tools
from evals.load.model import call, say
from nodes.reason import system_prompt

STEP_SECONDS = 0.5
"""What a model call takes; a turn has two, one that calls a tool and one that answers."""


async def complete(request: Request) -> Response:
    """POST /v1/chat/completions: a tool call after a message, an answer after a result."""
    body = await request.json()
    await asyncio.sleep(STEP_SECONDS)
    if body["messages"][-1]["role"] == "tool":
        return say(body, {"content": "Found."})
    return say(body, {"content": None, "tool_calls": [call("query_items", text="milk")]})


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
    body = await request.json()
    config = {"configurable": {"thread_id": request.path_params["thread"]}}
    state = await request.app.state.agent.ainvoke(body, config)
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
