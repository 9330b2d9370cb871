"""The page that asks before something is forgotten."""

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from app.forgetting.plan import Plan
from app.page.acts import go_on
from app.page.forms import read_text
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.forgetting import forget, plan_forgetting


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
        notice=None,
    )


async def carry_out(request: Request, form: FormData) -> str:
    """POST /app/forget/{name}: {with_items}."""
    opened, with_items = await find_workspace(request), bool(read_text(form, "with_items"))
    plan = await plan_forgetting(opened, request.path_params["name"], with_items=with_items)
    await forget(opened, plan)
    return go_on(_find_back(plan))


def _find_back(plan: Plan) -> str:
    return f"/chat/{plan.turns[0]['thread_id']}" if plan.named else "/items"
