"""The smallest graph that can wait: it answers yes, and asks back first where the message says so."""

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

TABLES = ("checkpoints", "writes", "sequence")


def answer(state: MessagesState) -> dict[str, Any]:
    said = state["messages"][-1].text
    return {"messages": [AIMessage(interrupt("Really?") if said == "ask" else "yes")]}


builder = StateGraph(MessagesState)
builder.add_node("answer", answer)
builder.add_edge(START, "answer")
