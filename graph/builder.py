"""The state machine: the nodes and their order."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, get_args, get_type_hints

from langchain_core.runnables import Runnable
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ana.handles import Handles
from graph.context import Context
from graph.recording import Recorded
from graph.state import Input, Output, State
from graph.updates import keep_usable
from nodes.approve import approve
from nodes.execute_tools import execute_tools
from nodes.history import find_pending, is_answered, this_turn
from nodes.load_context import load_context
from nodes.reason import reason
from nodes.reflect import reflect
from tools.catalog import catalog


def after_reason(state: State) -> Literal["execute_tools", "reflect"]:
    """Run the calls of the last message; without calls the reply is a draft."""
    return "execute_tools" if find_pending(keep_usable(state)["messages"]) else "reflect"


def after_execute_tools(state: State) -> Literal["approve", "execute_tools", "reason"]:
    """Ask the person if a call waits for approval; run the remaining calls, then let the model go on."""
    state = keep_usable(state)
    turn = state.get("turn")
    if turn and turn.get("asked"):
        return "approve"
    return "execute_tools" if find_pending(state["messages"]) else "reason"


def after_reflect(state: State) -> Literal["reason", "__end__"]:
    """End with the answer; a draft that was sent back, or a message put in by a client, goes to the model."""
    state = keep_usable(state)
    turn = state.get("turn")
    return "__end__" if turn and turn["answer"] is not None and is_answered(this_turn(state["messages"])) else "reason"


class _Router(Runnable[State, str]):
    """Chooses the next node. langgraph would make a plain function a run of its own in every trace."""

    def __init__(self, choose: Callable[[State], str]) -> None:
        self._choose, self.name = choose, choose.__name__

    def invoke(self, *args: Any, **_: Any) -> str:
        return self._choose(args[0])

    async def ainvoke(self, *args: Any, **_: Any) -> str:
        return self._choose(args[0])  # it only looks; langgraph would have a thread do it


def _route_from(source: str, choose: Callable[[State], str]) -> None:
    """Add the edges among which a router chooses: those in its return type."""
    builder.add_conditional_edges(source, _Router(choose), [*get_args(get_type_hints(choose)["return"])])


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
for node in (load_context, reason, execute_tools, approve, reflect):
    builder.add_node(node.__name__, Recorded(node.__name__, node))
builder.add_edge(START, "load_context")
builder.add_edge("load_context", "reason")
_route_from("reason", after_reason)
_route_from("execute_tools", after_execute_tools)
_route_from("approve", after_execute_tools)  # what was approved runs; after a refusal the model goes on
_route_from("reflect", after_reflect)


def compile_graph(saver: BaseCheckpointSaver[str] | None = None) -> CompiledStateGraph[State, Context, Input, Output]:
    """Return the graph as a server shows it.

    Args:
        saver: The saver of the graph's threads; None for a server that brings its own.
    """
    compiled = builder.compile(checkpointer=saver, name="ana")
    # clients are shown the state as it is kept: without what one turn reads for itself
    compiled.stream_channels = [name for name in compiled.stream_channels_list if name != "loaded"]
    return compiled


@contextmanager
def open_graph(handles: Handles) -> "Iterator[CompiledStateGraph[State, Context, Input, Output]]":
    """Open the graph on a person's conversations.

    Raises:
        ConfigError: A module of TOOLS_MODULES cannot be used.
    """
    catalog(handles.settings.tools_modules)
    store = handles.workspace.open_thread_store()
    with store.map_errors(), store.open_saver() as saver:
        yield compile_graph(saver)


graph = compile_graph()
