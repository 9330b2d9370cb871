"""A turn of ours against the same turn on langchain's create_agent: same tools, saver, durability, model."""

import statistics
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, tool

from ana.handles import Handles, open_handles
from ana.settings import load_settings
from ana.threads.folder import FolderThreadStore
from ana.workspace import open_workspace
from app.turn import open_assistant
from evals.bench.store import show_ratio, time_alternating
from evals.load.server import name_places
from graph.builder import builder
from graph.context import LocalContext
from nodes.reason import system_prompt
from tools.call import CallContext
from tools.catalog import TOOLS

TURNS = 40
ROUNDS = 5


class TwoSteps(BaseChatModel):
    """Calls one tool, then answers; keeps no state, so both agents meet the same model."""

    @property
    def _llm_type(self) -> str:
        return "two-steps"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if messages[-1].type == "tool":
            message = AIMessage(content="Found.")
        else:
            call = {"name": "query_items", "args": {"text": "milk"}, "id": uuid.uuid4().hex}
            message = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=message)])


def make_their_tools(handles: Handles) -> list[BaseTool]:
    """Return the same tools for an agent that passes nothing to its tools: query_items bound to its store."""
    call = CallContext(handles.memory, handles.clock)

    @tool
    def query_items(text: str | None = None, where: dict[str, Any] | None = None, limit: int = 10) -> str:
        """Find items by meaning, by exact property, or both."""
        arguments = {"text": text, "where": where, "limit": limit, "call": call}
        return str(TOOLS["query_items"].invoke({"type": "tool_call", "name": "x", "id": "x", "args": arguments}).text)

    return [query_items]


Turn = Callable[[str, int], Any]
"""Runs a turn in a thread; which time it is matters not."""


@contextmanager
def open_both(folder: Path) -> Iterator[tuple[Turn, Turn]]:
    """Yield functions that run a turn of ours and a turn of theirs in a thread."""
    handles = open_handles(open_workspace(load_settings(name_places(folder))), model=TwoSteps())
    for n in range(100):
        handles.memory.create(f"thing {n}", {"type": "task"})
    our_store, their_store = FolderThreadStore(folder / "ours"), FolderThreadStore(folder / "theirs")
    with open_assistant(handles), our_store.open_saver() as ours, their_store.open_saver() as other:
        graph, tools = builder.compile(checkpointer=ours), make_their_tools(handles)
        agent = create_agent(TwoSteps(), tools, system_prompt=system_prompt({}), checkpointer=other)

        def run_ours(thread: str, _: int) -> Any:
            context = LocalContext(opened=handles)
            return graph.invoke(make_question(), make_config(thread), context=context, durability="sync")

        def run_theirs(thread: str, _: int) -> Any:
            return agent.invoke(make_question(), make_config(thread), durability="sync")

        yield run_ours, run_theirs


def make_question() -> Any:
    return {"messages": [HumanMessage("where is the milk?")]}


def make_config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def measure() -> Iterable[tuple[str, str]]:
    """Measure the medians over several fresh threads, in alternation, and their ratio."""
    with tempfile.TemporaryDirectory() as name, open_both(Path(name)) as (run_ours, run_theirs):
        threads = [f"round{round}" for round in range(ROUNDS)]
        times = [time_alternating(partial(run_ours, each), partial(run_theirs, each), TURNS) for each in threads]
    mine, yours = (statistics.median(side) for side in zip(*times, strict=True))
    yield "a turn with one tool call, ours / create_agent (goal 1.4)", show_ratio(mine, yours)
