"""A turn on the real graph, on handles that are thrown away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.pregel import Pregel
from langgraph.types import Command, Interrupt

from ana.errors import ToolError
from ana.handles import Handles
from ana.memory.backend import Backend
from ana.settings import Autonomy, Checking, Settings
from ana.spending.port import Spending
from ana.time.clock import Clock, Listener, listener
from ana.tracing.langsmith import untraced
from ana.tracing.port import InMemoryTraces
from ana.tracing.schema import Inputs, Part, Record, Step
from app.replay.history import dict_of, failed, text_of
from app.throwaway import make_throwaway
from graph.builder import graph
from graph.context import LocalContext
from graph.recording import count_parts
from graph.state import Turn, Usage
from nodes.history import this_turn
from nodes.requests import read_request
from nodes.turns import close_turn, refuse_asked, write_record

WAITS = "The turn waits for a decision."
"""The answer of a turn that asks the person what the recorded one did not ask."""


@dataclass(frozen=True)
class Scene:
    """What a turn begins with.

    Args:
        id: The id that it gets.
        question: The user message.
        history: The messages before it.
        summary: What stands for those that the conversation no longer holds.
        previous: The turn before it.
        start: The node that it begins with.
        waits: Whether a person can be asked.
        check: Whether a model checks its drafts.
        replies: What the person replies to its requests, in order.
        answers: What the person's own tools answered.
        meanwhile: Called with the number of a part of the turn before which a person has had time to decide.
    """

    id: str
    thread: str
    question: HumanMessage
    history: Sequence[AnyMessage] = ()
    summary: str = ""
    previous: str | None = None
    start: str = "load_context"
    waits: bool = True
    check: Checking = "off"
    replies: Sequence[Any] = ()
    answers: Sequence[Step] = ()
    meanwhile: Callable[[int], None] = lambda _: None


@dataclass(frozen=True)
class SceneContext(LocalContext):
    """The context of a turn that has its id already, and in which no tool of the person's own runs."""

    scene: Scene | None = None
    left: list[Step] = field(default_factory=list)
    """Recorded answers that were not given yet."""

    def name_turn(self, id: str) -> str:
        return self.scene.id if self.scene else id

    def answer_own(self, call: ToolCall) -> ToolMessage | None:
        step = next((step for step in self.left if (step["tool"], step["args"]) == (call["name"], call["args"])), None)
        if step is None:
            raise ToolError(f"{call['name']} is not run in a replay, and no answer is recorded.", "Do without it.")
        self.left.remove(step)
        seen = dict_of(step)
        if failed(step):
            raise ToolError(seen["error"], seen["hint"])
        return ToolMessage(text_of(step), name=call["name"], tool_call_id=str(call["id"]))


class Tape:
    """A clock's source that tells recorded moments, in the part of the turn that runs now as often as it is asked.

    Args:
        parts: What was told, by part, at least one moment in all; past the end the last one stays.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = [[datetime.fromisoformat(moment) for moment in part["clock"]] for part in parts]

    def __call__(self) -> datetime:
        heard = listener.get() or Listener()
        part = heard.part
        if part < len(self._parts) and self._parts[part]:
            return self._parts[part][min(len(heard.moments), len(self._parts[part]) - 1)]
        before = (told[-1] for told in reversed(self._parts[:part]) if told)
        return next(before, None) or next(told[0] for told in self._parts if told)


def make_handles(
    settings: Settings, inputs: Inputs, backend: Backend, model: BaseChatModel, spending: Spending
) -> Handles:
    """Return handles on which a turn meets what it met when it was recorded, and writes no file."""
    then = settings.model_copy(update={"ana_history_tokens": inputs["history_tokens"]})
    return make_throwaway(then, model, backend, Clock(ZoneInfo(inputs["zone"]), Tape(inputs["parts"])), spending)


def play(scene: Scene, handles: Handles, dial: Autonomy, max_steps: int) -> Record:
    """Run a turn on the real graph and return its record.

    Args:
        handles: What it runs on; their traces keep the record.
        dial: How much is done without asking.
        max_steps: Most model calls.
    """
    assert isinstance(handles.traces, InMemoryTraces)
    dials: Any = {"autonomy": dial, "max_steps": max_steps, "check": scene.check}
    context = SceneContext(**dials, opened=handles, scene=scene, left=list(scene.answers))
    saved: Pregel[Any, Any, Any, Any] = graph.copy({"checkpointer": InMemorySaver() if scene.waits else None})
    replies, given = list(scene.replies), _begin(saved, scene)
    while True:
        with untraced():
            ended = saved.invoke(
                given,
                _config(scene),
                context=context,
                durability="exit",
                output_keys=["messages", "turn"],
                version="v2",
            )
        if not ended.interrupts:
            return handles.traces.records[-1]
        if not replies:
            return _end_waiting(ended.value["turn"], ended.value["messages"], ended.interrupts[0], scene, handles)
        scene.meanwhile(count_parts(ended.value["turn"]))
        given = Command(resume={ended.interrupts[0].id: replies.pop(0)})


def _begin(saved: "Pregel[Any, Any, Any, Any]", scene: Scene) -> Any:
    """Put a conversation into the thread and return the input that the turn begins with."""
    if not scene.waits:  # such a run has no thread
        return {"messages": [*scene.history, scene.question]}
    late = scene.start != "load_context"
    before: dict[str, Any] = {"messages": [*scene.history, *([scene.question] if late else [])]}
    if before["messages"] or scene.summary or scene.previous:
        before |= {"summary": scene.summary} | ({"turn": _end_turn(scene.previous)} if scene.previous else {})
        saved.update_state(_config(scene), before, as_node="load_context")
    return None if late else {"messages": [scene.question]}


def _end_turn(id: str) -> Turn:
    """Return a turn that has ended, of which nothing but its id matters to the next."""
    usage: Usage = {"input_tokens": 0, "output_tokens": 0, "estimated": False}
    return Turn(
        id=id,
        ts="2000-01-01T00:00:00+00:00",
        question="",
        shown={},
        corrections=[],
        decisions=[],
        usage=usage,
        durations={},
        error=None,
        answer="",
    )


def _end_waiting(turn: Turn, messages: list[AnyMessage], asked: Interrupt, scene: Scene, handles: Handles) -> Record:
    """Return the record of a turn that nobody decided about."""
    assert isinstance(handles.traces, InMemoryTraces)
    _, answers = refuse_asked(messages, None if turn.get("asked") else read_request(asked))
    _, turn = close_turn(turn, this_turn(messages), WAITS)
    write_record(handles, turn, [*this_turn(messages), *answers], scene.thread)
    return handles.traces.records[-1]


def _config(scene: Scene) -> RunnableConfig:
    return {"configurable": {"thread_id": scene.thread}}
