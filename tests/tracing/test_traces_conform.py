"""What keeps the records of turns passes the suite, in files and in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from ana.settings import Settings
from ana.tracing.port import InMemoryTraces
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from tests.threads.conformance import ONE
from tests.tracing.conformance import TRACES, OpenTraces, turns_that_were_answered_again_are_read_once


@pytest.mark.parametrize("kind", ["files", "memory"])
@pytest.mark.parametrize("check", TRACES)
def test_traces_conform(check: Callable[[OpenTraces], None], kind: str, settings: Settings) -> None:
    kept: dict[str, InMemoryTraces] = defaultdict(InMemoryTraces)
    check(kept.__getitem__ if kind == "memory" else lambda person: open_workspace(settings, person).open_traces())


class OnlyTheLast(InMemoryTraces):
    """Traces that lose what was answered again."""

    def iter_attempts(self, thread_id: str) -> Iterator[Record]:
        return iter([*super().iter_attempts(thread_id)][-1:])


def test_the_suite_notices_traces_that_lose_attempts() -> None:
    traces = OnlyTheLast()
    with pytest.raises(AssertionError):
        turns_that_were_answered_again_are_read_once(lambda _: traces)


def test_a_file_that_is_deleted_meanwhile_and_a_folder_of_that_name_are_no_traces(settings: Settings) -> None:
    workspace = open_workspace(settings)
    traces, folder = workspace.open_traces(), workspace.traces_folder
    (folder / "notes.jsonl").mkdir(parents=True)
    for name in ("gone", ONE):  # what a list of files names, and is not there when it is read
        (folder / f"{name}.jsonl").symlink_to(folder / "nowhere")
    assert traces.ids() == traces.ids(1.0) == []
    assert traces.find("turn") is traces.find("gone") is None
    assert traces.read_text("gone") == ""
    assert traces.find_mentions(lambda _: True) == set()
    assert workspace.open_spending().today() == 0
