"""A wrapper around a node: it times it, labels the turn's run, and writes the turn's record when the turn has ended."""

import os
import time
from typing import Any, Protocol

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime

from ana.errors import AnaError
from ana.models.prices import cost
from ana.models.providers import model_name
from ana.stopping import check_stopped
from ana.threads.runs import Run, work
from ana.time.clock import listen
from ana.tracing.langsmith import is_on, label_run
from graph.context import Context, context_of, thread_of
from graph.inputs import LOOK, add_part, count_parts, find_position, read_inputs
from graph.state import State, Turn
from graph.updates import keep_usable, note_usable
from nodes.history import this_turn
from nodes.turns import continue_turn, write_record

BEGINNING = "load_context"
"""The node that begins a turn in any case."""


class Node(Protocol):
    """The shape of every node: state and run in, part of the state out."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]: ...


def record(name: str, node: Node) -> Node:
    """Return the node with its time and the turn's record kept; one that interrupts leaves no record yet."""

    def run(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        with work() as present, listen() as heard:
            state = keep_usable(state)
            context, begun, found = context_of(runtime), time.perf_counter(), state.get("turn")
            if name != BEGINNING:
                state = continue_turn(state, runtime)
                heard.part = count_parts(state["turn"])
                _note_new_turn(present, found, state["turn"])  # before the node writes anything
                label_turn(state["turn"], context)  # a turn may go on in another run, and wait or fail there
            first = heard.part == 0
            position = find_position(context.handles.memory, first=first) if first or name in LOOK else None
            try:
                update = node(state, runtime)
            except (GraphInterrupt, AnaError) as exc:
                if name != BEGINNING:  # there the state still has the turn before this one
                    label_turn(state["turn"], context, "waiting" if isinstance(exc, GraphInterrupt) else "failed")
                raise
            turn: Turn = update.get("turn") or state["turn"]
            _note_new_turn(present, found, turn)
            inputs = turn.get("inputs") or read_inputs(state, update, context, position)
            spent = turn["durations"].get(name, 0.0) + time.perf_counter() - begun
            turn = turn | {
                "durations": turn["durations"] | {name: round(spent, 6)},
                "inputs": add_part(inputs, name, heard, position),
            }
            label_turn(turn, context)
            if turn["answer"] is not None:
                check_stopped()  # the answer of a stopped run reaches no state, so it is in no trace either
                model = context.model_options().get("model")
                write_record(context.handles, turn, this_turn(state["messages"]), thread_of(runtime), model)
        note_usable("turn", turn)
        return update | {"turn": turn}

    run.__name__ = name
    run.__doc__ = node.__doc__
    return run


def label_turn(turn: Turn, context: Context, *tags: str) -> None:
    """Let a run in LangSmith be found by its turn, by how that ended, and by the policies that drafts of it broke.

    Args:
        turn: The turn.
        context: The run's.
        tags: Further tags.
    """
    if not is_on(os.environ):
        return
    settings, model = context.handles.settings, context.model or model_name(context.handles.settings)
    labels = {"turn_id": turn["id"], "provider": settings.provider, "model": model, "autonomy": context.dial}
    if policies := [correction["policy"] for correction in turn["corrections"]]:
        labels["policy_violations"] = ", ".join(policies)
        tags = (*tags, "policy_violation", *(f"policy_violation:{policy}" for policy in policies))
    if turn["error"]:
        tags = (*tags, "failed")
    # all of the turn's, also what it cost before it waited, so in no run but the one that it ends in
    spent = cost(turn["usage"], model, settings) if turn["answer"] is not None else None
    label_run(labels | ({} if spent is None else {"cost_usd": spent}), tags, turn["error"])


def _note_new_turn(run: Run | None, found: Turn | None, turn: Turn) -> None:
    """Tell the run which turn began in it: that turn's writes go if the run is rolled back."""
    if run and (found is None or found["id"] != turn["id"]):
        run.turn = turn["id"]
