"""Telling the parts of a message that a person typed or said from those that they pasted, shared or forwarded."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage

PASTED = "ana_pasted"
"""In a message's `additional_kwargs`: the parts of its text that were not typed; a door that cannot tell has none."""

MOST_TYPED = 1_000
"""Characters of a message that counts as typed where the door cannot tell; a longer one is a paste."""


def mark_pasted(parts: Sequence[str]) -> dict[str, Any]:
    """Return the `additional_kwargs` of a message at a door that recognises pasted text, even if nothing was pasted."""
    return {PASTED: [part for part in parts if part.strip()]}


def make_message(text: str, pasted: Sequence[str] | None, id: str | None = None) -> HumanMessage:
    """Return a person's message. `pasted` are the parts that were not typed; None at a door that cannot tell."""
    return HumanMessage(text, additional_kwargs={} if pasted is None else mark_pasted(pasted), id=id)


def list_pasted(message: BaseMessage) -> list[str]:
    """Return the parts of a message that others may have written."""
    text, known = _read(message), message.additional_kwargs.get(PASTED)
    if isinstance(known, list):
        return [part for part in known if isinstance(part, str) and part.strip() and part in text]
    return [text] if len(text) > MOST_TYPED else []


def find_typed(message: BaseMessage) -> str:
    """Return the part of a message that the person typed."""
    text = _read(message)
    for part in list_pasted(message):
        text = text.replace(part, "\n")
    return text


def find_typed_lately(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the text that the person typed in their last two messages."""
    own = [message for message in messages if isinstance(message, HumanMessage)]
    return [find_typed(message) for message in own[-2:]]


def _read(message: BaseMessage) -> str:
    return message.text.replace("\r\n", "\n")  # forms have them
