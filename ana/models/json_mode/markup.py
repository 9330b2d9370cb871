"""What may stand around a decision without being words: fences, tags, tokens of chat templates, thoughts."""

import json
import re

from ana.errors import ToolError
from ana.models.lenient_json import INVISIBLE

TOKEN = r"(?:<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>)"
TAG = r"</?(?!think|answer|final)[^<>={}()\n]{1,40}>"
FENCE = r"(?:```+|~~~+)[ \t]*\w*"

_SPACE = f" \t\r\n\xa0\u2028\u2029{INVISIBLE}"
_EDGE = (
    rf"{TOKEN}(?:(?:assistant|model|final)\b)?|<start_of_turn>(?:model\b)?"
    r"|</?(?:s|bos|eos|pad|end_of_turn)>|</(?:answer|final)>|\[/?INST\]|\x1b\[[0-9;]*m"
)
_FRONT = re.compile(rf"(?:[{_SPACE}]|{_EDGE})*+")
_LAST = re.compile(_EDGE)
_ESCAPED = re.compile(r"\{(?:\s|\\n)*\\\"")
_OPENED = (
    r"\s*(?:<(think(?:ing)?|thought|reasoning)>|\[(THINK)\]|<\|START_(THINKING)\|>|<\|channel\|>analysis<\|message\|>)"
)
_THOUGHT = re.compile(rf"(?s){_OPENED}.*?(?(1)</\1>|(?(2)\[/\2\]|(?(3)<\|END_\3\|>|<\|end\|>)))")
_UNOPENED = re.compile(r"(?s)(?!\s*[{\[])(?:(?!<think).)*?</think(?:ing)?>[ \t]*(?=[\r\n{<`]|\Z)")
_UNCLOSED = re.compile(_OPENED)
_NEXT_TURN = re.compile(rf"(?s)(?:{TOKEN}|<end_of_turn>|</s>)\s*(?:{TOKEN}|<start_of_turn>)\s?user\b.*")


def unwrap(reply: str) -> str:
    """Return a reply without thoughts, and without space and tokens around it; decoded where it is a JSON text.

    Raises:
        ToolError: A thought is not closed, or nothing else is there.
    """
    text, begun = _decode(_decode(reply.strip(_SPACE))), 0
    while thought := _THOUGHT.match(text, begun) or _UNOPENED.match(text, begun):
        begun = thought.end()
    if _UNCLOSED.match(text, begun):
        raise ToolError(f"The thought that begins with {text[begun:].strip()[:40]!r} is not closed.")
    if text := _strip(text[begun:]):
        return text if "{" in text else _NEXT_TURN.sub("", text)
    raise ToolError("The reply is empty, or only a thought.")


def _strip(text: str) -> str:
    """Return a text without space and tokens around it."""
    front = _FRONT.match(text)
    text = text[front.end() if front else 0 :].rstrip(_SPACE)
    while edge := _LAST.fullmatch(text, max(0, *map(text.rfind, ("<", "[", "\x1b")))):
        text = text[: edge.start()].rstrip(_SPACE)
    return text


def _decode(text: str) -> str:
    """Return the JSON that a JSON text holds, also where its quotes are missing; any other text as it is."""
    try:
        inner = (
            json.loads(f'"{text}"' if _ESCAPED.match(text) else text, strict=False)
            if text.startswith(('"', "{"))
            else None
        )
    except (ValueError, RecursionError):
        return text
    return inner if isinstance(inner, str) and inner.strip().startswith(("{", "[", '"')) else text
