"""A wrapper around a node: it times it, labels the turn's run, keeps what the turn can be run again from beside its
message and the model's decisions, and writes the turn's record when the turn has ended."""

import hashlib
import json
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from datetime import UTC
from functools import cache
from typing import Any, Protocol, TypeAlias

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime

from ana import __version__
from ana.deadline import limit_time
from ana.errors import AnaError, UserError
from ana.json_lines import name_work
from ana.memory.backend import JournalPosition
from ana.memory.memory import Memory
from ana.models.providers import model_name
from ana.recent import keep_recent
from ana.stopping import check_stopped
from ana.threads.runs import Run, work
from ana.time.clock import Listener, listen
from ana.tracing.langsmith import is_on, label_run
from ana.tracing.record import add_up, read_observation
from ana.tracing.schema import Inputs, Part
from graph.context import Context, can_wait, context_of, run_of, thread_of
from graph.state import State, Turn, merge_messages
from graph.updates import keep_usable, note_usable
from nodes.attachments import left_out
from nodes.history import split_turns, this_turn
from nodes.turns import continue_turn, write_record
from tools.catalog import TOOLS, schemas

BEGINNING = "load_context"
"""The node that begins a turn in any case."""

LOOK = frozenset({"load_context", "execute_tools", "approve"})
"""The nodes that look into the store."""

Position: TypeAlias = tuple[JournalPosition, int]
"""Where a store stands: its journal, and how many items there are; 0 where nobody asked."""


class Node(Protocol):
    """The shape of every node: state and run in, part of the state out."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]: ...


class Recorded:
    """A node with its time and the turn's record kept; one that interrupts leaves no record yet.

    An object, because langgraph disassembles every plain function whenever a graph is compiled.

    Args:
        name: The node's name in the graph.
    """

    def __init__(self, name: str, node: Node) -> None:
        self.__name__, self.__doc__ = name, node.__doc__
        self._node = node

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        name = self.__name__
        with work() as present, listen() as heard:
            state = keep_usable(state)
            context, begun, found = context_of(runtime), time.perf_counter(), state.get("turn")
            name_work(person=context.handles.workspace.person, thread=thread_of(runtime), run=run_of(runtime))
            if name != BEGINNING:
                state = continue_turn(state, runtime)
                heard.part = count_parts(state["turn"])
                _note_new_turn(present, found, state["turn"])  # before the node writes anything
                label_turn(state["turn"], context)  # a turn may go on in another run, and wait or fail there
            first = heard.part == 0
            position = _find_position(context.handles.memory, first=first) if first or name in LOOK else None
            try:
                with limit_time(_count_left(context, None if name == BEGINNING else state["turn"])):
                    update = self._node(state, runtime)
            except (GraphInterrupt, AnaError) as exc:
                if name != BEGINNING:  # there the state still has the turn before this one
                    label_turn(state["turn"], context, "waiting" if isinstance(exc, GraphInterrupt) else "failed")
                raise
            turn: Turn = update.get("turn") or state["turn"]
            _note_new_turn(present, found, turn)
            inputs = turn.get("inputs") or _read_inputs(state, update, context, position)
            spent = turn["durations"].get(name, 0.0) + time.perf_counter() - begun
            turn = turn | {
                "durations": turn["durations"] | {name: round(spent, 6)},
                "inputs": _add_part(inputs, name, heard, position),
            }
            label_turn(turn, context)
            if turn["answer"] is not None:
                check_stopped()  # the answer of a stopped run reaches no state, so it is in no trace either
                model = context.model_options().get("model")
                write_record(context.handles, turn, this_turn(state["messages"]), thread_of(runtime), model)
        note_usable("turn", turn)
        return update | {"turn": turn}


def _count_left(context: Context, turn: Turn | None) -> float:
    """Return the seconds that a turn has left; None for one that begins."""
    spent = sum(turn["durations"].values()) if turn else 0.0
    return context.handles.settings.ana_turn_seconds - spent


def label_turn(turn: Turn, context: Context, *tags: str) -> None:
    """Let a run in LangSmith be found by its turn, by how that ended, and by the policies that drafts of it broke."""
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
    spent = add_up(turn, model, settings)[1] if turn["answer"] is not None else None
    label_run(labels | ({} if spent is None else {"cost_usd": spent}), tags, turn["error"])


def count_parts(turn: Turn) -> int:
    """Return how many nodes of a turn have run."""
    return len(turn["inputs"]["parts"]) if "inputs" in turn else 0


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


def _note_new_turn(run: Run | None, found: Turn | None, turn: Turn) -> None:
    """Tell the run which turn began in it: that turn's writes go if the run is rolled back."""
    if run and (found is None or found["id"] != turn["id"]):
        run.turn = turn["id"]


def _find_position(memory: Memory, *, first: bool) -> Position | None:
    """Return where the store stands, with the items if a turn begins; None if nobody can say."""
    with suppress(UserError), memory.backend.reading() if first else nullcontext():
        # whatever keeps us out: who needs the store will tell
        return memory.backend.position(), memory.count() if first else 0
    return None


def _read_inputs(state: State, update: dict[str, Any], context: Context, found: Position | None) -> Inputs:
    """Return the inputs of a turn from the state that its first node was given, and what that returned."""
    handles, settings = context.handles, context.handles.settings
    messages = _join_dropped(state["messages"], update.get("messages", []))
    *earlier, turn = split_turns(messages)
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
        history=digest_messages(messages[: len(messages) - len(turn)]),
        summary=state.get("summary", ""),
        items=found[1] if found else 0,
        lines=digest_lines(loaded["lines"]) if loaded else "",
        parts=[],
    )
    if update.get("summary", inputs["summary"]) != inputs["summary"]:
        inputs["summarised"] = update["summary"]
    return inputs


def _join_dropped(before: Sequence[AnyMessage], update: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return a thread's messages after an update, and before them those that it dropped."""
    if not update:
        return [*before]
    left = merge_messages([*before], [*update])
    kept = {message.id for message in left}
    return [*(message for message in before if message.id not in kept), *left]


def _add_part(inputs: Inputs, node: str, heard: Listener, found: Position | None) -> Inputs:
    told = [moment.astimezone(UTC).isoformat(timespec="microseconds") for moment in heard.moments]
    part = Part(node=node, clock=told)
    if found:
        part["at"] = found[0]
    return inputs | {"parts": [*inputs["parts"], part]}


def _describe(message: AnyMessage) -> str:
    """Return what counts of a message, as JSON."""
    if isinstance(message, ToolMessage):
        return _describe_result(message.type, message.text, message.name, message.status)
    if isinstance(message, AIMessage):
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        return _to_json([message.type, message.text, [(call["name"], call["args"]) for call in calls]])
    return _to_json([message.type, message.text])


@keep_recent(1000)  # each turn digests all earlier ones
def _describe_result(type: str, text: str, name: str | None, status: str) -> str:
    return _to_json([type, read_observation(text), name, status])


def _digest(value: object) -> str:
    return _digest_text(_to_json(value))


def _digest_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _to_json(value: object) -> str:
    return json.dumps(value, default=str)
