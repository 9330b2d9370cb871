"""Of two facts that say much the same the newer one stands first, with the day of each; nothing is hidden."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import Embedder
from ana.embedders.minilm import MiniLmEmbeddings, find_minilm
from ana.memory.memory import Memory
from ana.time.clock import Clock
from evals.retrieval.measure import CLOCK, load_items
from tests.conftest import EMBEDDER
from tools.call import CallContext
from tools.context import append_context
from tools.items import create_item, query_items, update_item

DATA = json.loads((Path(__file__).parents[1] / "data" / "alike.json").read_text(encoding="utf-8"))
"""Written before anything was tuned: pairs of facts of which both are true, and questions that nothing answers."""

REPLACED = [
    ("The wifi password is bluefish22", "The wifi password is redstart9", "wifi password"),
    ("The gym opens at seven", "The gym opens at nine from now on", "when does the gym open"),
    ("I take two tablets of iron", "I take one tablet of iron now", "how many tablets of iron"),
]
OLDER = datetime(2026, 9, 1, 9, tzinfo=UTC)
with_minilm = pytest.mark.skipif(find_minilm() is None, reason="the encoder's package could not be installed")


class Life:
    """A memory whose clock is set by hand."""

    def __init__(self, embedder: Embedder = EMBEDDER) -> None:
        self.now = OLDER
        clock = Clock(UTC, lambda: self.now)
        self.call = CallContext(Memory(InMemoryBackend(embedder), clock), clock)

    def run(self, tool: BaseTool, **args: Any) -> tuple[Any, Any]:
        """Return what a tool tells, and its artifact."""
        asked = {"type": "tool_call", "id": "1", "name": tool.name, "args": args | {"call": self.call}}
        message: ToolMessage = tool.invoke(asked)
        return json.loads(message.text), message.artifact

    def keep(self, content: str, days: int = 0, **properties: Any) -> Any:
        self.now = OLDER + timedelta(days=days)
        return self.run(create_item, content=content, properties=properties)[0]

    def ask(self, text: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run(query_items, text=text)[0]["items"]
        return found


@pytest.mark.parametrize(("old", "new", "question"), REPLACED)
def test_the_newer_fact_stands_first_and_the_older_one_is_marked(old: str, new: str, question: str) -> None:
    life = Life()
    first, second = life.keep(old), life.keep(new, 40)
    assert second["similar"] == [{"id": first["id"], "content": old, "recorded": "2026-09-01"}]
    newer, older = life.ask(question)
    assert (newer["id"], newer["recorded"], "older" in newer) == (second["id"], "2026-10-11", False)
    assert (older["id"], older["recorded"], older["older"]) == (first["id"], "2026-09-01", f"than {second['id']}")


def test_a_fact_counts_from_when_its_text_was_changed_last() -> None:
    life = Life()
    old, new, question = REPLACED[1]
    first, second = life.keep(old), life.keep(new, 40)
    life.now = OLDER + timedelta(days=50)
    life.run(update_item, id=second["id"], properties={"n": 1})
    assert {item["id"]: item["recorded"] for item in life.ask(question)}[second["id"]] == "2026-10-11"
    life.run(update_item, id=first["id"], content="The gym opens at eight")
    assert next((item["id"], item["recorded"]) for item in life.ask(question)) == (first["id"], "2026-10-21")


def test_what_has_to_be_done_and_occasions_keep_their_order() -> None:
    life = Life()
    for days, properties in enumerate(({"status": "active"}, {"due_date": "2026-12-01"}, {"start_date": "2026-12-02"})):
        life.keep("The gym opens at seven", days, **properties)
    assert not any("older" in item for item in life.ask("when does the gym open"))


def check_true_pairs(embedder: Embedder) -> None:
    life = Life(embedder)
    for days in (0, 1):
        for pair in DATA["both_true"]:
            life.keep(pair[days], 40 * days)
    asked = {pair[2]: [item for item in life.ask(pair[2]) if "older" in item] for pair in DATA["both_true"]}
    assert {question: marked for question, marked in asked.items() if marked} == {}


def test_of_facts_that_are_both_true_none_is_marked() -> None:
    check_true_pairs(EMBEDDER)


@with_minilm
def test_none_is_marked_with_minilm_and_what_nothing_answers_is_told() -> None:
    embedder = MiniLmEmbeddings(find_minilm())
    check_true_pairs(embedder)
    memory = Memory(InMemoryBackend(embedder), CLOCK)
    for item in load_items("blind")[::4]:
        memory.create(item.content, item.properties)
    unanswered = [text for text in DATA["no_answer"] if memory.find(text).fitting == 0]
    assert len(unanswered) >= 24


def test_a_line_that_is_there_is_not_appended_again() -> None:
    life = Life()
    first, _ = life.run(append_context, content="Vegetarian")
    again, artifact = life.run(append_context, content=" Vegetarian ")
    assert again == first | {"note": "Nothing was stored: this line is there already."}
    assert artifact == {"refused_copy_of": "0", "content": "Vegetarian"}
    assert life.call.memory.lines() == {0: "Vegetarian"}
