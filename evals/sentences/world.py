"""A whole assistant in the small world of evals/data/sentences, the same at the beginning of every sentence."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from ana.backends.chroma.backend import ChromaBackend
from ana.embedders import WordLlamaEmbeddings
from ana.memory.memory import Memory
from ana.models.providers import build_model
from ana.settings import load_settings
from ana.time.clock import Clock
from app.outcome import expect_done
from app.throwaway import open_throwaway
from evals.sentences.data import ZONE, Sentence, load_life, make_items
from evals.sentences.expected import Outcome, judge


class World:
    """The small world, on a fresh copy of its folder whenever a sentence has changed something.

    Args:
        folder: The folder of the copies.
    """

    def __init__(self, folder: Path) -> None:
        life = load_life()
        self._items = make_items(life)
        self._clock = Clock(ZONE, lambda: datetime.fromisoformat(life["now"]))
        self._folder = folder
        self._embedder = WordLlamaEmbeddings()
        self._copies = 0
        self._stack = ExitStack()
        backend = ChromaBackend(folder / "first", self._embedder)
        backend.fill(self._items)
        memory = Memory(backend, self._clock)
        for line in life["context"]:
            memory.append_line(line)
        memory.close()
        self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def put(self, sentence: Sentence) -> Outcome:
        """Say a sentence to the assistant and judge its answer."""
        answer = expect_done(self._assistant.ask(sentence.text, f"00000000-0000-4000-8000-{self._said:012}"))
        self._said += 1  # each sentence in a conversation of its own
        if answer.changes:
            self._stack.close()
            self._open()
        contents = {item.id: item.content for item in self._items}
        return judge(sentence, answer, contents)

    def _open(self) -> None:
        self._copies += 1
        self._said = 0
        data = self._folder / str(self._copies)
        shutil.copytree(self._folder / "first", data)
        # what it understands is judged, not what it asks about
        settings = load_settings({"LLM_PROVIDER": "offline", "ANA_AUTONOMY": "act"})
        backend = ChromaBackend(data, self._embedder)
        opened = open_throwaway(settings, build_model(settings), backend, self._clock)
        self._assistant = self._stack.enter_context(opened)


@contextmanager
def open_world() -> Iterator[World]:
    with tempfile.TemporaryDirectory() as name, World(Path(name)) as opened:
        yield opened
