"""Answers to clients, in the shapes of the LangGraph API."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import StateSnapshot
from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python

from ana.runs.port import StartedRun

GRAPH = "ana"
ASSISTANT = "d08878ff-f562-5f95-b211-cd9792fea164"
"""The id that LangGraph gives a graph of this name, so that what front ends keep of it holds here."""
DESCRIPTION = (
    "A personal assistant. Say in everyday words what to keep, find, change, calculate or remember: tasks, notes, "
    "appointments, lasting facts about the person. What it did is receipted and can be undone."
)

_CONFIG_KEYS = ("checkpoint_id", "thread_id", "checkpoint_ns", "checkpoint_map")

Json = dict[str, Any]


def dump(value: Any) -> bytes:
    """Return a value as JSON; half a surrogate pair, which no encoding can represent, is written as an escape."""
    try:
        return to_json(value, fallback=str)
    except PydanticSerializationError:
        return json.dumps(to_jsonable_python(value, fallback=str)).encode()


def show_assistant() -> Json:
    """Return the only assistant: the graph, with the options of the deployment."""
    return {
        "assistant_id": ASSISTANT,
        "graph_id": GRAPH,
        "name": GRAPH,
        "description": DESCRIPTION,
        "config": {},
        "context": {},
        "metadata": {"created_by": "system"},
        "version": 1,
        "created_at": _started(),
        "updated_at": _started(),
    }


@cache
def _started() -> str:
    return datetime.now(UTC).isoformat()


def show_run(run: StartedRun) -> Json:
    """Return a run."""
    return {
        "run_id": run.id,
        "thread_id": run.thread,
        "assistant_id": ASSISTANT,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
        "status": run.status,
        "metadata": run.order.get("metadata") or {},
        "kwargs": {name: run.order.get(name) for name in ("input", "command", "config", "context", "stream_mode")},
        "multitask_strategy": run.order.get("multitask_strategy") or "enqueue",
    }


def show_checkpoint(config: RunnableConfig | None) -> Json | None:
    """Return the address of a state's checkpoint; None if it has none."""
    place = (config or {}).get("configurable") or {}
    return {name: place[name] for name in _CONFIG_KEYS if name in place} if place.get("checkpoint_id") else None


def show_state(state: StateSnapshot) -> Json:
    """Return a state of a thread."""
    here, parent = show_checkpoint(state.config), show_checkpoint(state.parent_config)
    return {
        "values": state.values,
        "next": state.next,
        "tasks": [task._asdict() | {"checkpoint": None, "state": None} for task in state.tasks],
        "metadata": state.metadata,
        "created_at": state.created_at,
        "checkpoint": here,
        "parent_checkpoint": parent,
        "interrupts": state.interrupts,
        # of an earlier form of the API
        "checkpoint_id": here and here["checkpoint_id"],
        "parent_checkpoint_id": parent and parent["checkpoint_id"],
    }
