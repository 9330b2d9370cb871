"""Calls that a model writes as text, because its server does not read them.

Only a reply that is nothing else is read: JSON that names tools which were offered, with their arguments apart, between
fences and tags. Data with a name is no call, and whatever else looks like one is shown as it is. Each character is read
once.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import ToolCall

from ana.models.tool_schema import Tools

LONGEST = 300_000
"""Characters of a reply that may be calls."""
HEAD = 200
"""Characters by which it is known whether a reply may be calls."""

NAMES = ("name", "tool_name", "function", "tool")
ARGS = ("arguments", "parameters", "args")
CALLS = ("function", "tool", "tool_call", "function_call", "tool_calls")
"""Keys below which a call stands, or a list of them."""
REMARKS = frozenset(("id", "type", "index"))
"""Keys that may stand beside."""

_AROUND = re.compile(r"\s+|(?:```|~~~)[ \t]*\w{0,20}|</?[\w|:.｜▁-]{1,40}>")
"""What may stand around calls: blanks, fences, tags and tokens."""
_BEGUN = re.compile(r"`{1,2}|~{1,2}|</?[\w|:.｜▁-]{0,40}|\[\s*")
"""The beginning of a fence, a tag, or a list."""
_DECODER = json.JSONDecoder()


def may_be_calls(head: str) -> bool:
    """Return whether a reply that begins so may be calls, as far as that can be seen."""
    rest = head[_skip(head, 0) :]
    if not rest or _BEGUN.fullmatch(rest):
        return len(head) < HEAD
    return rest[0] == "{" or (rest[0] == "[" and rest[1:].lstrip().startswith(("{", "[")))


def read_calls(text: str, tools: Tools) -> list[ToolCall]:
    """Return the calls that a text is, without ids; none if it is anything else."""
    try:
        values = _iter_values(text) if len(text) <= LONGEST else ()
        return [call for value in values for call in _read_value(value, tools)]
    except (ValueError, RecursionError):
        return []


def _iter_values(text: str) -> Iterator[Any]:
    """Yield the values of JSON that a text consists of. Raises ValueError if there is anything else."""
    at = _skip(text, 0)
    while at < len(text):
        value, end = _DECODER.raw_decode(text, at)
        yield value
        at = _skip(text, end)


def _read_value(value: Any, tools: Tools) -> Iterator[ToolCall]:
    """Yield the calls of a value. Raises ValueError if it is something else."""
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
    """Return where something begins that is not what may stand around calls."""
    while around := _AROUND.match(text, at):
        at = around.end()
    return at
