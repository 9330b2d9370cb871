"""Turns as stories: what was asked, what was done with which timings and costs, and the same run again."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from ana.errors import NotFound
from ana.evaluations import read_evaluations
from ana.handles import Handles
from ana.tracing.schema import CORE, DISPLAY_FIELDS, FOLLOWED, Record, find_fault, list_nodes
from ana.translation import _
from app.costs import add_up
from app.demo import RECORDED
from app.page.conversations import show_turn
from app.page.pictures import Bar, draw_arrows, draw_bars, draw_boxes, word_path
from app.page.shell import render
from app.server.answers import find_workspace
from app.server.request_threads import run_in_threadpool
from app.show.replayed import describe_cost, word_difference
from app.show.text import shorten, show_moment

CONVERSATIONS, TURNS = 20, 50
"""The turns that are listed: the last ones of the conversations used last."""

DAYS = 30
"""Days whose costs are drawn."""


@dataclass(frozen=True)
class ListedTurn:
    """A turn in the list."""

    id: str
    when: str
    question: str
    seconds: str
    spent: str
    marks: Sequence[str]


async def show_list(request: Request) -> Response:
    """GET /app/turns: the last turns, what models cost by day, and what evaluations came to."""
    handles = (await find_workspace(request)).handles
    turns = await run_in_threadpool(_list_turns, handles)
    bars, total = await run_in_threadpool(_read_costs, handles)
    evaluations = await run_in_threadpool(_list_evaluations, handles)
    return await render(request, "turns.html", turns=turns, bars=bars, total=total, evaluations=evaluations)


async def show(request: Request) -> Response:
    """GET /app/turns/{id}: a turn as a story."""
    return await _tell(request, "")


async def replay(request: Request, _: FormData) -> Response:
    """POST /app/turns/{id}: run it again with its own decisions and results, and compare."""
    handles = (await find_workspace(request)).handles
    return await _tell(request, await run_in_threadpool(_replay, handles, request.path_params["id"]))


async def _tell(request: Request, replayed: str) -> Response:
    handles = (await find_workspace(request)).handles
    story = await run_in_threadpool(_read_story, handles, request.path_params["id"])
    return await render(request, "story.html", **story, replayed=replayed)


def _list_turns(handles: Handles) -> list[ListedTurn]:
    threads = handles.workspace.open_threads()
    records = [each for id in threads.store.ids()[:CONVERSATIONS] for each in handles.traces.read(id)]
    newest = sorted(records, key=lambda record: record["ts"], reverse=True)[:TURNS]
    return [_list_turn(record, handles) for record in newest]


def _list_turn(record: Record, handles: Handles) -> ListedTurn:
    marks = [_("failed")] if record.get("error") else []
    marks += [_("sent back")] if any(step["tool"].startswith("⛔️") for step in record["steps"]) else []
    marks += [_("recorded")] if record.get("model") == RECORDED else []
    marks += [_("changed something")] if record.get("changes") else []
    usd = record.get("cost_usd")
    return ListedTurn(
        record["id"],
        show_moment(record["ts"], handles.clock),
        shorten(record["question"]),
        f"{sum(record.get('durations', {}).values()):.1f} s",
        f"${usd:.4f}" if usd else "",
        marks,
    )


def _read_costs(handles: Handles) -> tuple[Sequence[Bar], str]:
    """Return what models cost in the last days, and together; no bar if nothing is known to have cost anything."""
    begin = handles.clock.now() - timedelta(days=DAYS)
    by_day: defaultdict[str, float] = defaultdict(float)
    for day in add_up(handles.workspace, begin)[0]:
        by_day[day.day] += day.cost_usd or 0
    total = sum(by_day.values())
    return draw_bars([*by_day.items()]) if total else (), f"${total:.4f}"


def _list_evaluations(handles: Handles) -> list[tuple[str, str, list[tuple[str, int]]]]:
    """Return when each was, its model, and the share that was right of each group."""
    return [
        (
            show_moment(each.ts, handles.clock),
            each.model,
            [(group.replace("_", " "), round(100 * share)) for group, share in each.right.items()],
        )
        for each in read_evaluations(handles.workspace)
    ]


def _read_story(handles: Handles, id: str) -> dict[str, Any]:
    """Return a turn with all that is known of it."""
    record = _find(handles, id)
    path = list_nodes(record)
    durations: Mapping[str, Any] = record.get("durations", {})
    is_free = record.get("cost_usd") == 0
    return {
        "turn": show_turn(record, handles),
        "thread": record.get("thread_id", ""),
        "path": word_path(path),
        "boxes": draw_boxes(path),
        "arrows": draw_arrows(path),
        "timings": [(_(name.replace("_", " ")), f"{seconds:.3f} s") for name, seconds in durations.items()],
        "model": f"{record.get('model', '')} ({record.get('provider', '')})",
        "cost": (_("{cost}, free") if is_free else "{cost}").format(cost=describe_cost(record)),
        "error": record.get("error") or "",
    }


def _find(handles: Handles, id: str) -> Record:
    record = handles.traces.find(id)
    if record is None or record["id"] != id:
        raise NotFound("There is no such turn.", "It may have been deleted meanwhile.")
    if fault := find_fault(record, CORE, DISPLAY_FIELDS | FOLLOWED):
        raise NotFound(_("The record of this turn is damaged: {fault}.").format(fault=fault))
    return record


def _replay(handles: Handles, id: str) -> str:
    from app.replay.compare import compare
    from app.replay.rerun import list_line_texts, repeat

    record = _find(handles, id)
    thread = list(handles.traces.iter_attempts(record["thread_id"]))
    again = repeat(handles.settings, record, thread, list_line_texts(handles.memory.backend))
    return " ".join(word_difference(record, compare(record, again)))
