"""The receipt under an answer: what the turn wrote, as the store confirmed it.

It is part of the answer's message, so that every door shows it. The model is sent the message without it: it would
learn to write receipts of its own.
"""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage

from ana.memory.receipts import ABOUT_YOU, VERBS, word_change
from tools.artifacts import Receipt

SEPARATOR = "\n\n---\n"
"""Markdown's rule."""

NOTHING = "Nothing was stored or changed."
MOST_LINES = 30
"""How many changes are named one by one."""

_WORDS = "|".join((*VERBS.values(), *(word.capitalize() for word in ABOUT_YOU.values())))
_LINE = rf"- (?:(?:{_WORDS}): [^\n]*|and \d+ more)"
_RECEIPT = re.compile(rf"(?:{re.escape(NOTHING)}|{_LINE}(?:\n{_LINE})*)\s*")


def render_receipt(changes: Sequence[Receipt]) -> str:
    """Return the changes, one a line."""
    more = [f"- and {len(changes) - MOST_LINES} more"] if len(changes) > MOST_LINES else []
    return "\n".join([*(f"- {word_change(change)}" for change in changes[:MOST_LINES]), *more])


def add_receipt(answer: str, receipt: str) -> str:
    """Return an answer as its message holds it."""
    return f"{answer}{SEPARATOR}{receipt}" if receipt else answer


def strip_receipt(text: str) -> str:
    """Return a message's text without its receipt, or without one that a model made up."""
    while True:
        answer, rule, under = text.rpartition(SEPARATOR)
        if not rule or not _RECEIPT.fullmatch(under):
            return text
        text = answer


def hide_receipt(message: AnyMessage) -> AnyMessage:
    """Return a message as the model is sent it."""
    if not isinstance(message, AIMessage) or "\n---\n" not in message.text:
        return message
    return message.model_copy(update={"content": strip_receipt(message.text)})
