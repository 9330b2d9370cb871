"""A wrapper around a node: it times the node, labels the turn's run, keeps the inputs from which the turn can be run
again, and writes the turn's record when the turn has ended.
"""

import hashlib
import json
import os
import time
from functools import cache
from typing import Any, Protocol

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime

from ana import __version__
from ana.deadline import limit_time
from ana.errors import AnaError
from ana.json_lines import name_work
from ana.models.providers import model_name
from ana.stopping import check_stopped
from ana.threads.runs import work
from ana.tracing.langsmith import hides, is_on, label_run
from ana.tracing.record import add_up
from ana.tracing.schema import Inputs
from ana.translation import speaking
from graph.context import Context, context_of, run_of, thread_of
from graph.state import State, Turn, merge_messages
from graph.updates import keep_usable, note_usable
from nodes.attachments import list_unread
from nodes.history import split_turns, this_turn
from nodes.turns import continue_turn, make_record
from nodes.view import read_view
from prompts import read_template
from tools.catalog import TOOLS, schemas

BEGINNING = "load_context"
"""The node that begins a turn in any case."""

PROMPTS = ("system", "now", "correction", "decision")
"""What a model is sent in a turn."""


class Node(Protocol):
    """The shape of every node: state and run in, part of the state out."""

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]: ...


class Recorded:
    """A node whose time is measured and whose turn is recorded; a node that interrupts leaves no record yet.

    It is an object, because langgraph disassembles every plain function whenever a graph is compiled.

    Args:
        name: The node's name in the graph.
    """

    def __init__(self, name: str, node: Node) -> None:
        self.__name__, self.__doc__ = name, node.__doc__
        self._node = node

    def __call__(self, state: State, runtime: Runtime[Context]) -> dict[str, Any]:
        name = self.__name__
        context = context_of(runtime)
        with work(), speaking(context.spoken):
            state, begun = keep_usable(state), time.perf_counter()
            name_work(person=context.handles.workspace.person, thread=thread_of(runtime), run=run_of(runtime))
            if name != BEGINNING:
                state = continue_turn(state, runtime)
                label_turn(state["turn"], context)  # a turn may go on in another run, and wait or fail there
            taken = 0.0 if name == BEGINNING else sum(state["turn"]["durations"].values())
            try:
                with limit_time(context.handles.settings.ana_turn_seconds - taken):
                    update = self._node(state, runtime)
            except (GraphInterrupt, AnaError) as exc:
                if name != BEGINNING:  # there the state still has the turn before this one
                    label_turn(state["turn"], context, "waiting" if isinstance(exc, GraphInterrupt) else "failed")
                raise
            turn: Turn = update.get("turn") or state["turn"]
            inputs = turn.get("replay") or _read_inputs(state, update, context)
            spent = turn["durations"].get(name, 0.0) + time.perf_counter() - begun
            turn = turn | {
                "durations": turn["durations"] | {name: round(spent, 6)},
                "replay": inputs | {"nodes": [*inputs["nodes"], name]},
            }
            label_turn(turn, context, *(_name_sources(state, context) if name == "reason" else ()))
            if turn["answer"] is not None:
                check_stopped()  # the answer of a stopped run reaches no state, so it is in no trace either
                model, messages = context.model_options().get("model"), this_turn(state["messages"])
                record = make_record(context.handles, turn, messages, thread_of(runtime), model)
                context.handles.traces.write(record)
        note_usable("turn", turn)
        return update | {"turn": turn}


def label_turn(turn: Turn, context: Context, *tags: str) -> None:
    """Label a run in LangSmith with its turn, the turn's outcome, and the policies that its drafts broke."""
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


def _name_sources(state: State, context: Context) -> set[str]:
    """Return a tag for each source of the text by others that a model was shown; only its kind if inputs are hidden."""
    if not is_on(os.environ):
        return set()
    sources = {text.source for text in read_view(state, context.handles.memory)}
    return {f"source:{source.partition(' ')[0] if hides() else source}" for source in sources}


@cache
def digest_prompts() -> str:
    """Return a fingerprint of the prompts that a model is sent in a turn."""
    return _digest([read_template(name) for name in PROMPTS])


@cache
def digest_tools(modules: tuple[str, ...]) -> dict[str, str]:
    """Return a fingerprint of the schemas of our tools, under `ana`, and of each of the person's own."""
    by_name = {schema["function"]["name"]: schema for schema in schemas(modules)}
    own = {name: _digest(schema) for name, schema in by_name.items() if name not in TOOLS}
    return {"ana": _digest([by_name[name] for name in TOOLS]), **own}


def _read_inputs(state: State, update: dict[str, Any], context: Context) -> Inputs:
    """Return the inputs for running a turn again: the state that its first node got, and the update that this node
    returned.
    """
    messages = merge_messages([*state["messages"]], update.get("messages", []))
    *earlier, turn = split_turns(messages)
    inputs = Inputs(
        version=__version__,
        tools=digest_tools(context.handles.settings.tools_modules),
        prompts=digest_prompts(),
        nodes=[],
        left_out=list_unread(turn[0]),
        turns=len(earlier),
        summary=update.get("summary", state.get("summary", "")),
    )
    if context.spoken != "en":
        inputs["language"] = context.spoken
    return inputs


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, default=str).encode()).hexdigest()[:16]
