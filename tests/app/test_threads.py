"""A conversation has one owner at a time, also the one who deletes it, and a name always means the same one."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from ana.errors import StoreBusy, WrongName
from ana.handles import open_handles
from ana.models.scripted import ScriptedModel
from ana.settings import Settings
from ana.threads.locks import FolderThreadLocks
from ana.workspace import open_workspace
from app.turn import open_assistant
from tests.app.conftest import Run
from tests.conftest import THREAD, MakeAssistant


def test_a_conversation_that_is_in_use_is_not_deleted(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant = make_assistant("Hello.", "Hello again.")
    assistant.ask("hello", THREAD)
    settings = assistant.handles.settings
    monkeypatch.setattr(FolderThreadLocks.lock, "__defaults__", (0.05,))
    lock = open_workspace(settings).open_locks().lock(THREAD, "somebody")
    lock.acquire()
    with pytest.raises(StoreBusy, match="somebody"):
        open_workspace(settings).open_threads().move_to_trash(THREAD)
    lock.release()
    assert assistant.ask("and now?", THREAD).answer == "Hello again."
    open_workspace(settings).open_threads().move_to_trash(THREAD)
    assert THREAD not in assistant.handles.traces.ids()
    assert list((settings.ana_data_dir / "locks").iterdir()) == []


def test_very_many_conversations_are_purged_without_as_many_open_files(
    make_assistant: MakeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ana.threads.threads.AT_ONCE", 2)
    assistant = make_assistant(*["Hello."] * 5)
    ids = [f"0b0e2d2e-93a5-4b1e-8a5a-3d2f5ad0b00{n}" for n in range(5)]
    for id in ids:
        assistant.ask("hello", id)
    threads = assistant.handles.workspace.open_threads()
    threads.purge(ids[:-1])
    assert threads.store.ids() == ids[-1:]
    assert assistant.handles.traces.ids() == ids[-1:]


@pytest.mark.parametrize("spell", [str.upper, lambda id: id.replace("-", ""), "{{{}}}".format, "urn:uuid:{}".format])
def test_a_conversation_has_one_owner_however_its_id_is_written(settings: Settings, spell: Any) -> None:
    lock = open_workspace(settings).open_locks().lock(THREAD, "somebody")
    lock.acquire()
    with pytest.raises(StoreBusy, match="somebody"):
        open_workspace(settings).open_locks().lock(spell(THREAD), "another", patience=0).acquire()
    lock.release()
    assert open_workspace(settings).open_threads().resolve(spell(THREAD)) == THREAD


def test_names_that_are_given_at_once_are_all_kept(settings: Settings) -> None:
    names = [f"trip {n}" for n in range(60)]
    with ThreadPoolExecutor(20) as pool:
        ids = list(pool.map(lambda name: open_workspace(settings).open_threads().remember(name), names))
    assert open_workspace(settings).open_thread_store().names() == dict(zip(ids, names, strict=True))
    assert sorted(each.name for each in settings.ana_data_dir.iterdir()) == ["thread_names.json"]


def test_a_conversation_whose_name_was_lost_is_restored_by_it(
    make_assistant: MakeAssistant, settings: Settings
) -> None:
    threads = open_workspace(settings).open_threads()
    make_assistant("Hello.").ask("hello", threads.remember("garden"))
    (settings.ana_data_dir / "thread_names.json").unlink()
    threads.move_to_trash(threads.resolve("garden"))
    assert threads.restore(" garden ").id == threads.resolve("garden")


@pytest.mark.parametrize("spell", [str.upper, lambda id: id.replace("-", ""), lambda id: id[:8]])
def test_a_conversation_without_a_name_is_restored_by_its_id(
    make_assistant: MakeAssistant, settings: Settings, spell: Any
) -> None:
    make_assistant("Hello.").ask("hello", THREAD)
    open_workspace(settings).open_threads().move_to_trash(THREAD)
    assert open_workspace(settings).open_threads().restore(spell(THREAD)).id == THREAD


def test_a_name_is_no_beginning_of_an_id(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant, threads = make_assistant("Hello.", "Hello again."), open_workspace(settings).open_threads()
    named, other = threads.remember("a"), "a" + THREAD[1:]
    for id in (named, other):
        assistant.ask("hello", id)
        threads.move_to_trash(id)
    assert threads.restore("a").id == named
    assert threads.find_deleted("a") is None
    assert threads.restore(other[:8]).id == other


def test_of_two_deletions_the_last_is_taken_back_also_after_the_clock_went_back(
    make_assistant: MakeAssistant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assistant, threads, now = (
        make_assistant(*["Hello."] * 3),
        open_workspace(settings).open_threads(),
        datetime(2026, 1, 8, 12),
    )
    for question in ("unrelated", "first", "second"):
        id = threads.remember("garden" if question != "unrelated" else question)
        assistant.ask(question, id)
        monkeypatch.setattr("ana.threads.threads.datetime", SimpleNamespace(now=lambda _, now=now: now))
        threads.move_to_trash(id)
        now -= timedelta(days=1)
    threads.purge([each.id for each in threads.store.list_trash() if each.name == "unrelated"])
    assert threads.restore("garden").about == "second"


def test_a_name_goes_before_the_id_of_another_conversation(make_assistant: MakeAssistant, settings: Settings) -> None:
    assistant, threads = make_assistant(*["Hello."] * 2), open_workspace(settings).open_threads()
    named = threads.remember("deadbeef")
    assistant.ask("by name", named)
    other = "deadbeef-93a5-4b1e-8a5a-3d2f5ad0b001"
    assistant.ask("by id", other)
    assert threads.resolve("deadbeef") == threads.remember("deadbeef") == threads.open("deadbeef") == named
    assert threads.resolve("deadbeef-93a5") == other


def test_the_beginning_of_an_id_is_no_new_name(make_assistant: MakeAssistant, settings: Settings) -> None:
    make_assistant("Hello.").ask("by id", THREAD)
    threads = open_workspace(settings).open_threads()
    with pytest.raises(WrongName, match=f"give its whole id, {THREAD}"):
        threads.remember(THREAD[:8])
    assert threads.store.names() == {}
    assert threads.open(THREAD[:8]) == THREAD, "the REPL goes on with what its list shows"


def test_a_kill_of_who_owned_every_conversation_keeps_nobody_out(settings: Settings) -> None:
    folder = settings.ana_data_dir / "locks"
    folder.mkdir(parents=True)
    (folder / "all.lock").touch()
    lock = open_workspace(settings).open_locks().lock(THREAD, "somebody", patience=0)
    lock.acquire()
    lock.release()
    assert not (folder / "all.lock").exists()


def test_a_restore_waits_for_the_turns_that_work(settings: Settings, ana: Run, tmp_path: Any) -> None:
    reached, opened = threading.Event(), threading.Event()

    def wait(_: Any) -> str:
        reached.set()
        opened.wait(60)
        return "Two."

    handles = open_handles(open_workspace(settings), model=ScriptedModel(replies=["One.", wait]))
    with open_assistant(handles) as assistant, ThreadPoolExecutor(2) as pool:
        assistant.ask("first", THREAD)
        assert ana("backup", str(tmp_path / "b.zip")).returncode == 0
        asked = pool.submit(assistant.ask, "second", THREAD)
        assert reached.wait(30)
        restored = pool.submit(ana, "restore", str(tmp_path / "b.zip"))
        while not (settings.ana_data_dir / "locks" / "all.lock").exists() and not restored.done():
            time.sleep(0.01)
        opened.set()
        assert asked.result().answer == "Two."
        assert restored.result().returncode == 0
    with closing(sqlite3.connect(settings.ana_data_dir / "threads.sqlite")) as db:
        kept = b" ".join(row[0] for row in db.execute("SELECT checkpoint FROM checkpoints"))
    assert (b"first" in kept, b"second" in kept) == (True, False)
    assert open_workspace(settings).open_threads().describe(THREAD).latest == "first"
