"""What the offline reader makes of sentences: the calls each must cause, in evals/data/sentences.

`python -m evals.sentences` measures the held-out half: each sentence is put alone to a whole assistant on a fresh copy
of one small world. `--half tuning` names what is wrong in the other, on which the reader was tuned; there nothing is
really changed (evals/sentences/still.py).
"""

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from zoneinfo import ZoneInfo

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.handles import Handles
from ana.memory.item import Item
from ana.memory.memory import Memory
from ana.models.providers import build_model
from ana.settings import PROJECT, load_settings
from ana.time.clock import Clock
from ana.tracing.traces import Traces
from app.outcome import Done, expect_done
from app.turn import open_assistant
from evals.sentences.expected import wrong_writes, wrongs

DATA = PROJECT / "evals" / "data" / "sentences"
ZONE = ZoneInfo("Europe/Berlin")
STAMP = "2026-01-01T00:00:00.000000+00:00"

Half = Literal["tuning", "held-out"]


@dataclass(frozen=True)
class Sentence:
    """What is typed, and what it must cause; evals/data/sentences/README.md tells the forms.

    Args:
        id: Its name.
        kind: add, list, find, change, context, focus, sums, talk or foreign.
        text: What is typed.
        calls: The calls that change something, calculator and now, in order.
        shows: The ids of exactly the items to be shown.
        top: The ids of items that must be among those shown.
        asks: The ids of items that a question back must name.
        none: Whether it must be said that nothing was found.
        says: Words that the answer must hold.
    """

    id: str
    kind: str
    text: str
    calls: list[dict[str, Any]]
    shows: list[str] | None = None
    top: list[str] = field(default_factory=list)
    asks: list[str] = field(default_factory=list)
    none: bool = False
    says: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What came of a sentence.

    Args:
        sentence: The sentence.
        answer: What the assistant answered and did.
        wrong: What is not as it must be; empty when all is right.
        wrong_writes: Writes that it must not have caused.
    """

    sentence: Sentence
    answer: Done
    wrong: list[str]
    wrong_writes: list[str]


MORE = ("more", "third", "fourth", "fifth", "sixth", "traps", "seventh")
"""Written later than the two halves, and tuned on."""

FILES: dict[Half, tuple[str, ...]] = {"tuning": ("tuning", *MORE), "held-out": ("held-out",)}


def sentences(half: Half) -> list[Sentence]:
    texts = ((DATA / f"{name}.jsonl").read_text(encoding="utf-8") for name in FILES[half])
    return [Sentence(**json.loads(line)) for text in texts for line in text.splitlines()]


def life() -> dict[str, Any]:
    """The small life: `now`, Global Context as `context`, and `items`."""
    return dict(json.loads((DATA / "world.json").read_text(encoding="utf-8")))


def items_of(told: dict[str, Any]) -> list[Item]:
    return [Item(created_at=STAMP, updated_at=STAMP, **item) for item in told["items"]]


class World:
    """One small life, the same at the beginning of every sentence.

    Args:
        folder: Where its copies lie.
    """

    def __init__(self, folder: Path) -> None:
        told = life()
        self._items = items_of(told)
        self._clock = Clock(ZONE, lambda: datetime.fromisoformat(told["now"]))
        self._folder = folder
        self._embedder = WordLlamaEmbeddings()
        self._copies = 0
        self._stack = ExitStack()
        backend = ChromaBackend(folder / "first", self._embedder)
        backend.fill(self._items)
        memory = Memory(backend, self._clock)
        for line in told["context"]:
            memory.append_line(line)
        memory.close()
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def put(self, sentence: Sentence) -> Outcome:
        """Say a sentence to the assistant and compare."""
        answer = expect_done(self._assistant.ask(sentence.text, f"00000000-0000-4000-8000-{self._said:012}"))
        self._said += 1
        if answer.changes:
            self._stack.close()
            self._open()
        contents = {item.id: item.content for item in self._items}
        return Outcome(sentence, answer, wrongs(sentence, answer, contents), wrong_writes(sentence, answer))

    def _open(self) -> None:
        self._copies += 1
        self._said = 0
        path = self._folder / str(self._copies)
        shutil.copytree(self._folder / "first", path / "data")
        here = {
            "LLM_PROVIDER": "offline",
            "ANA_DATA_DIR": path / "data",
            "TRACES_DIR": path / "traces",
            "LOG_FILE_PATH": path / "log",
        }
        settings = load_settings({key: str(value) for key, value in here.items()})
        memory = Memory(ChromaBackend(settings.ana_data_dir, self._embedder), self._clock)
        handles = Handles(settings, self._clock, memory, Traces(settings.traces_dir), build_model(settings))
        self._assistant = self._stack.enter_context(open_assistant(handles))


@contextmanager
def world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as name, World(Path(name)) as opened:
        yield opened


def outcomes() -> list[Outcome]:
    """What comes of every sentence of the held-out half."""
    with world() as opened:
        return [opened.put(sentence) for sentence in sentences("held-out")]


def rows(every: list[Outcome] | None = None) -> Iterator[tuple[str, str]]:
    """How many sentences of each kind are answered rightly, and how many writes were wrong; of the held-out half."""
    every = outcomes() if every is None else every
    for kind in dict.fromkeys(outcome.sentence.kind for outcome in every):
        each = [outcome for outcome in every if outcome.sentence.kind == kind]
        yield f"sentences, {kind}", f"{sum(not o.wrong for o in each)} of {len(each)}"
    right = sum(not outcome.wrong for outcome in every)
    yield "sentences understood (goal 0.85)", f"{right} of {len(every)} = {right / len(every):.2f}"
    yield "wrong writes (goal 0)", str(sum(len(outcome.wrong_writes) for outcome in every))


def main() -> None:
    """Print the score of a half; of the tuning half also what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m evals.sentences", description=__doc__)
    parser.add_argument("--half", choices=["tuning", "held-out"], default="held-out")
    every = None
    if parser.parse_args().half == "tuning":
        from evals.sentences.still import outcomes as still_outcomes

        every = still_outcomes(sentences("tuning"))
        for outcome in every:
            if outcome.wrong:
                print(f"{outcome.sentence.id}: {outcome.sentence.text}\n    " + "\n    ".join(outcome.wrong))
    for name, figure in rows(every):
        print(f"{name:<40} {figure}")
