"""Forgetting in a server, for the page and for programs."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse

from app.forgetting.erasing import carry_out
from app.forgetting.plan import Plan, make_plan
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool
from app.server.workspaces import OpenWorkspace


async def plan_forgetting(opened: OpenWorkspace, name: str, *, with_items: bool) -> Plan:
    """Return everything that is forgotten with a message, an item or a line. Errors as of `make_plan`."""
    return await run_in_threadpool(make_plan, opened.handles, name, with_items=with_items)


async def forget(opened: OpenWorkspace, plan: Plan) -> None:
    """Forget everything in a plan, and the ended runs of its conversations. Raises StoreBusy if one is in use."""
    await asyncio.to_thread(carry_out, opened.turns.assistant, plan)
    for thread in plan.threads:
        for run in await opened.runs.list(thread):
            if not run.is_active:
                await opened.runs.forget(run.id)


async def answer_forget(request: Request) -> JSONResponse:
    """GET /forget/{name}: what is removed with a message, an item or `line 3`, and what stays; POST forgets it
    permanently.

    ?with_items=1 includes the items that the forgotten messages stored.
    """
    with_items = request.query_params.get("with_items", "") not in ("", "0")
    opened = await find_workspace(request)
    plan = await plan_forgetting(opened, request.path_params["name"], with_items=with_items)
    if request.method == "POST":
        await forget(opened, plan)
    return JSONResponse(plan.to_json())
