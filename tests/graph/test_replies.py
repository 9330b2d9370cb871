"""A reply through the server's API is given to the request that it names, and to no other."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from graph.replies import bind_reply, names_requests

ID, OTHER = "0" * 32, "1" * 32
REPLY = {"decisions": [{"type": "approve"}]}


class Said(TypedDict):
    replies: list[str]


def ask_twice(state: Said) -> Said:
    return {"replies": [interrupt("Delete the milk?"), interrupt("Delete the will?")]}


@pytest.mark.parametrize("shown", [False, True])
def test_a_reply_that_names_an_earlier_question_of_the_same_tool_is_not_given_to_the_next(shown: bool) -> None:
    builder = StateGraph(Said)
    builder.add_node("ask_twice", ask_twice)
    builder.add_edge(START, "ask_twice")
    graph, config = builder.compile(checkpointer=InMemorySaver()), RunnableConfig(configurable={"thread_id": "one"})

    def run(given: Any) -> Any:
        waiting = [each.id for each in graph.get_state(config).interrupts]
        return graph.invoke(bind_reply(given, waiting, is_visible=shown) if waiting else given, config)

    [first] = run({"replies": []})["__interrupt__"]
    [second] = run(Command(resume={first.id: "yes"}))["__interrupt__"]
    assert (second.value, second.id == first.id) == ("Delete the will?", False)
    assert run(Command(resume={first.id: "yes"}))["__interrupt__"] == [second], "a second yes to the first question"
    assert run(Command(resume={second.id: "no"})) == {"replies": ["yes", "no"]}


@pytest.mark.parametrize(
    ("reply", "shown", "kept"),
    [
        (REPLY, False, {}),
        ("yes", False, {}),
        (REPLY, True, REPLY),
        ({ID: REPLY}, False, {ID: REPLY}),
        ({ID: REPLY, OTHER: REPLY}, False, {ID: REPLY}),
        ({OTHER: REPLY}, True, {}),
    ],
)
def test_a_reply_names_the_request_or_the_checkpoint_that_it_is_to(reply: Any, shown: bool, kept: Any) -> None:
    assert bind_reply(Command(resume=reply), [ID], is_visible=shown).resume == kept


@pytest.mark.parametrize("reply", ["yes", {}, REPLY, {ID: REPLY, "decisions": []}, [ID], {1: REPLY}])
def test_what_names_no_request_is_known(reply: Any) -> None:
    assert not names_requests(reply)
    assert names_requests({ID: reply})
