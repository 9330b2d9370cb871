"""Undoing and forgetting: the pages that ask before something is overwritten or permanently removed."""

from ana.memory.others import claim_turn
from ana.memory.undo import undo
from app.forgetting.plan import Plan, make_plan
from app.page.visits import Page, Visit, go_on, keep_here
from app.server.request_threads import run_in_threadpool
from app.server.stopping import forget


def take_back(visit: Visit) -> Page | str:
    """POST /app/undo: undo a turn; records that have changed since are shown first."""
    turn = visit.read("turn")
    undone = undo(visit.handles.memory, turn, override=bool(visit.read("override")))
    if undone.conflicts and not undone.name:
        there = keep_here(visit.read("next"), "/chat")
        return Page("conflicts.html", conflicts=undone.conflicts, turn=turn, next=there)
    return visit.go_back("/chat", undone.name)


def claim(visit: Visit) -> str:
    """POST /app/mine: {turn}: mark the texts that a turn wrote as the person's own words."""
    claim_turn(visit.handles.memory, visit.read("turn"), visit.by)
    return visit.go_back("/chat")


def ask(visit: Visit) -> Page:
    """GET /app/forget/{name}: show what is removed with a message, an item or a line, and what stays."""
    plan = make_plan(visit.handles, visit.find("name"), with_items=False)
    return Page("forget.html", plan=plan, name=visit.find("name"), back=_find_back(plan))


async def carry_out(visit: Visit) -> str:
    """POST /app/forget/{name}: {with_items}."""
    with_items = bool(visit.read("with_items"))
    plan = await run_in_threadpool(make_plan, visit.handles, visit.find("name"), with_items=with_items)
    await forget(visit.opened, plan)
    return go_on(_find_back(plan))


def _find_back(plan: Plan) -> str:
    return f"/chat/{plan.turns[0]['thread_id']}" if plan.named else "/items"
