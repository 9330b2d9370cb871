"""Read the batch to weigh: the remaining calls, the changes that they would make, and the texts in view."""

from collections.abc import Iterable

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.receipts import Receipt
from graph.context import Context, context_of
from graph.state import State
from nodes.autonomy.weigh import Batch
from nodes.autonomy.writes import read_write
from nodes.calls import ReadCall
from nodes.history import receipts, this_turn
from nodes.load_context import get_loaded
from nodes.typed import find_typed_lately
from nodes.view import read_view


def read_batch(state: State, runtime: Runtime[Context], calls: Iterable[ReadCall]) -> Batch:
    """Return the batch that is weighed before calls run, without calls that only look something up or cannot run.

    Nothing is weighed in a turn that is run again with its recorded results: these contain the person's decisions.
    """
    context = context_of(runtime)
    memory, modules = context.handles.memory, context.handles.settings.tools_modules
    read = (read_write(call, modules) for call in calls)
    writes = [] if context.is_repeated else [write for write in read if write]
    if not writes:
        return Batch([], context.dial)
    messages = list(state["messages"])
    while isinstance(messages[-1], ToolMessage):  # results of this very message, which the model made without them
        messages.pop()
    view = read_view({**state, "messages": messages, "loaded": get_loaded(state, context.handles)}, memory)
    names = memory.vocabulary.names().values() if view else ()
    return Batch(
        writes=writes,
        dial=context.dial,
        view=view,
        typed=find_typed_lately(state["messages"]),
        done=[*map(_read_change, receipts(this_turn(state["messages"])))],
        in_use={name for counted in names for name, _ in counted},
        is_rare=memory.word_counts.is_rare,
    )


def _read_change(receipt: Receipt) -> Change:
    """Return the change that a receipt describes, in the form for weighing."""
    records = (receipt["before"], receipt["after"])
    before, after = (each and Item(str(each["id"]), each["content"], each["properties"], "", "") for each in records)
    return Change(receipt["kind"], str(receipt["id"]), before, after)
