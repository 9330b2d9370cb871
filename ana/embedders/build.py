"""The embedder that the settings ask for. One that is configured and fails never turns into another."""

from collections.abc import Callable
from pathlib import Path

from ana.embedders.base import Embedder
from ana.embedders.minilm import MiniLmEmbeddings
from ana.embedders.minilm_folder import find_minilm
from ana.embedders.remote import OllamaEmbeddings, OpenAiEmbeddings
from ana.embedders.wordllama import WordLlamaEmbeddings
from ana.errors import ConfigError
from ana.settings import Settings

EMBEDDERS: dict[str, Callable[[Settings, Path | None], Embedder]] = {
    "wordllama": lambda *_: WordLlamaEmbeddings(),
    "minilm": lambda settings, verified: MiniLmEmbeddings(settings.ana_embedder_dir, verified),
    "openai": lambda settings, _: OpenAiEmbeddings(settings),
    "ollama": lambda settings, _: OllamaEmbeddings(settings),
}


def build_embedder(settings: Settings, name: str | None = None, verified: Path | None = None) -> Embedder:
    """Return an embedder by name; nothing is loaded or asked until it gets a text.

    Args:
        settings: What was set.
        name: wordllama, minilm, openai or ollama; default: the one ANA_EMBEDDINGS names.
        verified: Where to note that the files of an embedder are as published; None to look each time.

    Raises:
        ConfigError: There is no such embedder, or its key is missing; names the setting.
    """
    wanted = name or choose_embedder(settings)
    if wanted not in EMBEDDERS:
        known = ", ".join(EMBEDDERS)
        raise ConfigError(f"No embedder is called {wanted!r}.", f"Set ANA_EMBEDDINGS to auto or one of {known}.")
    return EMBEDDERS[wanted](settings, verified)


def choose_embedder(settings: Settings) -> str:
    """Return the name that ANA_EMBEDDINGS gives; with auto minilm where its files are, else wordllama."""
    if settings.ana_embeddings != "auto":
        return settings.ana_embeddings
    return "minilm" if find_minilm(settings.ana_embedder_dir) else "wordllama"
