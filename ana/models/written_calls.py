"""Calls that a model writes as text because its server does not parse them.

Only a reply that consists of calls is parsed: JSON that names offered tools, with separate arguments, between
fences and tags. Data with a name is not a call, and anything similar is shown unchanged. Each character is read
once.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import ToolCall

from ana.models.tool_schema import Tools

LONGEST = 300_000
"""Most characters of a reply that may be calls."""
HEAD = 200
"""Characters that decide whether a reply may be calls."""

NAMES = ("name", "tool_name", "function", "tool")
ARGS = ("arguments", "parameters", "args")
CALLS = ("function", "tool", "tool_call", "function_call", "tool_calls")
"""Keys whose value is a call or a list of calls."""
REMARKS = frozenset(("id", "type", "index"))
"""Keys that may accompany them."""

_AROUND = re.compile(r"\s+|(?:```|~~~)[ \t]*\w{0,20}|</?[\w|:.｜▁-]{1,40}>")
"""What may surround calls: blanks, fences, tags and tokens."""
_BEGUN = re.compile(r"`{1,2}|~{1,2}|</?[\w|:.｜▁-]{0,40}|\[\s*")
"""The beginning of a fence, a tag, or a list."""
_DECODER = json.JSONDecoder()


def may_be_calls(head: str) -> bool:
    """Return whether a reply with this beginning may be calls."""
    rest = head[_skip(head, 0) :]
    if not rest or _BEGUN.fullmatch(rest):
        return len(head) < HEAD
    return rest[0] == "{" or (rest[0] == "[" and rest[1:].lstrip().startswith(("{", "[")))


def read_calls(text: str, tools: Tools) -> list[ToolCall]:
    """Return the calls of a text, without ids; none if it contains anything else."""
    try:
        values = _iter_values(text) if len(text) <= LONGEST else ()
        return [call for value in values for call in _read_value(value, tools)]
    except (ValueError, RecursionError):
        return []


def _iter_values(text: str) -> Iterator[Any]:
    """Yield the JSON values of a text. Raises ValueError if there is anything else."""
    at = _skip(text, 0)
    while at < len(text):
        value, end = _DECODER.raw_decode(text, at)
        yield value
        at = _skip(text, end)


def _read_value(value: Any, tools: Tools) -> Iterator[ToolCall]:
    """Yield the calls of a value. Raises ValueError if it is not a call."""
    if isinstance(value, list) and value:
        for each in value:
            yield from _read_value(each, tools)
        return
    if not isinstance(value, dict):
        raise ValueError("this is not a call")
    beside = value.keys() - REMARKS
    if len(beside) == 1 and (inner := beside & {*CALLS}):
        yield from _read_value(value[inner.pop()], tools)
        return
    names, args = beside & {*NAMES}, beside & {*ARGS}
    if len(names) != 1 or len(args) != 1 or len(beside) != 2:
        raise ValueError("this is not a call")
    yield _read_call(value[names.pop()], value[args.pop()], tools)


def _read_call(name: Any, args: Any, tools: Tools) -> ToolCall:
    known = tools.resolve_name(name) if isinstance(name, str) else None
    args = json.loads(args) if isinstance(args, str) else args
    if known is None or not isinstance(args, dict):
        raise ValueError("this is not a call of a tool that was offered")
    return ToolCall(name=known, args=args, id=None)


def _skip(text: str, at: int) -> int:
    """Return the start of text that may not surround calls."""
    while around := _AROUND.match(text, at):
        at = around.end()
    return at
