"""Content by reference: the person's own message, word for word, without a model that writes it again."""

import re

from typing_extensions import TypedDict  # pydantic reads it in every version of Python, typing's only from 3.12 on

from ana.errors import ToolError

WHOLE = "this"
_CLOSING = {'"': '"', "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»", "「": "」", "`": "`"}
_HINT = f'Give {{"message": "{WHOLE}"}} for all of it, or the words of it with which the text begins.'


class Quote(TypedDict):  # no docstring: it would be in the schema, and cost tokens in every call of a model
    message: str


def quote_message(content: str | Quote, said: str) -> str:
    """Return content as text: itself, or what it refers to in the person's message.

    Args:
        content: Text, or a reference.
        said: The person's message.

    Raises:
        ToolError: The message does not have the words.
    """
    if isinstance(content, str):
        return content
    begin = content["message"].strip()
    if begin.lower() == WHOLE:
        return said.strip()
    if not begin or begin not in said:
        raise ToolError(f"The user's message does not have the words {begin[:60]!r}.", _HINT)
    at = said.index(begin)
    text = said[at:].strip()
    opening = said[at - 1 : at]
    if opening not in _CLOSING or re.search(rf"(?<!\w){re.escape(opening)}\w", text):
        return text  # the mark at its end would be that of another quotation
    return text.removesuffix(_CLOSING[opening])
