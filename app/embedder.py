"""What to say about the embedder of a data folder, when a better one can be had."""

from ana.files import is_read_only
from ana.settings import Settings


def suggest_embedder(settings: Settings) -> str | None:
    """Return one line if ANA_EMBEDDINGS is auto and the folder is not embedded with all-MiniLM-L6-v2."""
    from ana.backends.chroma.binding import read_embedder
    from ana.embedders.build import choose_embedder

    if settings.ana_embeddings != "auto":
        return None
    if choose_embedder(settings) != "minilm":
        return "Search uses wordllama: all-MiniLM-L6-v2, which finds far more by meaning, is installed by `make chat`."
    if read_embedder(settings.ana_data_dir) == "wordllama":
        return "`ana reindex` embeds this folder with all-MiniLM-L6-v2, which finds far more by meaning than wordllama."
    return None


def suggest_embedder_once(settings: Settings) -> str | None:
    """Return the line of `suggest_embedder` the first time, and None whenever it was returned before."""
    said = settings.ana_data_dir / "embedder-suggested"
    line = None if said.exists() or is_read_only(settings.ana_data_dir) else suggest_embedder(settings)
    if line:
        said.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        said.touch()
    return line
