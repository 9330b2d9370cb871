"""What keeps the records of turns passes the suite, in files and in memory."""

from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from ana.postgres.database import Database
from ana.postgres.person import PersonRows
from ana.settings import Settings
from ana.tracing.port import InMemoryTraces, Traces
from ana.tracing.postgres import PostgresTraces
from ana.tracing.schema import Record
from ana.workspace import open_workspace
from tests.postgres.server import open_people
from tests.threads.conformance import ONE
from tests.tracing.conformance import TRACES, OpenTraces, record, turns_that_were_answered_again_are_read_once


@pytest.mark.parametrize("check", TRACES)
def test_trace_files_conform(check: Callable[[OpenTraces], None], settings: Settings) -> None:
    check(lambda person: open_workspace(settings, person).open_traces())


@pytest.mark.parametrize("check", TRACES)
def test_traces_in_memory_conform(check: Callable[[OpenTraces], None]) -> None:
    check(defaultdict[str, Traces](InMemoryTraces).__getitem__)


@pytest.mark.parametrize("check", TRACES)
def test_traces_in_postgres_conform(check: Callable[[OpenTraces], None]) -> None:
    people = open_people()
    check(lambda person: PostgresTraces(people(person)))


def test_a_record_that_the_database_does_not_take_costs_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = PersonRows(Database("host=127.0.0.1 port=1 dbname=none", timeout=0.2), "owner")
    traces = PostgresTraces(nowhere)
    traces.write(record("a"))
    assert traces.place(ONE, "a") == ""
    assert "No record of the turn is kept." in capsys.readouterr().err


def test_no_secret_reaches_the_database() -> None:
    traces = PostgresTraces(open_people()("owner"), ["a secret word"])
    traces.write(record("a", answer="a secret word"))
    assert "a secret word" not in traces.read_text(ONE)


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
