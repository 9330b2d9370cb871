"""A thread keeps the checkpoints of its last turns, and those at which somebody is being asked."""

import asyncio
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage
from langgraph.types import Command

from ana.threads.folder import FolderThreadStore
from ana.threads.saver import TURNS, ThreadSaver
from ana.threads.store import ThreadStore
from tests.threads.conformance import builder
from tests.threads.conftest import TABLES, connection_of, list_rows


def said(text: str) -> Any:
    return {"messages": [HumanMessage(text)]}


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def synced(saver: ThreadSaver, work: Callable[[], object]) -> list[tuple[str, str]]:
    """Return what was written to the tables of checkpoints while something works, and how far each commit went."""
    statements: list[str] = []
    db = connection_of(saver)
    db.set_trace_callback(statements.append)
    work()
    db.set_trace_callback(None)
    found, mode = list[tuple[str, str]](), ""
    for statement, _ in itertools.groupby(statements):  # a trigger tells its statement again
        mode = statement.partition("= ")[2] if statement.startswith("PRAGMA synchronous") else mode
        if table := re.match(r"INSERT INTO (states|task_writes)", statement):
            found.append((table[1], mode))
    return found


def test_what_was_said_done_or_waits_is_on_the_disk_before_a_run_goes_on(tmp_path: Path) -> None:
    with FolderThreadStore(tmp_path).open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        plain = synced(saver, lambda: graph.invoke(said("x"), thread("a"), durability="sync"))
        # the input, the message in it, the answer
        assert [mode for table, mode in plain if table == "states"] == ["NORMAL", "FULL", "FULL"]
        assert {mode for table, mode in plain if table == "task_writes"} == {"NORMAL"}
        asked = synced(saver, lambda: graph.invoke(said("ask"), thread("a"), durability="sync"))
        assert asked[-1] == ("task_writes", "FULL")  # what it waits for
        edited = synced(saver, lambda: graph.update_state(thread("b"), said("y")))
        assert ("states", "FULL") in edited
        told = synced(saver, lambda: graph.invoke(Command(resume="no"), thread("a"), durability="sync"))
        assert ("task_writes", "FULL") in told


def test_the_servers_saver_does_the_same_on_the_same_file(store: ThreadStore) -> None:
    async def talk() -> None:
        async with store.open_server_saver() as saver:
            graph = builder.compile(checkpointer=saver)
            for n in range(TURNS + 5):
                await graph.ainvoke(said(f"question {n}"), thread("long"), durability="sync")
            await graph.ainvoke(said("x"), thread("gone"), durability="sync")
            await saver.adelete_thread("gone")

    asyncio.run(talk())
    assert len(list_rows(store, "states", "long")) == 3 * TURNS
    assert set(list_rows(store, "task_writes", "long")) <= set(list_rows(store, "states", "long"))
    assert [list_rows(store, table, "gone") for table in TABLES] == [[], [], []]
    with store.open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        for _ in range(3):
            graph.invoke(said("x"), thread("long"), durability="sync")
        assert len(graph.get_state(thread("long")).values["messages"]) == 2 * (TURNS + 8)
    assert len(list_rows(store, "states", "long")) == 3 * TURNS
