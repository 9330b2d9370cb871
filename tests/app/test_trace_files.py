"""Trace files: a record is whole or not there, and no turn fails because of one."""

import json
import os
from pathlib import Path
from typing import Any, cast

import pytest

from ana.settings import Settings
from ana.tracing.files import TraceFiles
from ana.tracing.schema import Record
from app.outcome import expect_done
from tests.conftest import THREAD, MakeAssistant, folders
from tests.forks import run_forked


def make_record(id: str) -> Record:
    told = {"id": id, "ts": "2026-01-07T09:00:00+01:00", "question": "hi", "steps": [], "answer": "Hello."}
    return cast(Record, told | {"thread_id": THREAD})


def test_a_full_disk_costs_a_warning_and_no_turn(
    make_assistant: MakeAssistant,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assistant = make_assistant("Hello.", "Hello again.")
    assert Path(expect_done(assistant.ask("hi", THREAD)).trace_path).exists()
    open_really = os.open

    def open_full(path: Any, *how: Any, **options: Any) -> int:
        is_trace = str(path).endswith(".jsonl")
        return open_really("/dev/full", os.O_RDWR) if is_trace else open_really(path, *how, **options)

    monkeypatch.setattr("ana.files.os.open", open_full)
    told = expect_done(assistant.ask("hi", THREAD))
    assert (told.answer, told.trace_path) == ("Hello again.", "")
    assert "No space left on device. No record of the turn is kept." in capsys.readouterr().err


def test_a_folder_for_traces_that_cannot_be_written_costs_a_warning_and_no_turn(
    make_assistant: MakeAssistant, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.traces_dir.write_text("a file is in its place")
    assistant = make_assistant("Hello.", "Hello again.")
    assert assistant.ask("hi", THREAD).answer == "Hello."
    assert assistant.ask("hi", THREAD).answer == "Hello again."
    assert capsys.readouterr().err.count("Check the disk and TRACES_DIR.") == 2


KILLED = """
    import io, json, os, signal, sys
    from ana.handles import open_handles
    from ana.models.scripted import ScriptedModel
    from ana.settings import load_settings
    from ana.workspace import open_workspace
    from app.turn import open_assistant

    class Torn(io.FileIO):
        def write(self, line):
            super().write(line[: len(line) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    workspace, thread = open_workspace(load_settings(json.loads(sys.argv[1]))), sys.argv[2]
    with open_assistant(open_handles(workspace, model=ScriptedModel(replies=["One.", "Two."]))) as assistant:
        assistant.ask("first", thread)
        os.fdopen = lambda fd, *_, **__: Torn(fd, "r+b")
        assistant.ask("second", thread)
"""


def test_a_kill_while_a_record_is_written_leaves_every_earlier_one_whole(tmp_path: Path) -> None:
    env = folders(tmp_path)
    assert run_forked("-c", KILLED, json.dumps(env), THREAD).returncode == -9
    traces = TraceFiles(tmp_path / "traces")
    assert traces.path(THREAD).read_bytes().count(b"\n") == 1, "the second is there by half"
    assert [record["question"] for record in traces.read(THREAD)] == ["first"]
    traces.write(make_record("third"))
    assert [record["answer"] for record in traces.read(THREAD)] == ["One.", "Hello."]
    assert os.stat(traces.path(THREAD)).st_mode & 0o777 == 0o600
