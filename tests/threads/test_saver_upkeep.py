"""What the server asks of a saver beside keeping checkpoints: forget a run, prune and copy a thread."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from ana.threads.store import ThreadStore
from tests.threads.conformance import builder
from tests.threads.conftest import TABLES, list_rows


def run(name: str, run_id: str = "") -> Any:
    configurable = {"thread_id": name} | ({"run_id": run_id} if run_id else {})
    return {"configurable": configurable, "metadata": {"thread_id": name}}  # the server notes the thread there too


@pytest.fixture(autouse=True)
def fill(store: ThreadStore) -> None:
    """Keep a thread of three runs, the last of which waits, and another thread."""
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for name, run_id, text in (("one", "a", "x"), ("one", "b", "y"), ("one", "c", "ask"), ("other", "d", "x")):
            graph.invoke({"messages": [HumanMessage(text)]}, run(name, run_id), durability="sync")


def maintain(store: ThreadStore, method: str, *arguments: Any, in_a_loop: bool, **options: Any) -> None:
    """Call a method of the command line's saver, or its twin of the server's."""

    async def call() -> None:
        async with store.open_server_saver() as saver:
            await getattr(saver, f"a{method}")(*arguments, **options)

    if in_a_loop:
        asyncio.run(call())
        return
    with store.open_saver() as saver:
        getattr(saver, method)(*arguments, **options)


def texts(store: ThreadStore, name: str) -> list[str]:
    with store.open_saver() as saver:
        state = builder.compile(checkpointer=saver).get_state(run(name))
    return [message.text for message in state.values.get("messages", [])]


def rows(store: ThreadStore, name: str) -> list[set[str]]:
    """Return the ids of a thread's checkpoints in each table."""
    return [{*list_rows(store, table, name)} for table in TABLES]


both = pytest.mark.parametrize("in_a_loop", [False, True])


@both
def test_a_deleted_run_leaves_the_state_before_it_and_no_row(store: ThreadStore, in_a_loop: bool) -> None:
    maintain(store, "delete_for_runs", ["c", "unknown"], in_a_loop=in_a_loop)
    assert texts(store, "one") == ["x", "heard x", "y", "heard y"]
    maintain(store, "delete_for_runs", ["b"], in_a_loop=in_a_loop)
    assert texts(store, "one") == ["x", "heard x"]
    checkpoints, writes, sequence = rows(store, "one")
    assert len(checkpoints) == 3
    assert writes <= checkpoints == sequence
    maintain(store, "delete_for_runs", ["a"], in_a_loop=in_a_loop)
    assert rows(store, "one") == [set(), set(), set()]
    assert texts(store, "other") == ["x", "heard x"]


@both
def test_a_reply_goes_with_its_run_and_the_request_waits_again(store: ThreadStore, in_a_loop: bool) -> None:
    def reply(text: str) -> None:
        with store.open_saver() as saver:
            builder.compile(checkpointer=saver).invoke(Command(resume=text), run("one", text), durability="sync")

    reply("sure")
    maintain(store, "delete_for_runs", ["sure"], in_a_loop=in_a_loop)
    with store.open_saver() as saver:
        state = builder.compile(checkpointer=saver).get_state(run("one"))
    assert (state.next, [each.value for each in state.interrupts]) == (("answer",), ["Really?"])
    reply("no")
    assert texts(store, "one")[-2:] == ["ask", "no"]


@both
def test_pruning_keeps_the_newest_checkpoint_and_what_waits_there(store: ThreadStore, in_a_loop: bool) -> None:
    maintain(store, "prune", ["one"], in_a_loop=in_a_loop)
    checkpoints, writes, sequence = rows(store, "one")
    assert len(checkpoints) == 1
    assert writes == checkpoints == sequence
    with store.open_saver() as saver:
        assert builder.compile(checkpointer=saver).get_state(run("one")).interrupts
    assert len(rows(store, "other")[0]) == 3
    maintain(store, "prune", ["one", "other"], in_a_loop=in_a_loop, strategy="delete")
    assert rows(store, "one") == rows(store, "other") == [set(), set(), set()]


@both
def test_a_copy_goes_on_by_itself(store: ThreadStore, in_a_loop: bool) -> None:
    maintain(store, "copy_thread", "one", "copy", in_a_loop=in_a_loop)
    assert rows(store, "copy") == rows(store, "one")
    maintain(store, "delete_for_runs", ["a", "b", "c"], in_a_loop=in_a_loop)
    assert texts(store, "one") == []
    assert texts(store, "copy") == ["x", "heard x", "y", "heard y", "ask"]
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        assert not list(saver.list(run("copy"), filter={"thread_id": "one"}))
        assert graph.invoke({"messages": [HumanMessage("z")]}, run("copy"))["messages"][-1].text == "heard z"
