"""What a model is sent is a list that every provider takes, whatever was interrupted, and however."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, InvalidToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig

from ana.handles import open_handles
from ana.models.scripted import ScriptedModel, calls
from ana.settings import load_settings
from ana.threads.folder import FolderThreadStore
from ana.workspace import open_workspace
from app.turn import open_assistant
from graph.builder import builder
from graph.context import LocalContext
from nodes.history import repair_messages
from tests.conftest import THREAD, folders
from tests.examples import examples
from tools.artifacts import decline


def asked_for(message: BaseMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    return [str(call["id"]) for call in (*message.tool_calls, *message.invalid_tool_calls)]


def is_valid(messages: Sequence[BaseMessage]) -> bool:
    """Every call is answered right behind its message, in order, and nothing else is an answer."""
    expected: list[str] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if not expected or message.tool_call_id != expected.pop(0):
                return False
        elif expected:
            return False
        expected = expected or asked_for(message)
    return not expected


IDS = st.sampled_from("abcdef")
CALL = st.builds(lambda id: {"name": "now", "args": {}, "id": id}, IDS)
BROKEN = st.builds(lambda id: InvalidToolCall(type="invalid_tool_call", name="now", args="{", id=id, error="x"), IDS)
MESSAGE = st.one_of(
    st.just(HumanMessage("hello")),
    st.builds(lambda id: ToolMessage("done", tool_call_id=id), IDS),
    st.builds(
        lambda valid, broken: AIMessage("well", tool_calls=valid, invalid_tool_calls=broken),
        st.lists(CALL, max_size=3),
        st.lists(BROKEN, max_size=1),
    ),
)


@settings(max_examples=examples(300))
@given(st.lists(MESSAGE, max_size=12))
def test_any_list_becomes_a_valid_one(messages: list[AnyMessage]) -> None:
    mended = repair_messages(messages)
    assert is_valid(mended)
    others = [m for m in messages if not isinstance(m, ToolMessage)]
    assert [m for m in mended if not isinstance(m, ToolMessage)] == others
    assert repair_messages(mended) == mended


class Killed(BaseException):
    """The end of the process, as near as a test in it can come."""


ENDS = ["not", "ctrl-c in the model", "ctrl-c behind a tool", "killed in the model", "killed behind a tool"]
HOW = st.sampled_from(ENDS)


@settings(max_examples=examples(12))
@given(st.lists(st.tuples(HOW, st.integers(0, 3)), min_size=1, max_size=5))
def test_whatever_is_interrupted_the_next_call_gets_a_valid_list(turns: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        env = folders(Path(name))
        for number, (how, at) in enumerate(turns):
            _interrupted(env, f"turn {number}", how, at)
        model = ScriptedModel(replies=["Hello."] * 3)
        with open_assistant(open_handles(open_workspace(load_settings(env)), model=model)) as assistant:
            assistant.finish(THREAD)
            assert assistant.ask("and now?", THREAD).error is None
            contents = [item.content for item in assistant.handles.memory.items()]
        assert all(is_valid(messages[1:]) for messages in model.seen)
        assert len(contents) == len(set(contents)), "nothing is there twice"
        assert {f"turn {n} one" for n, (how, _) in enumerate(turns) if how == "not"} <= set(contents)


def _interrupted(env: dict[str, str], text: str, how: str, at: int) -> None:
    """A turn of two batches of writes, ended in its own way at its `at`-th event or model call."""
    ends: type[BaseException] = KeyboardInterrupt if how.startswith("ctrl-c") else Killed
    count = [at]

    def end(place: str) -> None:
        if how.endswith(place):
            count[0] -= 1
            if count[0] < 0:
                raise ends

    def reply(*made: tuple[str, dict[str, Any]]) -> Any:
        def say(messages: list[BaseMessage]) -> AIMessage:
            assert is_valid(messages[1:])
            end("in the model")
            return calls(*made) if made else AIMessage("Saved.")

        return say

    one, two, three = (("create_item", {"content": f"{text} {part}"}) for part in ("one", "two", "three"))
    script = [reply(one, two), reply(three, ("now", {})), reply()]
    model = ScriptedModel(replies=script * 2)
    env = env | {"ANA_AUTONOMY": "act"}  # a turn that goes on with the next one's script writes too much not to ask
    opened = open_assistant(open_handles(open_workspace(load_settings(env)), model=model))
    with opened as assistant, suppress(KeyboardInterrupt, Killed):
        assistant.finish(THREAD)
        assistant.ask(text, THREAD, on_event=lambda event: end("behind a tool") if "tool" in event else None)


def test_a_call_that_waits_for_leave_is_answered_when_it_is_refused_or_passed_over(tmp_path: Path) -> None:
    """As an approval does it: the graph stops before the tools, and something else comes than going on."""
    env = folders(tmp_path)
    wanted = calls(("create_item", {"content": "one"}), ("create_item", {"content": "two"}))
    model = ScriptedModel(replies=[wanted, "Hello.", wanted, "Then not."])
    handles = open_handles(open_workspace(load_settings(env)), model=model)
    context, config = LocalContext(opened=handles), RunnableConfig(configurable={"thread_id": THREAD})
    with FolderThreadStore(tmp_path / "threads").open_saver() as saver:
        graph = builder.compile(checkpointer=saver, interrupt_before=["execute_tools"])
        graph.invoke({"messages": [HumanMessage("keep both")]}, config, context=context)
        assert graph.get_state(config).next == ("execute_tools",)
        graph.invoke({"messages": [HumanMessage("never mind, hello")]}, config, context=context)
        assert graph.get_state(config).values["messages"][-1].text.startswith("Hello.")
        graph.invoke({"messages": [HumanMessage("keep both after all")]}, config, context=context)
        refused = [
            ToolMessage(
                '{"error": "The user said no."}', tool_call_id=id, status="error", artifact=decline("Deletes it.")
            )
            for id in asked_for(graph.get_state(config).values["messages"][-1])
        ]
        graph.update_state(config, {"messages": refused}, as_node="execute_tools")
        graph.invoke(None, config, context=context)
        assert graph.get_state(config).values["messages"][-1].text.startswith("Then not.")
    assert len(model.seen) == 4
    assert all(is_valid(messages[1:]) for messages in model.seen)
    assert handles.memory.count() == 0
    handles.memory.close()
