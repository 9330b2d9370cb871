"""The assistant opens in the background, and what a search needs is loaded while nobody waits."""

import gc
from pathlib import Path

import pytest

from ana.embedders import WordLlamaEmbeddings
from ana.settings import load_settings
from ana.workspace import open_workspace
from app.repl.opening import Opening
from app.turn import Assistant
from tests.conftest import folders
from tests.embedders.loopback import Answer, loopback


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were embedded to search for them."""
    texts: list[str] = []

    def embed(_: WordLlamaEmbeddings, text: str) -> list[float]:
        texts.append(text)
        return [1.0] + 255 * [0.0]

    monkeypatch.setattr(WordLlamaEmbeddings, "embed_query", embed)
    return texts


def ignore(_: Assistant) -> None:
    pass


def test_the_encoder_is_loaded_while_the_person_types(tmp_path: Path, embedded: list[str]) -> None:
    with Opening(open_workspace(load_settings(folders(tmp_path))), ignore) as opening:
        opening.start()
    assert len(embedded) == 1


def test_whoever_waits_for_an_answer_does_not_wait_for_that(tmp_path: Path, embedded: list[str]) -> None:
    with Opening(open_workspace(load_settings(folders(tmp_path))), ignore) as opening:
        opening.assistant()
    assert embedded == []


def test_no_garbage_is_looked_for_while_it_opens(tmp_path: Path) -> None:
    looking: list[bool] = []
    with Opening(open_workspace(load_settings(folders(tmp_path))), lambda _: looking.append(gc.isenabled())) as opening:
        opening.wait()
    assert looking == [False]
    assert gc.isenabled()


def test_an_embedder_elsewhere_is_sent_nothing_unasked(tmp_path: Path) -> None:
    with loopback(lambda _: Answer(b"{}")) as server:
        env = folders(tmp_path, ANA_EMBEDDINGS="ollama", OLLAMA_HOST=server.url)
        with Opening(open_workspace(load_settings(env)), ignore) as opening:
            opening.start()
        assert server.requests == []
