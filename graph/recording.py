"""A wrapper around a node that times it and writes the turn's record when the turn has ended."""

import logging
import time
from typing import Any, Protocol

from langgraph.runtime import Runtime

from ana.ownership import Ownership, check_stopped, work
from ana.tracing.record import build_record
from graph.context import Context, context_of, run_of, thread_of
from graph.state import State, Turn
from nodes.history import this_turn
from nodes.turns import continue_turn

logger = logging.getLogger(__name__)
BEGINNING = "load_context"
"""The node that begins a turn in any case."""


class Node(Protocol):
    """The shape of every node: state and run in, part of the state out."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]: ...


def record(name: str, node: Node) -> Node:
    """Return the node with its time and the turn's record kept; one that interrupts leaves no record yet."""

    def run(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        with work() as owner:
            begun = time.perf_counter()
            found = state.get("turn")
            if name != BEGINNING:
                state = continue_turn(state, runtime)
                _note_new_turn(owner, found, state["turn"])  # before the node writes anything
            update = node(state, runtime)
            turn: Turn = update.get("turn") or state["turn"]
            _note_new_turn(owner, found, turn)
            spent = turn["durations"].get(name, 0.0) + time.perf_counter() - begun
            turn = turn | {"durations": turn["durations"] | {name: round(spent, 6)}, "run": run_of(runtime)}
            if turn["answer"] is not None:
                check_stopped()  # the answer of a stopped run reaches no state, so it is in no trace either
                write_record(state, turn, runtime)
        return update | {"turn": turn}

    run.__name__ = name
    run.__doc__ = node.__doc__
    return run


def _note_new_turn(owner: Ownership | None, found: Turn | None, turn: Turn) -> None:
    """Tell the run which turn began in it: that turn's writes go if the run is rolled back."""
    if owner and (found is None or found["id"] != turn["id"]):
        owner.turn = turn["id"]


def write_record(state: State, turn: Turn, runtime: Runtime[Context]) -> None:
    """Write the turn's record, before its answer is shown."""
    handles = context_of(runtime).handles
    messages = this_turn(state["messages"])
    record = build_record(turn, messages, thread_of(runtime), handles.settings)
    handles.traces.write(record)
    spent = sum(turn["durations"].values())
    logger.info("turn %s: %d steps, %.2f s, error %s", record["id"], len(record["steps"]), spent, record["error"])
