"""A turn on the real graph, on handles that are thrown away."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel
from langgraph.types import Command

from ana.handles import Handles
from ana.settings import Autonomy, Checking
from ana.tracing.langsmith import untraced
from ana.tracing.port import InMemoryTraces
from ana.tracing.schema import Record
from ana.translation import Language
from app.replay.model import Recording
from graph.builder import graph
from graph.context import LocalContext
from graph.state import Turn
from nodes.history import this_turn
from nodes.turns import close_turn, refuse_calls

WAITS = "The turn waits for a decision."
"""The answer of a turn that asks the person, where nobody is there to decide."""


@dataclass(frozen=True)
class Scene:
    """What a turn begins with.

    Args:
        id: The id that it gets.
        question: The user message.
        history: The messages before it.
        summary: What stands for those that the conversation no longer holds.
        check: Whether a model checks its drafts.
        replies: What the person replies to its requests, in order.
        recording: Answers calls in the place of tools; None if these run.
        language: What people read of it is in this language; None for the person's.
    """

    id: str
    thread: str
    question: HumanMessage
    history: Sequence[AnyMessage] = ()
    summary: str = ""
    check: Checking = "off"
    replies: Sequence[Any] = ()
    recording: Recording | None = None
    language: Language | None = None


@dataclass(frozen=True)
class SceneContext(LocalContext):
    """The context of a turn that has its id already, and in which a recording may stand for tools."""

    scene: Scene = field(kw_only=True)

    @property
    def is_repeated(self) -> bool:
        return self.scene.recording is not None

    def name_turn(self, id: str) -> str:
        return self.scene.id

    def answer(self, call: ToolCall) -> ToolMessage | None:
        return self.scene.recording.answer(call) if self.scene.recording else None


def play(scene: Scene, handles: Handles, dial: Autonomy, max_steps: int) -> Record:
    """Run a turn on the real graph and return its record.

    Args:
        handles: What it runs on; their traces keep the record.
        dial: How much is done without asking.
        max_steps: Most model calls.
    """
    assert isinstance(handles.traces, InMemoryTraces)
    context = SceneContext(
        autonomy=dial,
        max_steps=max_steps,
        check=scene.check,
        language=scene.language,
        opened=handles,
        scene=scene,
    )
    config: RunnableConfig = {"configurable": {"thread_id": scene.thread}}
    saved: Pregel[Any, Any, Any, Any] = graph.copy({"checkpointer": InMemorySaver()})
    if scene.history or scene.summary:
        saved.update_state(config, {"messages": [*scene.history], "summary": scene.summary}, as_node="load_context")
    replies, inputs = list(scene.replies), cast(Any, {"messages": [scene.question]})
    while True:
        with untraced():
            ended = saved.invoke(
                inputs, config, context=context, durability="exit", output_keys=["messages", "turn"], version="v2"
            )
        if ended.interrupts and replies:
            inputs = Command(resume={ended.interrupts[0].id: replies.pop(0)})
            continue
        if ended.interrupts:
            _close(ended.value["turn"], ended.value["messages"], scene, handles)
        return handles.traces.records[-1]


def _close(turn: Turn, messages: list[AnyMessage], scene: Scene, handles: Handles) -> None:
    """End a turn that nobody decided about, or that was cut short."""
    recording = scene.recording
    answers = recording.refuse(messages) if recording else refuse_calls(messages)[1]
    why = (recording and recording.record["error"]) or WAITS
    close_turn(handles, turn, this_turn(messages), why, scene.thread, answers)
