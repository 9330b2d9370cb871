"""What a turn can be run again from, beside its message and the model's decisions; kept in its record."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC
from functools import cache
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ana import __version__
from ana.errors import UserError
from ana.memory.backend import JournalPosition
from ana.memory.memory import Memory
from ana.recent import keep_recent
from ana.time.clock import Listener
from ana.tracing.record import read_observation
from ana.tracing.schema import Inputs, Part
from graph.context import Context, can_wait
from graph.state import State, Turn, merge_messages
from nodes.attachments import left_out
from nodes.history import MOST_MESSAGES, split_turns
from tools.catalog import TOOLS, schemas

LOOK = frozenset({"load_context", "execute_tools", "approve"})
"""The nodes that look into the store."""


@dataclass(frozen=True)
class Position:
    """Where a store stands.

    Args:
        at: Where its journal stands.
        items: How many items there are; 0 where nobody asked.
    """

    at: JournalPosition
    items: int


def read_inputs(state: State, update: dict[str, Any], context: Context, found: Position | None) -> Inputs:
    """Return the inputs of a turn whose first node has run.

    Args:
        state: The state that the node was given.
        update: What it returned.
        context: The run's.
        found: Where the store stood before it.
    """
    handles, settings = context.handles, context.handles.settings
    messages = join_dropped(state["messages"], update.get("messages", []))
    *earlier, turn = split_turns(messages)
    history = messages[: len(messages) - len(turn)]
    loaded = update.get("loaded") or state.get("loaded")
    inputs = Inputs(
        version=__version__,
        tools=digest_tools(settings.tools_modules),
        embedder=handles.memory.backend.embedder_name,
        zone=handles.clock.zone_name,
        autonomy=context.dial,
        max_steps=context.max_steps or settings.ana_max_steps,
        history_tokens=settings.ana_history_tokens,
        waits=can_wait(),
        left_out=left_out(turn[0]),
        turns=len(earlier),
        history=digest_messages(history),
        summary=state.get("summary", ""),
        items=found.items if found else 0,
        lines=digest_lines(loaded["lines"]) if loaded else "",
        parts=[],
    )
    if update.get("summary", inputs["summary"]) != inputs["summary"]:
        inputs["summarised"] = update["summary"]
    return inputs


def join_dropped(before: Sequence[AnyMessage], update: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return a thread's messages after an update, and before them those that it dropped."""
    if not update:
        return [*before]
    left = merge_messages([*before], [*update])
    kept = {message.id for message in left}
    return [*(message for message in before if message.id not in kept), *left]


def add_part(inputs: Inputs, node: str, heard: Listener, found: Position | None) -> Inputs:
    """Return the inputs with one more run of a node."""
    told = [moment.astimezone(UTC).isoformat(timespec="microseconds") for moment in heard.moments]
    part = Part(node=node, clock=told)
    if found:
        part["at"] = found.at
    return inputs | {"parts": [*inputs["parts"], part]}


def count_parts(turn: Turn) -> int:
    """Return how many nodes of a turn have run."""
    return len(turn["inputs"]["parts"]) if "inputs" in turn else 0


def find_position(memory: Memory, *, first: bool) -> Position | None:
    """Return where the store stands; None if nobody can say.

    Args:
        memory: The store.
        first: Whether a turn begins, so that the items count.
    """
    with suppress(UserError), memory.backend.reading() if first else nullcontext():
        # whatever keeps us out: who needs the store will tell
        return Position(memory.backend.position(), memory.count() if first else 0)
    return None


def digest_messages(messages: Sequence[AnyMessage]) -> str:
    """Return a fingerprint of a conversation."""
    return _digest_text(f"[{', '.join(map(_describe, messages))}]")


def digest_lines(lines: dict[int, str]) -> str:
    """Return a fingerprint of Global Context."""
    return _digest(sorted(lines.items()))


@cache
def digest_tools(modules: tuple[str, ...]) -> dict[str, str]:
    """Return a fingerprint of the schemas of our tools, under `ana`, and of each of the person's own."""
    by_name = {schema["function"]["name"]: schema for schema in schemas(modules)}
    own = {name: _digest(schema) for name, schema in by_name.items() if name not in TOOLS}
    return {"ana": _digest([by_name[name] for name in TOOLS]), **own}


def _describe(message: AnyMessage) -> str:
    """Return what counts of a message, as JSON."""
    if isinstance(message, ToolMessage):
        return _describe_text(message.type, message.text, message.name, message.status)
    if isinstance(message, AIMessage) and (calls := [*message.tool_calls, *message.invalid_tool_calls]):
        return _to_json([message.type, message.text, [(call["name"], call["args"]) for call in calls]])
    return _describe_text(message.type, message.text)


@keep_recent(MOST_MESSAGES)  # each turn digests all earlier ones
def _describe_text(type: str, text: str, *result: str | None) -> str:
    """Return what counts of a message without calls, as JSON.

    Args:
        type: Its type.
        text: Its text.
        result: Name and status of the tool whose result it is.
    """
    if type == "tool":
        return _to_json([type, read_observation(text), *result])
    return _to_json([type, text, []] if type == "ai" else [type, text])


def _digest(value: object) -> str:
    return _digest_text(_to_json(value))


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _to_json(value: object) -> str:
    return json.dumps(value, default=str)
