"""The reader is a chat model and nothing else; it works in a whole assistant."""

import sys

import pytest

from ana.errors import ConfigError
from ana.models.providers import build_model
from ana.settings import PROJECT, Settings
from evals.imports import imports_of, source_files
from tests.models.conftest import Ask

FOLDER = PROJECT / "ana" / "models" / "offline"
READER = "ana.models.offline"
READS = (
    "ana.models.offline",
    "ana.models.base",
    "ana.models.fence",
    "ana.time.when",
    "ana.time.repeats",
    "ana.time.dates",
    "ana.memory.status",
    "ana.output",
    "ana.phrases",
    "ana.values",
)
MOST_LINES = 350
"""A small reader is a promise."""


@pytest.mark.parametrize("module", [name for name in source_files() if name.startswith(READER)])
def test_it_reads_nothing_of_store_graph_or_nodes(module: str) -> None:
    assert [name for name in imports_of(module) if not name.startswith(READS)] == []


def test_it_could_be_deleted_without_touching_another_file(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in source_files():
        if not module.startswith(READER) and module != "ana.models.providers":
            assert not any(name.startswith(READER) for name in imports_of(module)), module
    monkeypatch.setitem(sys.modules, "ana.models.offline.reader", None)
    with pytest.raises(ConfigError, match="offline reader"):
        build_model(settings)


def test_it_stays_small() -> None:
    files = [*FOLDER.glob("*.py"), *FOLDER.glob("*.txt")]
    assert sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files) <= MOST_LINES


def test_the_first_minutes(ask: Ask) -> None:
    """What is kept is found by its words and by its day, done, moved, taken back, and nothing else is found."""
    for text in ("bike lock code is 4471", "Leo is allergic to cashews", "remind me to pay the rent on friday"):
        assert ask(text).changes
    assert "4471" in ask("bike lock?").answer
    assert "cashews" in ask("what can leo not eat").answer
    assert ask("friday").answer.startswith("- “pay the rent on friday”, due Fri ")
    assert "I found nothing like that" in ask("what did i quote henderson").answer
    (done,) = ask("pay the rent done").changes
    assert done["after"]["properties"]["status"] == "done"
    taken_back = ask("undo").answer
    assert taken_back.startswith("Taken back.")
    (again,) = ask(taken_back.partition("“")[2].partition("”")[0]).changes
    assert again["after"] == done["after"], "it recommends what works at every door"
    assert ask("undo").changes[0]["after"] == done["before"]
    assert ask("delete the bike lock code").changes[0]["after"] is None
    refused = ask("cancel Netflix by friday")
    assert (refused.changes, refused.fruitless) == ([], True)
    (kept,) = ask("task: cancel Netflix by friday").changes
    assert kept["after"]["content"] == "cancel Netflix by friday"
    assert kept["after"]["properties"]["type"] == "task"


def test_what_is_kept_already_is_kept_again_when_it_is_said_again(ask: Ask) -> None:
    assert ask("laundry").changes
    assert ask("laundry").changes == []
    assert ask("laundry").changes


def test_long_texts_are_read_quickly(ask: Ask) -> None:
    for text in ("what is due " + "1/13 " * 390, "a" * 1990, "done " * 390, "x\n" * 5000):
        assert ask(text).answer
