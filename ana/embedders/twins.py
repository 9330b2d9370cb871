"""From which cosine on two texts say nearly the same."""

_COSINES = {"wordllama": 0.91, "minilm": 0.93}
"""The lowest with which none of twelve pairs that only sound alike, such as printer ink and printer paper, is taken for
the same, of pairs without different numbers; see tests/tools/test_similar.py."""

_OTHERS = 0.93


def twin_cosine(embedder: str) -> float:
    """Return the cosine for an embedder by its name."""
    return _COSINES.get(embedder, _OTHERS)
