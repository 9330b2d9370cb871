"""The rows of threads after a restart, and where no client can look: with the tables of a server that is not there."""

import asyncio
import copy
import logging
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph_api.serde import json_dumpb

from ana.settings import Settings
from ana.threads.folder import FolderThreadStore
from ana.workspace import open_workspace
from app.http.thread_rows import ThreadRows
from graph.builder import builder
from tests.conftest import MakeAssistant
from tests.server_tables import ServerTables

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"
OTHER = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b002"


def refresh(settings: Settings, tables: ServerTables) -> None:
    """Do what a server does when it has started and read its tables from the pickle."""
    asyncio.run(ThreadRows(tables.find, lambda: open_workspace(settings)).refresh())


@pytest.fixture
def tables(make_assistant: MakeAssistant, settings: Settings) -> ServerTables:
    """The tables of a server that knows two threads with an answer, and one that nobody has used."""
    assistant, tables = make_assistant("Hello."), ServerTables()
    for thread in (THREAD, OTHER):
        assistant.ask("hello", thread)
    refresh(settings, tables)
    now = datetime.now(UTC)
    unused = {"thread_id": uuid.uuid4(), "metadata": {}, "status": "idle", "values": None, "updated_at": now}
    tables.threads.append(unused)
    return tables


def test_a_thread_deleted_while_no_server_ran_does_not_come_back_from_the_pickle(
    settings: Settings, tables: ServerTables
) -> None:
    tables.add_run(THREAD)
    tables.add_run(OTHER)
    kept = tables.ids()
    kept.remove(THREAD)
    open_workspace(settings).open_threads().move_to_trash(THREAD)
    refresh(settings, tables)
    assert tables.ids() == kept
    assert [str(run["thread_id"]) for run in tables.runs] == [OTHER]


def test_a_thread_that_only_the_saver_knows_comes_back(settings: Settings, tables: ServerTables) -> None:
    known = tables.ids()
    del tables.threads[:2]
    refresh(settings, tables)
    assert sorted(tables.ids()) == sorted(known)


def test_a_thread_that_lost_its_runs_is_not_taken_for_a_deleted_one(settings: Settings, tables: ServerTables) -> None:
    with FolderThreadStore(settings.ana_data_dir).open_saver() as saver:
        saved = saver.get_tuple({"configurable": {"thread_id": THREAD}})
        assert saved is not None
        saver.conn.execute("UPDATE sequence SET run_id = 'a run' WHERE thread_id = ?", (THREAD,))
        saver.delete_for_runs(["a run"])
    refresh(settings, tables)
    row = next(row for row in tables.threads if str(row["thread_id"]) == THREAD)
    assert (row["values"], row["metadata"]) == ({}, {"graph_id": "ana"})
    open_workspace(settings).open_threads().erase(THREAD)
    row["values"] = {"messages": ["as the pickle had it"]}
    refresh(settings, tables)
    assert THREAD not in tables.ids()


def test_a_thread_in_which_a_run_works_stays_busy(
    make_assistant: MakeAssistant, settings: Settings, tables: ServerTables
) -> None:
    tables.add_run(THREAD, "running")
    assistant = make_assistant("Hello again.")
    assistant.ask("and now?", THREAD)
    assistant.ask("and now?", OTHER)
    refresh(settings, tables)
    assert {str(row["thread_id"]): row["status"] for row in tables.threads[:2]} == {THREAD: "busy", OTHER: "idle"}


def test_a_thread_whose_run_was_rolled_back_is_not_busy_for_ever(settings: Settings, tables: ServerTables) -> None:
    first, _, second = tables.threads
    first["status"] = second["status"] = "busy"
    second["interrupts"] = {"a task": [{"value": "?"}]}
    refresh(settings, tables)
    assert (first["status"], second["status"]) == ("idle", "interrupted")


def test_what_cannot_be_read_leaves_the_rows_as_they_are(
    settings: Settings, tables: ServerTables, caplog: pytest.LogCaptureFixture
) -> None:
    before = copy.deepcopy(tables.threads)
    (settings.ana_data_dir / "thread_names.json").write_text("{")
    with caplog.at_level(logging.WARNING):
        refresh(settings, tables)
    assert tables.threads == before
    assert "cannot be read" in caplog.text


def test_a_damaged_thread_keeps_no_other_from_being_shown(
    make_assistant: MakeAssistant, settings: Settings, tables: ServerTables, caplog: pytest.LogCaptureFixture
) -> None:
    make_assistant("Hello again.").ask("and now?", OTHER)
    with FolderThreadStore(settings.ana_data_dir).open_saver() as saver, saver.cursor() as cursor:
        cursor.execute("UPDATE checkpoints SET checkpoint = x'c1' WHERE thread_id = ?", (THREAD,))
    rows = ThreadRows(tables.find, lambda: open_workspace(settings))
    for _ in range(2):
        asyncio.run(rows.refresh())
    other = next(row for row in tables.threads if str(row["thread_id"]) == OTHER)
    assert other["values"]["messages"][-1].content == "Hello again.\n\n---\nno changes"
    assert caplog.text.count(f"{THREAD} cannot be read") == 1


NESTED: Any = 1
for _ in range(248):  # as deep as the saver keeps it in a message, and deeper than JSON is written
    NESTED = [NESTED]


@pytest.mark.parametrize(
    "values",
    [
        {"turn": None},
        {"turn": {"question": None}},
        {"turn": {"question": 5}},
        {"turn": 5},
        {"messages": HumanMessage([{"type": "text", "text": "x", "x": NESTED}])},
    ],
)
def test_no_thread_hurts_the_row_of_another(
    make_assistant: MakeAssistant, settings: Settings, tables: ServerTables, values: Any
) -> None:
    make_assistant("Hello again.").ask("and now?", OTHER)
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        graph = builder.compile(checkpointer=saver)
        graph.update_state({"configurable": {"thread_id": THREAD}}, values, as_node="reflect")
    for path in settings.traces_dir.glob(f"{THREAD}*"):
        path.unlink()  # so that the first question is looked for in the state
    del tables.threads[:]
    refresh(settings, tables)
    other = next(row for row in tables.threads if str(row["thread_id"]) == OTHER)
    assert other["values"]["messages"][-1].content == "Hello again.\n\n---\nno changes"
    json_dumpb(tables.threads)


def test_no_other_spelling_of_an_id_is_a_thread(settings: Settings, tables: ServerTables) -> None:
    before = sorted(tables.ids())
    with open_workspace(settings).open_thread_store().open_saver() as saver:
        saver.copy_thread(THREAD, THREAD.replace("-", ""))
    for _ in range(2):
        refresh(settings, tables)
    assert sorted(tables.ids()) == before
