"""`ana reindex`: embed everything again, with the same embedder or another."""

import sys
from typing import Annotated

import typer

from ana.embedders.build import choose_embedder
from ana.embedders.minilm_folder import find_minilm
from ana.handles import LOCAL_EMBEDDERS, open_data_folder
from ana.settings import Embeddings, Settings
from app.startup import start


def reindex(
    embeddings: Annotated[Embeddings | None, typer.Option(help="Embed with this one; default: ANA_EMBEDDINGS.")] = None,
) -> None:
    """Embed everything again, with the same embedder or another."""
    settings = start()
    asked = settings.model_copy(update={"ana_embeddings": embeddings or settings.ana_embeddings})
    chosen = choose_embedder(asked)
    count = embed_again(settings.model_copy(update={"ana_embeddings": chosen}))
    print(f"{count} records are embedded with {chosen}.", file=sys.stderr)
    if chosen not in (settings.ana_embeddings, *LOCAL_EMBEDDERS) or settings.ana_embeddings not in ("auto", chosen):
        print(f"Set ANA_EMBEDDINGS={chosen} in .env: this data folder now needs it.", file=sys.stderr)


def embed_again(settings: Settings) -> int:
    """Embed everything again with ANA_EMBEDDINGS, showing progress on standard error. Return the number of records.

    Raises:
        ConfigError: The embedder is not available; nothing was changed.
    """
    from rich.console import Console
    from rich.progress import Progress

    if settings.ana_embeddings == "minilm" and settings.ana_embedder_dir is None and find_minilm() is None:
        from ana.backends.chroma.minilm_files import fetch_minilm

        print("Downloading all-MiniLM-L6-v2 (80 MB).", file=sys.stderr)
        fetch_minilm()
    with (
        open_data_folder(settings, "ana reindex") as handles,
        Progress(console=Console(stderr=True), transient=True) as bar,
    ):
        task = bar.add_task("embedding")
        return handles.backend.reindex(lambda done, total: bar.update(task, completed=done, total=total))
