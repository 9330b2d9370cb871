"""The state machine: what follows what."""

from typing import Literal

from langgraph.graph import START, StateGraph

from graph.context import Context
from graph.recording import recorded
from graph.state import Input, Output, State
from nodes.execute_tools import execute_tools
from nodes.history import pending_calls
from nodes.load_context import load_context
from nodes.reason import reason
from nodes.reflect import reflect


def after_reason(state: State) -> Literal["execute_tools", "reflect"]:
    return "execute_tools" if pending_calls(state["messages"]) else "reflect"


def after_reflect(state: State) -> Literal["reason", "__end__"]:
    return "reason" if state["turn"]["answer"] is None else "__end__"


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)
builder.add_node("load_context", recorded("load_context", load_context))
builder.add_node("reason", recorded("reason", reason))
builder.add_node("execute_tools", recorded("execute_tools", execute_tools))
builder.add_node("reflect", recorded("reflect", reflect))
builder.add_edge(START, "load_context")
builder.add_edge("load_context", "reason")
builder.add_conditional_edges("reason", after_reason)
builder.add_edge("execute_tools", "reason")
builder.add_conditional_edges("reflect", after_reflect)

graph = builder.compile(name="ana")
