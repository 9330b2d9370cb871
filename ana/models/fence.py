"""Fences around results: a model can tell what is stored text, and no stored text can end its fence."""

import hashlib
import re

FENCE = "fence"
"""Key in a result's `additional_kwargs` for its mark. It is kept with the result, so that providers' caches hold."""

FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")
HIDDEN = re.compile("[\U000e0020-\U000e007f\u202a-\u202e\u2066-\u2069]")
"""Letters that nobody sees, except in flags, and marks that turn the direction of text."""

_FENCED = re.compile(r"<stored (\w+)>\n(.*)\n</stored \1>", re.DOTALL)
_FLAG_OR_HIDDEN = re.compile(f"{FLAG.pattern}|{HIDDEN.pattern}")


def fence(text: str, mark: str | None) -> str:
    """Return a text inside its fence, with hidden characters as JSON's escapes.

    Args:
        mark: Known to nobody who could have written the text; None for one that depends on all of it.
    """
    mark = mark or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"<stored {mark}>\n{show_hidden(text)}\n</stored {mark}>"


def show_hidden(text: str) -> str:
    """Return a text with hidden characters as JSON's escapes."""
    # a long thread is shown with every call, and most of it is ASCII, which nothing can hide in
    return text if text.isascii() else _FLAG_OR_HIDDEN.sub(_show, text)


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


def _show(found: re.Match[str]) -> str:
    if FLAG.fullmatch(found[0]):
        return found[0]
    pairs = found[0].encode("utf-16-be")
    return "".join(f"\\u{pairs[i : i + 2].hex()}" for i in range(0, len(pairs), 2))
