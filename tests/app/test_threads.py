"""A conversation has one owner at a time, also the one who deletes it."""

from functools import partial

import pytest

from ana.errors import StoreBusy
from ana.ownership import thread_lock
from app.threads import Threads
from tests.conftest import MakeAssistant

THREAD = "0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b001"


def test_a_conversation_that_is_in_use_is_not_deleted(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = make_assistant("Hello.", "Hello again.")
    assistant.ask("hello", THREAD)
    settings = assistant.handles.settings
    monkeypatch.setattr("app.threads.thread_lock", partial(thread_lock, patience=0.05))
    lock = thread_lock(settings, THREAD, "somebody")
    lock.acquire()
    with pytest.raises(StoreBusy, match="somebody"):
        Threads(settings).move_to_trash(THREAD)
    lock.release()
    assert assistant.ask("and now?", THREAD).answer == "Hello again."
    Threads(settings).move_to_trash(THREAD)
    assert not assistant.handles.traces.path(THREAD).exists()
    assert list((settings.ana_data_dir / "locks").iterdir()) == []


def test_very_many_conversations_are_purged_without_as_many_open_files(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.threads.AT_ONCE", 2)
    assistant = make_assistant(*["Hello."] * 5)
    ids = [f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b00{n}" for n in range(5)]
    for id in ids:
        assistant.ask("hello", id)
    threads = Threads(assistant.handles.settings)
    threads.purge(ids[:-1])
    assert threads.ids() == ids[-1:]
    assert [each.stem for each in assistant.handles.traces.folder.iterdir()] == ids[-1:]
