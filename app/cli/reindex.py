"""`ana reindex`: embed everything again, with the same embedder or another."""

from typing import Annotated

import typer

from ana.handles import LOCAL_EMBEDDERS, open_data
from ana.output import tell
from ana.settings import Embeddings
from ana.workspace import Workspace
from app.show.progress import show_progress
from app.startup import start


def reindex(
    embeddings: Annotated[Embeddings | None, typer.Option(help="The embedder to use; default: ANA_EMBEDDINGS.")] = None,
) -> None:
    """Embed everything again, with the same embedder or another."""
    from ana.embedders.build import choose_embedder

    workspace = start()
    changed = workspace.change(ana_embeddings=embeddings or workspace.settings.ana_embeddings)
    chosen = choose_embedder(changed.settings)
    count = embed_again(workspace.change(ana_embeddings=chosen))
    tell(f"{count} records are now embedded with {chosen}.")
    values = ("auto", chosen) if chosen in LOCAL_EMBEDDERS else (chosen,)
    if workspace.settings.ana_embeddings not in values:
        tell(f"Set ANA_EMBEDDINGS={chosen} in .env: the stored data now needs it.")


def embed_again(workspace: Workspace) -> int:
    """Embed everything again with ANA_EMBEDDINGS, showing progress on standard error. Return the number of records.

    Raises:
        ConfigError: The embedder is not available; nothing was changed.
    """
    with open_data(workspace, "ana reindex") as handles, show_progress("embedding") as progress:
        return handles.care.reindex(progress)
