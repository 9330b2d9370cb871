"""A route around create_agent, which a turn through the API is measured against.

Usage: python -m evals.bench.plain_server --port PORT
"""

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
from nodes.reason import system_prompt


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
    routes = [Route("/ok", lambda _: Response("ok")), Route("/turn/{thread}", turn, methods=["POST"])]
    app = Starlette(routes=routes, lifespan=serve_agent)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[-1]), log_level="warning")


if __name__ == "__main__":
    main()
