"""A turn on the real graph, on temporary handles."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel
from langgraph.types import Command

from ana.tracing.langsmith import untraced
from ana.tracing.port import InMemoryTraces
from ana.tracing.schema import Record
from app.replay.model import Recording
from graph.builder import graph
from graph.context import LocalContext
from graph.state import Turn
from nodes.history import this_turn
from nodes.turns import close_turn, refuse_calls

WAITS = "The turn waits for a decision."
"""The answer of a turn that asks the person, where nobody is there to decide."""


@dataclass(frozen=True)
class PlayContext(LocalContext):
    """The context of a turn whose id is fixed, in which a recording may replace the tools, and a file the prompt.

    Args:
        id: The turn's id.
        recording: Answers calls instead of the tools; None if the tools run.
        template: The system prompt with its slots; None for the one in prompts/.
    """

    id: str = field(kw_only=True)
    recording: Recording | None = None
    template: str | None = None

    @property
    def is_repeated(self) -> bool:
        return self.recording is not None

    def name_turn(self, id: str) -> str:
        return self.id

    def answer(self, call: ToolCall) -> ToolMessage | None:
        return self.recording.answer(call) if self.recording else None


def play(
    context: PlayContext,
    thread: str,
    question: HumanMessage,
    history: Sequence[AnyMessage] = (),
    summary: str = "",
    replies: Sequence[Any] = (),
) -> Record:
    """Run a turn on the real graph and return its record, which the traces of the context's handles keep.

    Args:
        question: The user message.
        history: The messages before it.
        summary: The summary of messages that the conversation no longer contains.
        replies: The person's replies to its requests, in order; at a further request the turn is closed.
    """
    traces = context.handles.traces
    assert isinstance(traces, InMemoryTraces)
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    saved: Pregel[Any, Any, Any, Any] = graph.copy({"checkpointer": InMemorySaver()})
    if history or summary:
        saved.update_state(config, {"messages": [*history], "summary": summary}, as_node="load_context")
    waiting, inputs = list(replies), cast(Any, {"messages": [question]})
    while True:
        with untraced():
            ended = saved.invoke(
                inputs, config, context=context, durability="exit", output_keys=["messages", "turn"], version="v2"
            )
        if ended.interrupts and waiting:
            inputs = Command(resume={ended.interrupts[0].id: waiting.pop(0)})
            continue
        if ended.interrupts:
            _close(ended.value["turn"], this_turn(ended.value["messages"]), thread, context)
        return traces.records[-1]


def _close(turn: Turn, messages: list[AnyMessage], thread: str, context: PlayContext) -> None:
    """End a turn that was cut short at a call, or that waits where nobody decides."""
    if context.recording:
        close_turn(context.handles, turn, messages, context.recording.record["error"] or "", thread)
    else:
        close_turn(context.handles, turn, messages, WAITS, thread, refuse_calls(messages)[1])
