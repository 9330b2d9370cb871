"""Acts by hand on the page: each is a separate turn, reported on the next page, where it can be undone; and forgetting,
which permanently removes."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.requests import Request

from ana.handles import DataHandles
from ana.memory.changes import net
from ana.memory.others import claim_turn
from ana.memory.receipts import combine_receipts, make_receipt, word_change
from ana.memory.sources import is_others
from ana.memory.undo import find_all_undone, undo
from app.forgetting.plan import Plan, make_plan
from app.page.visits import ACT, Page, Visit, go_on, keep_here
from app.server.guard import PAGE
from app.server.request_threads import run_in_threadpool
from app.server.stopping import forget

ZONE = "ana-zone"
"""The cookie in which the page's script keeps the browser's zone."""


@dataclass(frozen=True)
class Notice:
    """A message about the last act.

    Args:
        turn: The turn of the act; empty if nothing was done.
        lines: The changes, or a sentence.
        can_undo: Whether it can be taken back now.
        can_claim: Whether the person can claim the text as their own words.
    """

    turn: str
    lines: Sequence[str]
    can_undo: bool
    can_claim: bool = False


def find_place(request: Request) -> str:
    """Return the path and the query of the shown page, without its base: the address to return to after an act."""
    query = request.url.query
    return f"{request.url.path.removeprefix(PAGE)}{'?' if query else ''}{query}"


def find_notice(request: Request, handles: DataHandles) -> Notice | None:
    """Return a notice about the act that an address names, from the journal, or about a change of the person's zone.

    None if the address names no act and the zone is the same as before.
    """
    turn = request.query_params.get(ACT, "")
    zone = unquote(request.cookies.get(ZONE, "")) if not turn else ""  # what was just done is told first
    if zone not in ("", handles.clock.zone_name):
        noted = handles.workspace.whereabouts.look(handles.memory, handles.clock, zone)
        if noted.sentence:
            return Notice(noted.turn, [noted.sentence], bool(noted.turn))
    return _find_notice(handles, turn) if turn else None


def _find_notice(handles: DataHandles, turn: str) -> Notice | None:
    entries = [*reversed(handles.memory.history(turn=turn))]
    changes = net(entry.change for entry in entries)
    if not changes:
        return None
    told = combine_receipts(make_receipt(entry.change, handles.clock.zone) for entry in entries)
    # where only sources changed nothing is left to combine
    lines = [*map(word_change, told or (make_receipt(change, handles.clock.zone) for change in changes))]
    can_undo = turn not in find_all_undone(handles.memory)
    can_claim = can_undo and any(each.after and is_others(each.after.source) for each in changes)
    return Notice(turn, lines, can_undo, can_claim)


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


def ask_to_forget(visit: Visit) -> Page:
    """GET /app/forget/{name}: show what is removed with a message, an item or a line, and what stays."""
    plan = make_plan(visit.handles, visit.find("name"), with_items=False)
    return Page("forget.html", plan=plan, name=visit.find("name"), back=_find_back(plan))


async def carry_out_forgetting(visit: Visit) -> str:
    """POST /app/forget/{name}: {with_items}."""
    with_items = bool(visit.read("with_items"))
    plan = await run_in_threadpool(make_plan, visit.handles, visit.find("name"), with_items=with_items)
    await forget(visit.opened, plan)
    return go_on(_find_back(plan))


def _find_back(plan: Plan) -> str:
    return f"/chat/{plan.turns[0]['thread_id']}" if plan.named else "/items"
