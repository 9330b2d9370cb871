"""A thread in the form of the LangGraph API's row."""

import re
from datetime import datetime
from typing import Any

from langgraph.types import StateSnapshot

from ana.threads.threads import Thread
from app.show.text import shorten
from graph.context import THREAD_FIELDS
from graph.updates import keep_usable

GRAPH = "ana"
QUESTION_WIDTH = 200
"""The most characters of a first question in a row's metadata."""

OPEN_REQUEST = "asked"
"""In what is saved of a thread, the id of what waits if a run of the server asked it; no part of the server's row."""

_STEP = re.compile(r"([^.\[\]]+)|\[(-?\d{1,9})\]")

Row = dict[str, Any]


def describe_thread(state: StateSnapshot, thread: Thread) -> Row:
    """Return the row of a thread from its newest state and its traces."""
    at = datetime.fromisoformat(state.created_at) if state.created_at else None
    request_id = state.interrupts[0].id if state.interrupts and (state.metadata or {}).get("run_id") else None
    interrupts = {
        t.id: [{"id": each.id, "value": each.value} for each in t.interrupts] for t in state.tasks if t.interrupts
    }
    fields: dict[str, str] = {}
    if state.created_at:  # else nothing is told: its messages are all taken back
        turn = keep_usable(state.values).get("turn")
        question = thread.about or (turn["question"] if turn else "")  # a turn's record comes with its answer
        texts = thread.name, shorten(question, QUESTION_WIDTH), state.created_at
        fields = {name: text for name, text in zip(THREAD_FIELDS, texts, strict=True) if text}
    return {
        "created_at": datetime.fromisoformat(thread.first) if thread.first else at,
        "updated_at": at,
        "state_updated_at": at,
        "status": "interrupted" if state.next else "idle",
        "error": None,
        "values": state.values,
        "interrupts": interrupts,
        OPEN_REQUEST: request_id,
        "metadata": {"graph_id": GRAPH} | fields,
    }


def find_value(row: Row, path: str) -> Any:
    """Return the JSON value at a path of a row, like values.messages[-1].content; None if there is none."""
    value: Any = row
    for name, place in _STEP.findall(path):
        if name and isinstance(value, dict):
            value = value.get(name)
        elif place and isinstance(value, list) and -len(value) <= int(place) < len(value):
            value = value[int(place)]
        else:
            return None
    return value
