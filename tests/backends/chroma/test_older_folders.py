"""A data folder that version 0.1.0 wrote opens, with everything in it."""

import zipfile
from pathlib import Path

from ana.backends.chroma.care.examine import examine
from ana.handles import open_handles
from ana.memory.trash import list_deleted
from ana.memory.undo import find_undoable, undo
from ana.models.scripted import ScriptedModel
from ana.settings import load_settings
from ana.tracing.files import TraceFiles
from ana.workspace import open_workspace
from app.outcome import expect_done
from app.turn import open_assistant
from tests.chroma import chroma_of
from tests.conftest import folders

FOLDER = Path(__file__).parents[2] / "data" / "folder_0_1_0.zip"


def test_a_folder_of_0_1_0_opens(tmp_path: Path) -> None:
    with zipfile.ZipFile(FOLDER) as archive:
        archive.extractall(tmp_path)
    settings = load_settings(folders(tmp_path))
    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=["Hello again."]))
    memory = handles.memory
    contents = {"Call the bank", "Review the quarterly report", "The spare key is in the blue tin"}
    assert {item.content for item in memory.items()} == contents
    assert memory.lines() == {0: "Prefers deep work in the mornings"}
    assert len(memory.history()) == 7
    assert list_deleted(memory) == [], "the deletion was undone"
    assert [item.content for item in memory.find("spare key", limit=1).items] == ["The spare key is in the blue tin"]
    assert [item.date for item in memory.find(where={"due_date": {"$gte": "2026-12-02"}}).items] == ["2026-12-04"]
    assert examine(chroma_of(memory)).is_sound
    assert [change.op for change in undo(memory, find_undoable(memory)).changes] == ["update"]
    work = open_workspace(settings).open_threads().resolve("work")
    assert len(TraceFiles(settings.traces_dir).read(work)) == 4
    with open_assistant(handles) as assistant:
        assert expect_done(assistant.ask("hello", work)).answer == "Hello again."
    assert len(TraceFiles(settings.traces_dir).read(work)) == 5
