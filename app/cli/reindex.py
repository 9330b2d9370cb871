"""`ana reindex`: embed everything again, with the same embedder or another."""

from typing import Annotated

import typer

from ana.handles import open_data_folder
from ana.output import tell
from ana.settings import Embeddings, Settings
from app.startup import start


def reindex(
    embeddings: Annotated[Embeddings | None, typer.Option(help="Embed with this one; default: ANA_EMBEDDINGS.")] = None,
) -> None:
    """Embed everything again, with the same embedder or another."""
    settings = start()
    chosen = embeddings or settings.ana_embeddings
    count = embed_again(settings, chosen)
    tell(f"{count} records are embedded with {chosen}.")
    if chosen != settings.ana_embeddings:
        tell(f"Set ANA_EMBEDDINGS={chosen} in .env: this data folder now needs it.")


def embed_again(settings: Settings, embeddings: Embeddings) -> int:
    """Embed everything again, showing progress on standard error. Return how many records there are.

    Raises:
        ConfigError: The embedder is not available; nothing was changed.
    """
    from rich.progress import Progress

    from app.show.console import make_console

    if embeddings == "minilm":
        from ana.backends.chroma.minilm_files import fetch_minilm

        tell("Downloading all-MiniLM-L6-v2 (80 MB) unless it is there already.")
        fetch_minilm()
    chosen = settings.model_copy(update={"ana_embeddings": embeddings})
    with (
        open_data_folder(chosen, "ana reindex") as handles,
        Progress(console=make_console(error=True), transient=True) as bar,
    ):
        task = bar.add_task("embedding")
        return handles.backend.reindex(lambda done, total: bar.update(task, completed=done, total=total))
