"""A turn of ours against the same turn on langchain's create_agent: same tools, saver, durability, model."""

import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
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


Turn = Callable[[int], Any]


@contextmanager
def open_both(folder: Path) -> Iterator[tuple[Turn, Turn]]:
    """Functions that run a turn of ours and a turn of theirs, each in a thread of its own for every round."""
    env = {"ANA_DATA_DIR": str(folder / "data"), "TRACES_DIR": str(folder / "traces")}
    handles = open_handles(open_workspace(load_settings(env)), model=TwoSteps())
    for n in range(100):
        handles.memory.create(f"thing {n}", {"type": "task"})
    prompt = system_prompt({})
    our_store, their_store = FolderThreadStore(folder / "ours"), FolderThreadStore(folder / "theirs")
    with open_assistant(handles), our_store.open_saver() as ours, their_store.open_saver() as other:
        graph = builder.compile(checkpointer=ours)
        agent = create_agent(TwoSteps(), make_their_tools(handles), system_prompt=prompt, checkpointer=other)

        def our_turn(round: int) -> Any:
            context = LocalContext(opened=handles)
            return graph.invoke(make_question(), make_config(round), context=context, durability="sync")

        def their_turn(round: int) -> Any:
            return agent.invoke(make_question(), make_config(round), durability="sync")

        yield our_turn, their_turn


def make_question() -> Any:
    return {"messages": [HumanMessage("where is the milk?")]}


def make_config(round: int) -> RunnableConfig:
    return {"configurable": {"thread_id": f"round{round + 1}"}}


def measure() -> Iterable[tuple[str, str]]:
    """Measure the medians over several fresh threads, in alternation, and their ratio."""
    ratios, times = [], []
    with tempfile.TemporaryDirectory() as name, open_both(Path(name)) as (ours, other):
        for warm in (ours, other):
            warm(-1)  # the first turn loads what every later one has
        for round in range(ROUNDS):
            spent = [_time_pair(ours, round, other) for _ in range(TURNS)]
            mine, yours = (statistics.median(s[side] for s in spent) for side in (0, 1))
            ratios.append(mine / yours)
            times.append((mine, yours))
    mine, yours = (statistics.median(t[side] for t in times) * 1000 for side in (0, 1))
    yield "a turn with one tool call, ours / create_agent", f"{mine:.1f} / {yours:.1f} ms"
    yield "  ratio (goal at most 1.4)", f"{statistics.median(ratios):.2f}"


def _time_pair(ours: Turn, round: int, other: Turn) -> tuple[float, float]:
    begun = time.perf_counter()
    ours(round)
    middle = time.perf_counter()
    other(round)
    return middle - begun, time.perf_counter() - middle
