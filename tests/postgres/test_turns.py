"""Turns of a person of whom everything is in PostgreSQL: asked, approved and undone by any process."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ana.handles import open_handles
from ana.memory.undo import find_undoable, undo
from ana.models.scripted import ScriptedModel, calls
from ana.postgres.database import open_database
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.outcome import Waiting, expect_done
from app.turn import Assistant, open_assistant
from tests.conftest import THREAD, folders
from tests.others import let_others_speak
from tests.postgres.server import new_database


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Assistant]]:
    """Start one more process of the same person, with a script for a model."""
    with new_database() as url, ExitStack() as stack:
        settings = load_settings(folders(tmp_path, ANA_DATABASE_URL=url))

        def start(*replies: Any) -> Assistant:
            handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=list(replies)))
            return stack.enter_context(open_assistant(handles))

        yield start
        open_database(url).close()


def contents(assistant: Assistant) -> list[str]:
    return sorted(item.content for item in assistant.handles.memory.items())


def test_what_one_process_was_asked_another_approves_and_a_third_takes_back(start: Callable[..., Assistant]) -> None:
    first = start(calls(("create_item", {"content": "Passport “red”"})), "Saved \0.")
    let_others_speak(first.handles.memory)
    made = expect_done(first.ask("store my passport", THREAD)).changes[0]["after"]
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
    assert [record["question"] for record in records] == ["store my passport", "note that"]
    assert undo(third.handles.memory, find_undoable(third.handles.memory)).turn == records[-1]["id"]
    assert contents(third) == [made["content"]]
    assert expect_done(third.ask("hi", THREAD)).answer == "Hello."
    assert not third.handles.workspace.folder.exists(), "no file has anything of it"
    threads.move_to_trash(THREAD)
    assert (threads.all(), third.handles.traces.ids()) == ([], [])
    assert threads.restore(THREAD).turns == 3
