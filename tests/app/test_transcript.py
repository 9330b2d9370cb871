"""What was said before is read page by page, at every door, also what the thread's state has forgotten."""

from pathlib import Path

import pytest

from ana.errors import UserError
from ana.tracing.files import TraceFiles
from tests.app.conftest import Run
from tests.conftest import THREAD, MakeAssistant


def test_pages_go_back_to_the_beginning(make_assistant: MakeAssistant) -> None:
    assistant = make_assistant(*["word " * 3000] * 9)
    for n in range(9):
        assistant.ask(f"question {n}", THREAD)
    traces = TraceFiles(assistant.handles.settings.traces_dir)
    told: list[str] = []
    before: str | None = None
    while page := traces.page(THREAD, 4, before):
        told = [record["question"] for record in page] + told
        before = page[0]["id"]
    assert told == [f"question {n}" for n in range(9)]
    with pytest.raises(UserError, match="no turn 'x'"):
        traces.page(THREAD, 4, "x")


def test_the_doors(ana: Run, tmp_path: Path) -> None:
    said = "spare key?\n/transcript\nhello\n/transcript 1\n/transcript x\n/reset\n/transcript\n"
    shown = ana("chat", given=said).stdout
    assert "> spare key?\nI found nothing like that" in shown.partition("> /transcript\n")[2]
    assert "spare key" not in shown.partition("> /transcript 1\n")[2]
    assert "not a number of turns" in shown
    assert "nothing earlier" in shown
    (trace,) = (tmp_path / "traces").glob("*.jsonl")
    listed = ana("threads", "show", trace.stem, "--limit", "1").stdout
    assert "> hello" in listed
    assert "spare key" not in listed
    id = listed.split()[1]
    earlier = ana("threads", "show", trace.stem, "--before", id).stdout
    assert "> spare key?\nI found nothing like that" in earlier
    assert ana("threads", "show", "1", "--limit", "1").stdout == listed, "the first of the list"
    assert ana("threads", "show", "2").returncode == ana("threads", "show", "0").returncode == 1
    assert ana("threads", "show", "nothing").returncode == 1
