"""The embedder that the settings ask for. If it fails, no other embedder replaces it."""

from collections.abc import Callable

from ana.embedders.base import Embedder
from ana.embedders.minilm import MiniLmEmbeddings, find_minilm
from ana.embedders.remote import OllamaEmbeddings, OpenAiEmbeddings
from ana.embedders.wordllama import WordLlamaEmbeddings
from ana.errors import ConfigError
from ana.settings import Settings

EMBEDDERS: dict[str, Callable[[Settings], Embedder]] = {
    "wordllama": lambda _: WordLlamaEmbeddings(),
    "minilm": lambda settings: MiniLmEmbeddings(settings.ana_embedder_dir),
    "openai": OpenAiEmbeddings,
    "ollama": OllamaEmbeddings,
}


def build_embedder(settings: Settings, name: str | None = None) -> Embedder:
    """Return an embedder by name, by default the one ANA_EMBEDDINGS names; nothing is loaded until it gets a text.

    Raises ConfigError, which names the setting, if there is no such embedder, or its key is missing.
    """
    wanted = name or choose_embedder(settings)
    if wanted not in EMBEDDERS:
        known = ", ".join(EMBEDDERS)
        raise ConfigError(f"No embedder is called {wanted!r}.", f"Set ANA_EMBEDDINGS to auto or one of {known}.")
    return EMBEDDERS[wanted](settings)


def choose_embedder(settings: Settings) -> str:
    """Return the name in ANA_EMBEDDINGS; for `auto` it is minilm if its files are there, else wordllama."""
    if settings.ana_embeddings != "auto":
        return settings.ana_embeddings
    return "minilm" if find_minilm(settings.ana_embedder_dir) else "wordllama"
