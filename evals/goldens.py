"""Golden traces: `make goldens` records them again and prints every difference; `make test` fails at one.

Each is a conversation: the records of its turns. Ids, times and tokens are fixed, so that a difference is a change of
what the program does.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, InvalidToolCall

from ana.backends.in_memory import InMemoryBackend
from ana.embedders import WordLlamaEmbeddings
from ana.errors import ModelFailed
from ana.files import write_whole
from ana.models.providers import build_model
from ana.models.scripted import ScriptedModel, calls
from ana.output import shorten
from ana.settings import PROJECT, Autonomy, Settings, load_settings
from ana.time.clock import Clock
from ana.tracing.schema import Record
from app.replay.compare import iter_differences
from app.replay.play import PlayContext, play
from app.replay.recorded import list_decisions, list_messages
from app.throwaway import make_throwaway

FILE = PROJECT / "tests" / "data" / "goldens.jsonl"
BEGINNING = datetime(2026, 1, 7, 8, 0, tzinfo=UTC)
SHORT = 200
"""Characters of a value, where a difference is told."""

STEPS = 6
"""Most model calls in a turn."""

Talk = tuple[str, Sequence[Any], Sequence[str]]
"""A message, the model's replies (none: the offline reader's), and what the person decides where they are asked."""

MILK = ("create_item", {"content": "Buy milk", "properties": {"type": "task", "due_date": "2026-01-09"}})
BROKEN = InvalidToolCall(type="invalid_tool_call", name="now", args='{"timezone": "utc"', id="x", error="")


def fail(_: list[BaseMessage]) -> AIMessage:
    """Fail as a provider does that does not answer."""
    raise ModelFailed("The model did not answer in time.", "Try again.")


def delete_first(messages: list[BaseMessage]) -> AIMessage:
    """Delete the item that was found."""
    result = json.loads(messages[-1].text.split("\n", 1)[1].rsplit("\n", 1)[0])
    return calls(("delete_item", {"id": result["items"][0]["id"]}))


FIND_MILK = calls(("query_items", {"text": "milk"}))
CONVERSATIONS: dict[str, tuple[Autonomy, list[Talk]]] = {
    "offline reader": (
        "confirm",
        [
            ("remember that I like tea", (), ()),
            ("buy milk tomorrow", (), ()),
            ("remind me to call the bank on Friday at 3pm", (), ()),
            ("what's due this week?", (), ()),
            ("find the milk", (), ()),
            ("what is 15% of 80?", (), ()),
            ("what day is it?", (), ()),
            ("done buy milk", (), ()),
            ("undo", (), ()),
            ("delete everything", (), ()),
            ("delete the bank", (), ("approve",)),
            ("hello", (), ()),
        ],
    ),
    "drafts that were sent back": (
        "confirm",
        [
            ("Keep this in mind", ["It is item abcd2e4f.", "I have not saved anything."], ()),
            ("Keep that", ["It is item abcd2e4f."] * 3, ()),
            ("hi", ["", "Hello."], ()),
            (
                "Add milk",
                [
                    calls(MILK, text="I've added milk."),
                    "It is due on Monday, 9 January.",
                    "It is due on Friday, 9 January.",
                ],
                (),
            ),
        ],
    ),
    "calls": (
        "confirm",
        [
            ("Add milk", [calls(MILK, ("append_context", {"content": "Likes milk"})), "Saved."], ()),
            ("Add milk again", [calls(MILK), "It is there already. A copy?"], ()),
            ("Yes", [calls(MILK), "Saved a copy."], ()),
            ("Do it", [calls(("create_item", {}), ("fly", {})), AIMessage("", invalid_tool_calls=[BROKEN]), "No."], ()),
            ("Time?", [calls(("now", {"timezone": "utc"}))] * 3, ()),
            ("Take it back", [calls(("undo", {})), "Taken back."], ()),
            ("Sum", [calls(("calculator", {"expression": "6 * 7"})), fail], ()),
        ],
    ),
    "what a person decided": (
        "advise",
        [
            ("Add milk", [calls(MILK), "Saved."], ("approve",)),
            ("Delete the milk", [FIND_MILK, delete_first, "It stays."], ("reject",)),
            ("Delete the milk", [FIND_MILK, delete_first, "It is gone."], ("approve",)),
        ],
    ),
}


@dataclass
class Golden:
    """A recorded conversation.

    Args:
        name: What it is about.
        records: Its turns.
    """

    name: str
    records: list[Record]

    def list_line_texts(self) -> set[str]:
        """Return the texts that its turns gave to lines of Global Context."""
        changes = (change for record in self.records for change in record.get("changes", []))
        sides = (change[side] for change in changes if change["kind"] == "line" for side in ("before", "after"))
        return {line["content"] for line in sides if line}


def read_goldens(file: Path = FILE) -> list[Golden]:
    """Return the golden traces of a file."""
    return [Golden(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def write_goldens(file: Path, goldens: Sequence[Golden]) -> None:
    """Write golden traces into a file, one a line."""
    write_whole(file, "".join(f"{json.dumps(vars(golden), ensure_ascii=False)}\n" for golden in goldens))


def record_goldens() -> list[Golden]:
    """Play every conversation and return its records."""
    return [record_golden(name, dial, turns) for name, (dial, turns) in CONVERSATIONS.items()]


def play_again(golden: Golden) -> Golden:
    """Return a conversation as the program plays it now on an empty store, with the decisions that were recorded."""
    turns = [(record["question"], list_decisions(record), ()) for record in golden.records]
    again = record_golden(golden.name, "act", turns)
    replied = zip(golden.records, again.records, strict=True)
    return replace(again, records=[cast(Record, {**new, **_who_replied(old)}) for old, new in replied])


def _who_replied(record: Record) -> dict[str, Any]:
    return {name: record.get(name) for name in ("model", "provider", "usage", "cost_usd")}


def list_differences(old: Sequence[Golden], new: Sequence[Golden]) -> Iterator[str]:
    """Yield every difference between two recordings, as a line for people."""
    before, after = ({golden.name: vars(golden) for golden in goldens} for goldens in (old, new))
    for name in [*before, *(after.keys() - before.keys())]:
        for place, one, other in iter_differences(before.get(name, {}), after.get(name, {}), name):
            yield f"{place}: {shorten(json.dumps(one), SHORT)} -> {shorten(json.dumps(other), SHORT)}"


def load_golden_settings() -> Settings:
    """Return the settings of all conversations, whatever the environment says."""
    return load_settings({"LLM_PROVIDER": "openai", "OPENAI_API_KEY": "none", "ANA_TIMEZONE": "Europe/Berlin"})


def record_golden(
    name: str, dial: Autonomy, turns: Sequence[Talk], own: Settings | None = None, replier: BaseChatModel | None = None
) -> Golden:
    """Play a conversation on an empty store, with a clock of its own, and return its records.

    Args:
        name: What it is about.
        dial: How much is done without asking.
        turns: What is said, and replied where no model is given.
        own: Settings in place of those of all conversations.
        replier: The model that replies.
    """
    moments = (BEGINNING + timedelta(seconds=n) for n in count())
    clock = Clock(ZoneInfo("Europe/Berlin"), lambda: next(moments))
    backend, thread = InMemoryBackend(WordLlamaEmbeddings()), name.replace(" ", "-")
    records: list[Record] = []
    for number, (question, replies, decisions) in enumerate(turns, 1):
        provider = "openai" if replies else "offline"
        settings = own or load_golden_settings().model_copy(update={"llm_provider": provider})
        model = replier or (ScriptedModel(replies=list(replies)) if replies else build_model(settings))
        context = PlayContext(
            id=f"{thread}-{number}",
            autonomy=dial,
            max_steps=STEPS,
            check="off",
            opened=make_throwaway(settings, model, backend, clock),
        )
        said = HumanMessage(question, id=f"{thread}-{number}-said")
        given = [{"decisions": [{"type": decision}]} for decision in decisions]
        record = play(context, thread, said, list_messages(records), replies=given)
        records.append(_fix(record, records[-1]["id"] if records else None))
    return Golden(name, json.loads(json.dumps(records)))


def _fix(record: Record, previous: str | None) -> Record:
    """Return a record without what is another each time, or whenever a prompt or a schema is."""
    inputs = {key: value for key, value in record["replay"].items() if key not in ("version", "tools", "prompts")}
    return cast(Record, {**record, "previous": previous, "durations": {}, "replay": inputs})


def main() -> None:
    """Record the golden traces again and print what has changed."""
    new = record_goldens()
    differences = list(list_differences(read_goldens() if FILE.exists() else [], new))
    write_goldens(FILE, new)
    for line in differences:
        print(line)
    turns = sum(len(golden.records) for golden in new)
    print(f"{turns} turns in {len(new)} conversations are recorded; differences: {len(differences)}.")


if __name__ == "__main__":
    main()
