"""The receipt under an answer: what the turn wrote, as the store confirmed it, what was there already, and what failed.

It is part of the answer's message, so that every door shows it. The model is sent the message without it: it would
learn to write receipts of its own.
"""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage

from ana.memory.receipts import ABOUT_YOU, VERBS, word_change
from ana.output import shorten
from nodes.policies.evidence import Call
from nodes.policies.writes import find_failed, read_error

SEPARATOR = "\n\n---\n"
"""Markdown's rule."""

NOTHING = "Nothing was stored or changed."
MOST_LINES = 30
"""How many changes are named one by one."""

FOUND, FAILED = "Already there", "Not done"
MOST_CHARACTERS = 60
"""Of the text of an item that was there already."""

_WORDS = "|".join((FOUND, FAILED, *VERBS.values(), *(word.capitalize() for word in ABOUT_YOU.values())))
_LINE = rf"- (?:(?:{_WORDS}): [^\n]*|and \d+ more)"
_RECEIPT = re.compile(rf"(?:{re.escape(NOTHING)}|{_LINE}(?:\n{_LINE})*)\s*")


def render_receipt(calls: Sequence[Call]) -> str:
    """Return what the calls of a turn wrote, found to be there already, and failed to write, one a line."""
    lines = [f"- {word_change(receipt)}" for call in calls for receipt in call.receipts]
    lines += [f"- {FOUND}: {shorten(call.existing, MOST_CHARACTERS)}" for call in calls if call.existing]
    lines += [f"- {FAILED}: {read_error(call)}" for call in find_failed(calls)]
    more = [f"- and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


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
    if not isinstance(message, AIMessage) or not message.content or "\n---\n" not in message.text:
        return message
    return message.model_copy(update={"content": strip_receipt(message.text)})
