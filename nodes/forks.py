"""Forks: runs that go on from an earlier state of a thread, from which another run has gone on already."""

import secrets
from itertools import islice
from typing import Any

from langgraph.config import get_config
from langgraph.runtime import Runtime

from graph.context import SAVER, Context, run_of, thread_of
from graph.state import Turn

_RESUMING = "__pregel_resuming"
"""Langgraph sets it for the first node of a run that goes on from a state; the others follow from that one."""


def find_fork(turn: Turn, runtime: Runtime[Context]) -> str | None:
    """Return the checkpoint from which this run was forked; None if it goes on where the thread ended.

    A turn that is open already in this fork goes on: a crash and a resume are no forks.
    """
    configurable, info = get_config()["configurable"], runtime.execution_info
    saver = configurable.get(SAVER)
    if not configurable.get(_RESUMING) or not saver or not info:
        return None
    # langgraph names the checkpoint that a run was told to go on from in the metadata alone
    source = get_config()["metadata"].get("checkpoint_id")
    saved = _list_newest(saver, thread_of(runtime))
    if saved and saved[0][0] == info.checkpoint_id:  # else it is not saved yet, or others came after it
        source, saved = saved[0][1], saved[1:]
    is_fork = bool(source and saved) and source != saved[0][0]
    return source if is_fork and source != turn.get("fork") else None


def seed_fork(source: str, runtime: Runtime[Context]) -> str:
    """Return a seed that differs for each run forked from a checkpoint, but stays the same if a run continues."""
    here = runtime.execution_info.checkpoint_id if runtime.execution_info else ""
    # langgraph begins a fork with a checkpoint of its own, but not if it replies to what was asked there
    return here if here != source else f"{here}/{run_of(runtime) or secrets.token_hex(8)}"


def _list_newest(saver: Any, thread: str) -> list[tuple[str, str | None]]:
    """Return the ids of the two checkpoints saved last, the last one first, each with the id of its parent."""
    if hasattr(saver, "list_newest"):  # ours, which decodes nothing for it; the server's adapter lists in a loop only
        return list(saver.list_newest(thread))
    rows = islice(saver.list({"configurable": {"thread_id": thread, "checkpoint_ns": ""}}), 2)
    parents = ((row.checkpoint["id"], row.parent_config) for row in rows)
    return [(id, parent["configurable"]["checkpoint_id"] if parent else None) for id, parent in parents]
