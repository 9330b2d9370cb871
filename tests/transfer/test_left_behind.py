"""What people of another assistant left behind is found here by the questions that they asked it."""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ana.backends.in_memory import InMemoryBackend
from ana.handles import Handles
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.models.offline.reader import OfflineReader
from ana.settings import load_settings
from ana.spending.total import NoSpending
from ana.time.clock import Clock
from ana.tracing.files import TraceFiles
from ana.transfer.bundle import Bundle
from ana.transfer.importer import import_bundle
from ana.values import DELIMITER, Json
from ana.workspace import open_workspace
from app.due import group_due
from app.turn import open_assistant
from tests.conftest import BERLIN, EMBEDDER, WEDNESDAY, folders

DATA = Path(__file__).parents[1] / "data" / "left_behind.json"
REPORT, PROPOSAL, MEETING = "Review the quarterly report", "Draft the proposal", "Team meeting about the launch"
PHOTOS, LANDLORD, EXPENSES = "Sort the photos of the flat", "Write to the landlord", "Hand in the expenses"
DOOR = "The door code of the office is with Sarah"
EVERY = (REPORT, PROPOSAL, MEETING, PHOTOS, LANDLORD, EXPENSES, DOOR)

Ask = Callable[[str], str]


def read_left() -> Bundle:
    """Return what was left behind: of each item its text, with its properties in words below, and the properties."""
    left: dict[str, dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
    items = []
    for id, (document, metadata) in left["items"].items():
        properties = {name: value for name, value in metadata.items() if name not in ("created_at", "updated_at")}
        content = document.partition(DELIMITER)[0]
        items.append(Item(id, content, properties, metadata["created_at"], metadata["updated_at"]))
    context = next(document for document, _ in left["global_context"].values())
    lines = enumerate(context.partition(DELIMITER)[0].splitlines())
    stamp = "2026-01-05T09:00:00.000000+00:00"
    return Bundle(items, [Item(str(number), text, {}, stamp, stamp) for number, text in lines])


@pytest.fixture(scope="module")
def handles(tmp_path_factory: pytest.TempPathFactory) -> Handles:
    """What was left behind, imported; nothing here changes it."""
    path, clock = tmp_path_factory.mktemp("left"), Clock(BERLIN, lambda: WEDNESDAY)
    memory, settings = Memory(InMemoryBackend(EMBEDDER), clock), load_settings(folders(path))
    import_bundle(memory, read_left())
    return Handles(
        open_workspace(settings), clock, memory, TraceFiles(settings.traces_dir), OfflineReader(), NoSpending()
    )


@pytest.fixture(scope="module")
def ask(handles: Handles) -> Iterator[Ask]:
    with open_assistant(handles) as assistant:
        yield lambda question: assistant.ask(question, str(uuid.uuid4())).answer


ASKED: list[tuple[str, tuple[str, ...]]] = [
    ("What do I have going on this week?", (MEETING, PROPOSAL)),
    ("What's due on Tuesday?", (REPORT,)),
    ("what's due on 2026-01-13?", (REPORT,)),
    ("What is still open?", (MEETING, PROPOSAL, REPORT, LANDLORD, PHOTOS)),
    ("anything about the photos?", (PHOTOS,)),
    ("where is the door code?", (DOOR,)),
]


@pytest.mark.parametrize(("question", "expected"), ASKED)
def test_the_offline_reader_answers(ask: Ask, question: str, expected: tuple[str, ...]) -> None:
    answer = ask(question)
    named = sorted((each for each in EVERY if each in answer), key=answer.index)
    assert tuple(named) == expected, answer


def test_what_was_learned_is_known(handles: Handles) -> None:
    lines = (
        "Does focused work in the mornings",
        "Picks up the twins at half past three",
        "Acme comes first this quarter",
    )
    assert {*lines} <= {*handles.memory.lines().values()}


FOUND: list[tuple[str | None, dict[str, Json] | None, set[str]]] = [
    (None, {"status": "in-progress"}, {PROPOSAL, PHOTOS}),
    (None, {"status": {"$nin": ["completed", None]}}, {REPORT, PROPOSAL, MEETING, PHOTOS, LANDLORD}),
    (None, {"priority": {"$lte": 2}}, {REPORT, PROPOSAL, LANDLORD}),
    (None, {"$on": {"$gte": "2026-01-07", "$lte": "2026-01-08"}}, {MEETING, PROPOSAL}),
    (None, {"project": "acme", "context": "work"}, {REPORT, PROPOSAL}),
    ("due Tuesday January 13 2026", None, {REPORT}),
    ("Due Date is Wednesday January 7 2026 at 2:00 PM", None, {MEETING}),
    ("quarterly figures", None, {REPORT}),
    ("the rent and the owner of the flat", None, {LANDLORD, PHOTOS}),
]


@pytest.mark.parametrize(("text", "where", "expected"), FOUND)
def test_queries_find_it(handles: Handles, text: str | None, where: dict[str, Json] | None, expected: set[str]) -> None:
    found = handles.memory.find(text, where, len(expected) if text else 10)
    assert {item.content for item in found.items} == expected


def test_similar_tasks_are_found_and_open_ones_are_due(handles: Handles) -> None:
    (report,) = handles.memory.find(where={"due_date": "2026-01-13"}).items
    assert handles.memory.find_similar(report.id, limit=1).items[0].content == PROPOSAL
    due = {name: [item.content for item in found.items] for name, found in group_due(handles).items()}
    assert due == {"overdue": [], "unmarked": [], "today": [MEETING], "week": [PROPOSAL, REPORT]}
