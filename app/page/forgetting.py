"""Taking back and forgetting: the pages that ask before something is overwritten, or is gone for good."""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.memory.changes import make_edit
from ana.memory.others import claim_turn
from ana.memory.receipts import describe_difference
from ana.memory.undo import undo
from app.forgetting.plan import Plan
from app.page.acts import go_on, keep_here
from app.page.forms import read_text
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.forgetting import forget, plan_forgetting
from app.server.request_threads import run_in_threadpool


async def take_back(request: Request, form: FormData) -> Response | str:
    """POST /app/undo: take back what a turn did; what has changed since is shown first."""
    handles, turn, there = (await find_workspace(request)).handles, read_text(form, "turn"), read_text(form, "next")
    undone = await run_in_threadpool(undo, handles.memory, turn, override=bool(read_text(form, "override")))
    if undone.conflicts and not undone.name:
        told = [describe_difference(each.after, each.now) for each in undone.conflicts]
        return await render(request, "conflicts.html", conflicts=told, turn=turn, next=there)
    return go_on(keep_here(there), undone.name)


async def claim(request: Request, form: FormData) -> str:
    """POST /app/mine: {turn}: what a turn wrote becomes the person's own words."""
    memory, by = (await find_workspace(request)).handles.memory, make_edit()
    changes = await run_in_threadpool(claim_turn, memory, read_text(form, "turn"), by)
    return go_on(keep_here(read_text(form, "next")), by.turn if changes else "")


async def ask(request: Request) -> Response:
    """GET /app/forget/{name}: what goes with a message, an item or a line, and what stays."""
    name = request.path_params["name"]
    plan = await plan_forgetting(await find_workspace(request), name, with_items=False)
    return await render(
        request,
        "forget.html",
        part="items",
        name=name,
        parts=plan.list_parts(),
        stored=plan.stored,
        back=_find_back(plan),
    )


async def carry_out(request: Request, form: FormData) -> str:
    """POST /app/forget/{name}: {with_items}."""
    opened, with_items = await find_workspace(request), bool(read_text(form, "with_items"))
    plan = await plan_forgetting(opened, request.path_params["name"], with_items=with_items)
    await forget(opened, plan)
    return go_on(_find_back(plan))


def _find_back(plan: Plan) -> str:
    return f"/chat/{plan.turns[0]['thread_id']}" if plan.named else "/items"
