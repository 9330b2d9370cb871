"""The receipt under an answer: what the turn wrote, as the store confirmed it, what was there already, and what failed.

It is part of the answer's message, so that every door shows it. The model is sent the message without it: it would
learn to write receipts of its own.
"""

import re
from collections.abc import Iterable, Sequence

from langchain_core.messages import AIMessage, AnyMessage

from ana.language import FORMER_NOTHING, WORDINGS, guess_language
from ana.memory.receipts import combine_receipts, word_change
from ana.output import shorten
from nodes.policies.evidence import Call
from nodes.policies.writes import find_failed, read_error

SEPARATOR = "\n\n---\n"
"""Markdown's rule."""

MOST_LINES = 30
"""How many changes are named one by one."""

MOST_CHARACTERS = 80
"""Of the text of an item that was there already."""

_VERBS = ("stored", "changed", "deleted", "learned", "known", "forgotten", "existing", "failed", "declined")


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, dict.fromkeys(texts)))


_WORDS = _any_of(getattr(wording, verb) for wording in WORDINGS.values() for verb in _VERBS)
_MORE = _any_of(wording.more for wording in WORDINGS.values()).replace(re.escape("{n}"), r"\d+")
_OUTSIDE = _any_of(denied for each in WORDINGS.values() for denied in (each.outside, each.silent))
_NOTHING = _any_of([*(each.nothing for each in WORDINGS.values()), *FORMER_NOTHING])
_LINE = rf"- (?:(?:{_WORDS}): [^\n]*+|{_MORE}|{_OUTSIDE})"
_RECEIPT = re.compile(rf"(?:{_NOTHING}|{_OUTSIDE}|{_LINE}(?:\n{_LINE})*)\s*")


def render_receipt(calls: Sequence[Call], said: str, declined: Sequence[str] = ()) -> str:
    """Return what the calls of a turn wrote, found to be there already, failed to write and were refused, one a line.

    Args:
        calls: The calls that were answered.
        said: The person's message; the fixed words are in its language.
        declined: What the person refused, in words.
    """
    language = guess_language(said)
    wording, receipts = WORDINGS[language], (receipt for call in calls for receipt in call.receipts)
    lines = [word_change(receipt, language) for receipt in combine_receipts(receipts)]
    lines += [f"{wording.existing}: {shorten(call.existing, MOST_CHARACTERS)}" for call in calls if call.existing]
    lines += [f"{wording.failed}: {read_error(call)}" for call in find_failed(calls)]
    lines += [f"{wording.declined}: {shorten(each, MOST_CHARACTERS)}" for each in declined]
    more = [wording.more.format(n=len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
    return "\n".join(f"- {line}" for line in [*lines[:MOST_LINES], *more])


def say_nothing(said: str) -> str:
    """Return the sentence that nothing was written, in the language of the person's message."""
    return WORDINGS[guess_language(said)].nothing


def deny_outside_act(receipt: str, said: str) -> str:
    """Return a receipt that also says, in the language of the person's message, that nothing was sent or booked."""
    outside = WORDINGS[guess_language(said)].outside
    return f"{receipt}\n- {outside}" if receipt.startswith("- ") else outside


def deny_promise(receipt: str, said: str) -> str:
    """Return a receipt that also says that nothing rings by itself; one that says that nothing was done as it is."""
    wording = WORDINGS[guess_language(said)]
    if receipt in (wording.nothing, wording.outside):
        return receipt
    return f"{receipt}\n- {wording.silent}" if receipt else wording.silent


def add_receipt(answer: str, receipt: str) -> str:
    """Return an answer as its message holds it."""
    return f"{answer}{SEPARATOR}{receipt}" if receipt else answer


def strip_receipt(text: str) -> str:
    """Return a message's text without its receipt, or without one that a model made up."""
    end = len(text)
    while (rule := text.rfind(SEPARATOR, 0, end)) >= 0 and _RECEIPT.fullmatch(text, rule + len(SEPARATOR), end):
        end = rule
    return text[:end]


def hide_receipt(message: AnyMessage) -> AnyMessage:
    """Return a message as the model is sent it."""
    if not isinstance(message, AIMessage) or not message.content or "\n---\n" not in message.text:
        return message
    return message.model_copy(update={"content": strip_receipt(message.text)})
