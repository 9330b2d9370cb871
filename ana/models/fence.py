"""Fences around results: a model can recognize stored text, and stored text cannot close its fence."""

import hashlib
import re

from ana.output import escape_json

FENCE = "fence"
"""Key in a result's `additional_kwargs` for its mark. Stored with the result, which keeps providers' caches valid."""

_FENCED = re.compile(r"<stored (\w+)>\n(.*)\n</stored \1>", re.DOTALL)


def fence(text: str, mark: str | None) -> str:
    """Return a text inside its fence, with hidden characters as JSON's escapes.

    Args:
        mark: A mark that the text's author cannot know; None: derive it from the whole text.
    """
    mark = mark or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"<stored {mark}>\n{escape_json(text)}\n</stored {mark}>"


def unfence(text: str) -> str:
    """Return the text inside a fence; return other text unchanged."""
    match = _FENCED.fullmatch(text)
    return match[2] if match else text


def make_mark(turn: str) -> str:
    """Return the mark of the program's own text in a turn.

    Args:
        turn: The turn's id, which authors of stored text or of the message cannot know.
    """
    return hashlib.sha256(turn.encode()).hexdigest()[:8]
