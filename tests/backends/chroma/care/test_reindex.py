"""Embedding everything again: wherever it is cut short, all of the old or all of the new remains."""

import itertools
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from ana.backends.chroma.care import exchange as module
from ana.embedders import Embedder
from ana.errors import ConfigError
from ana.memory.memory import Memory
from ana.time.clock import Clock
from tests.chroma import chroma_of, find_neighbours, open_memory, upkeep_of
from tests.conftest import EMBEDDER
from tests.forks import start_forked


class Letters:
    """A tiny embedder of another size: how often each letter occurs in a text."""

    name = "letters"
    dimension = 26

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        counts = [1.0 + text.lower().count(chr(ord("a") + n)) for n in range(26)]
        length = sum(count * count for count in counts) ** 0.5
        return [count / length for count in counts]


LETTERS: Embedder = Letters()
ITEMS = [("water the orchids", {"type": "task"}), ("Dr. Wu, dentist", {"due_date": "2026-01-13"}), ("größe 🌍", {})]


def filled(path: Path, clock: Clock) -> None:
    memory = open_memory(path, EMBEDDER, clock)
    for content, properties in ITEMS:
        memory.create(content, dict(properties))
    memory.append_line("Prefers tea")
    memory.close()


def is_complete(path: Path, embedder: Embedder, clock: Clock) -> bool:
    """Return whether every record exists and is found, with this embedder."""
    memory = open_memory(path, embedder, clock)
    try:
        contents = {item.content for item in memory.items()}
        found = [memory.find(content, limit=1).items[0].content for content, _ in ITEMS]
        nearest = find_neighbours(memory, [item.id for item in _list_all(memory)], 1)
        assert nearest == [[item.id] for item in _list_all(memory)], "each item is found by its own vector"
        return contents == set(found) == {content for content, _ in ITEMS} and memory.lines() == {0: "Prefers tea"}
    finally:
        memory.close()


def _list_all(memory: Memory) -> list[Any]:
    return list(memory.items())


def test_every_item_and_line_is_embedded_again(tmp_path: Path, clock: Clock) -> None:
    filled(tmp_path, clock)
    memory = open_memory(tmp_path, LETTERS, clock)
    with pytest.raises(ConfigError) as refused:
        memory.count()
    assert "ana reindex --embeddings letters" in refused.value.hint
    told: list[tuple[int, int]] = []
    assert upkeep_of(memory).reindex(lambda done, total: told.append((done, total))) == 4
    assert told == [(0, 4), (3, 4), (4, 4)]
    memory.close()
    assert is_complete(tmp_path, LETTERS, clock)
    with pytest.raises(ConfigError, match="embedded with letters"):
        open_memory(tmp_path, EMBEDDER, clock).count()


def test_a_process_that_had_it_open_sees_the_new_collection(tmp_path: Path, clock: Clock) -> None:
    filled(tmp_path, clock)
    other = open_memory(tmp_path, EMBEDDER, clock)
    assert other.find("orchids").total == 3
    memory = open_memory(tmp_path, EMBEDDER, clock)
    upkeep_of(memory).reindex(lambda *_: None)
    memory.close()
    other.create("a fourth thing")
    assert other.find("fourth").items[0].content == "a fourth thing"
    assert other.count() == 4
    other.close()


def test_an_empty_folder_has_nothing_to_embed(tmp_path: Path, clock: Clock) -> None:
    memory = open_memory(tmp_path, LETTERS, clock)
    assert upkeep_of(memory).reindex(lambda *_: None) == 0
    assert memory.count() == 0


class Cut(Exception):
    """The process ends here."""


DECIDED = 7
"""The step that decides."""


@pytest.mark.parametrize("step", range(24))
def test_wherever_it_is_cut_short_the_old_or_the_new_is_complete(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Every call that changes something is, in turn, the one that is never reached."""
    from chromadb.api.client import Client
    from chromadb.api.models.Collection import Collection

    filled(tmp_path, clock)
    memory = open_memory(tmp_path, LETTERS, clock)
    with chroma_of(memory).folder.hold():
        steps = itertools.count()
        for owner, name in (
            (Client, "create_collection"),
            (Collection, "add"),
            (module, "write_whole"),
            (module, "remove_database"),
            (shutil, "rmtree"),
            (shutil, "copytree"),
            (Path, "unlink"),
        ):
            monkeypatch.setattr(owner, name, cut_at(getattr(owner, name), steps, step))
        try:
            upkeep_of(memory).reindex(lambda *_: None)
            cut = False
        except Cut:
            cut = True
    monkeypatch.undo()
    memory.close()
    assert cut == (step < 23), "all steps that change something were cut"
    assert is_complete(tmp_path, LETTERS if step > DECIDED else EMBEDDER, clock)


def cut_at(real: Any, steps: "itertools.count[int]", at: int) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        if next(steps) == at:
            raise Cut
        return real(*args, **kwargs)

    return call


KILLED = """
    import sys
    from pathlib import Path
    from ana.time.clock import Clock, find_local_zone
    from tests.backends.chroma.care.test_reindex import LETTERS
    from tests.chroma import chroma_of, open_memory, upkeep_of

    memory = open_memory(Path(sys.argv[1]), LETTERS, Clock(find_local_zone("UTC")))
    chroma_of(memory).folder.hold().__enter__()
    print("ready", flush=True)
    upkeep_of(memory).reindex(lambda *_: None)
"""


@pytest.mark.parametrize("after", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_killed_at_any_moment_the_old_or_the_new_is_complete(tmp_path: Path, clock: Clock, after: float) -> None:
    filled(tmp_path, clock)
    with start_forked("-c", KILLED, str(tmp_path)) as (_, _, told):
        assert told.readline() == "ready\n"
        time.sleep(after)
    memory = open_memory(tmp_path, EMBEDDER, clock)
    try:
        memory.count()
        embedder: Embedder = EMBEDDER
    except ConfigError:
        embedder = LETTERS
    memory.close()
    assert is_complete(tmp_path, embedder, clock)
