"""Fences around results: a model can tell what is stored text, and no stored text can end its fence."""

import hashlib
import re

from ana.output import escape_json

FENCE = "fence"
"""Key in a result's `additional_kwargs` for its mark. It is kept with the result, so that providers' caches hold."""

_FENCED = re.compile(r"<stored (\w+)>\n(.*)\n</stored \1>", re.DOTALL)


def fence(text: str, mark: str | None) -> str:
    """Return a text inside its fence, with hidden characters as JSON's escapes.

    Args:
        mark: Known to nobody who could have written the text; None for one that depends on all of it.
    """
    mark = mark or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"<stored {mark}>\n{escape_json(text)}\n</stored {mark}>"


def unfence(text: str) -> str:
    """Return the text inside a fence; any other text as it is."""
    match = _FENCED.fullmatch(text)
    return match[2] if match else text


def make_mark(turn: str) -> str:
    """Return the mark of what the program itself says in a turn.

    Args:
        turn: The turn's id: nobody who wrote a stored text or the message could know it.
    """
    return hashlib.sha256(turn.encode()).hexdigest()[:8]
