"""Turns as stories: the question, the steps with timings and costs, and a rerun for comparison."""

from collections import defaultdict
from datetime import timedelta
from itertools import pairwise

from ana.errors import NotFound
from ana.evaluations import read_evaluations
from ana.handles import Handles
from ana.tracing.schema import CORE, DISPLAY_FIELDS, Record, find_fault, list_nodes
from ana.translation import _
from app.costs import add_up
from app.page.visits import Page, Visit
from app.show.replayed import describe_cost, word_difference

CONVERSATIONS, TURNS = 20, 50
"""The turns that are listed: the last ones of the conversations used last."""

DAYS = 30
"""Days whose costs are drawn."""


def show_list(visit: Visit) -> Page:
    """GET /app/turns: the last turns, the cost of models by day, and the results of evaluations."""
    handles = visit.handles
    ids = handles.workspace.open_threads().store.ids()[:CONVERSATIONS]
    records = [each for id in ids for each in handles.traces.read(id)]
    newest = sorted(records, key=lambda record: record["ts"], reverse=True)[:TURNS]
    evaluations = read_evaluations(handles.workspace)
    return Page("turns.html", turns=newest, costs=_read_costs(handles), evaluations=evaluations)


def show(visit: Visit) -> Page:
    """GET /app/turns/{id}: a turn as a story."""
    return _tell(_find(visit), "")


def replay(visit: Visit) -> Page:
    """POST /app/turns/{id}: run the turn again with its own decisions and results, and compare."""
    from app.replay.compare import compare
    from app.replay.rerun import list_line_texts, repeat

    handles, record = visit.handles, _find(visit)
    thread = list(handles.traces.iter_attempts(record["thread_id"]))
    again = repeat(handles.settings, record, thread, list_line_texts(handles.memory.backend))
    return _tell(record, " ".join(word_difference(record, compare(record, again))))


def _tell(record: Record, replayed: str) -> Page:
    path, cost = list_nodes(record), describe_cost(record)
    return Page("story.html", turn=record, path=path, walked={*pairwise(path)}, cost=cost, replayed=replayed)


def _read_costs(handles: Handles) -> dict[str, float]:
    """Return the cost of models on each of the last days."""
    by_day: defaultdict[str, float] = defaultdict(float)
    for day in add_up(handles.workspace, handles.clock.now() - timedelta(days=DAYS))[0]:
        by_day[day.day] += day.cost_usd or 0
    return by_day


def _find(visit: Visit) -> Record:
    """Return the named turn. Raises NotFound if there is none, or its record is damaged."""
    id = visit.find("id")
    record = visit.handles.traces.find(id)
    if record is None or record["id"] != id:
        raise NotFound("There is no such turn.", "It may have been deleted meanwhile.")
    if fault := find_fault(record, CORE, DISPLAY_FIELDS):
        raise NotFound(_("The record of this turn is damaged: {fault}.").format(fault=fault))
    return record
