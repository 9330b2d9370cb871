"""The state machine: the nodes and their order."""

from typing import Literal

from langgraph.graph import START, StateGraph

from graph.context import Context
from graph.recording import record
from graph.state import Input, Output, State
from graph.updates import keep_usable
from nodes.approve import approve
from nodes.execute_tools import execute_tools
from nodes.history import is_answered, pending_calls, this_turn
from nodes.load_context import load_context
from nodes.reason import reason
from nodes.reflect import reflect


def after_reason(state: State) -> Literal["execute_tools", "reflect"]:
    """Run the calls of the last message; without calls the reply is a draft."""
    return "execute_tools" if pending_calls(keep_usable(state)["messages"]) else "reflect"


def after_execute_tools(state: State) -> Literal["approve", "execute_tools", "reason"]:
    """Ask the person where a call waits for that; run the calls that are left, then let the model go on."""
    state = keep_usable(state)
    turn = state.get("turn")
    if turn and turn.get("asked"):
        return "approve"
    return "execute_tools" if pending_calls(state["messages"]) else "reason"


def after_reflect(state: State) -> Literal["reason", "__end__"]:
    """End with the answer; a draft that was sent back, or a message put in by a client, goes to the model."""
    state = keep_usable(state)
    turn = state.get("turn")
    return "__end__" if turn and turn["answer"] is not None and is_answered(this_turn(state["messages"])) else "reason"


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
builder.add_node("load_context", record("load_context", load_context))
builder.add_node("reason", record("reason", reason))
builder.add_node("execute_tools", record("execute_tools", execute_tools))
builder.add_node("approve", record("approve", approve))
builder.add_node("reflect", record("reflect", reflect))
builder.add_edge(START, "load_context")
builder.add_edge("load_context", "reason")
builder.add_conditional_edges("reason", after_reason)
builder.add_conditional_edges("execute_tools", after_execute_tools)
builder.add_conditional_edges("approve", after_execute_tools)
builder.add_conditional_edges("reflect", after_reflect)

graph = builder.compile(name="ana")
# clients are shown the state as it is kept: without what one turn reads for itself
graph.stream_channels = [name for name in graph.stream_channels_list if name != "loaded"]
