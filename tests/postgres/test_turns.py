"""Turns of a person of whom everything but the locks is in PostgreSQL: asked, approved and undone by any process."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from ana.backends.postgres.backend import PostgresBackend
from ana.handles import open_handles
from ana.memory.undo import last_turn, undo
from ana.models.scripted import ScriptedModel, calls
from ana.postgres.person import PersonRows
from ana.settings import Settings
from ana.spending.port import Spending
from ana.spending.postgres import PostgresBooks
from ana.spending.total import DayTotal
from ana.threads.ports import ThreadStore
from ana.threads.postgres import PostgresThreadStore
from ana.time.clock import Clock
from ana.tracing.port import Traces
from ana.tracing.postgres import PostgresTraces
from ana.workspace import Workspace
from app.outcome import Waiting, expect_done
from app.turn import Assistant, open_assistant
from tests.conftest import EMBEDDER
from tests.postgres.server import open_people

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"


@dataclass(frozen=True, kw_only=True)
class PostgresWorkspace(Workspace):
    """A workspace that opens what is in PostgreSQL."""

    rows: PersonRows

    def open_traces(self) -> Traces:
        return PostgresTraces(self.rows)

    def open_spending(self, clock: Clock | None = None, traces: Traces | None = None) -> Spending:
        books = PostgresBooks(self.rows, self.settings.ana_turn_seconds)
        return DayTotal(books, self.settings, clock or self.make_clock(), traces or self.open_traces())

    def open_thread_store(self) -> ThreadStore:
        return PostgresThreadStore(self.rows)


@pytest.fixture
def start(settings: Settings) -> Iterator[Callable[..., Assistant]]:
    """Start one more process of the same person, with a script for a model."""
    people = open_people()
    with ExitStack() as stack:

        def start(*replies: Any) -> Assistant:
            rows = people("owner")
            backend = PostgresBackend(rows.database, rows.person, EMBEDDER)
            model = ScriptedModel(replies=list(replies))
            handles = open_handles(PostgresWorkspace(settings, rows=rows), model=model, backend=backend)
            return stack.enter_context(open_assistant(handles))

        yield start


def contents(assistant: Assistant) -> list[str]:
    return sorted(item.content for item in assistant.handles.memory.items())


def test_what_one_process_was_asked_another_approves_and_a_third_takes_back(start: Callable[..., Assistant]) -> None:
    first = start(calls(("create_item", {"content": "Passport \0 “red”"})), "Saved \0.")
    made = expect_done(first.ask("store my passport \0", THREAD)).changes[0]["after"]
    asked = start(calls(("delete_item", {"id": made["id"]}))).ask("note that", THREAD)
    assert isinstance(asked, Waiting)
    assert contents(first) == [made["content"]], "nothing is deleted yet"
    second = start("Deleted.")
    threads = second.handles.workspace.open_threads()
    assert [*threads.waiting()] == [THREAD]
    done = expect_done(second.resume(THREAD, {"decisions": [{"type": "approve"}]}, asked.request_id))
    assert [change["op"] for change in done.changes] == ["delete"]
    assert (contents(second), threads.waiting()) == ([], {})
    third = start("Hello.")
    records = third.handles.traces.read(THREAD)
    assert [record["question"] for record in records] == ["store my passport \0", "note that"]
    assert undo(third.handles.memory, last_turn(third.handles.memory)).turn == records[-1]["id"]
    assert contents(third) == [made["content"]]
    assert expect_done(third.ask("hi", THREAD)).answer == "Hello."
    assert [path.name for path in third.handles.workspace.folder.iterdir()] == ["locks"], "no file has anything of it"
    threads.move_to_trash(THREAD)
    assert (threads.all(), third.handles.traces.ids()) == ([], [])
    assert threads.restore(THREAD).turns == 3
