"""Calls that a model writes as text, because its server does not read them.

Only a reply that consists entirely of calls is read: objects that name offered tools, with separate arguments, between
fences and tags. Data with a name is not a call, and other text that looks like a call is shown unchanged.
"""

import re

from langchain_core.messages import ToolCall

from ana.errors import ToolError
from ana.models.json_mode.notations import MARKUP
from ana.models.json_mode.reader import HERE, LONGEST, find_objects
from ana.models.tool_schema import Tools

HEAD = 200
"""Characters by which it is known whether a reply may be calls."""

_AROUND = re.compile(rf"(?:\s|{MARKUP})*+")
"""What may stand around calls: blanks, fences, tags and tokens."""
_BEGUN = re.compile(r"`{1,2}|~{1,2}|</?[\w|:.｜▁-]{0,40}|\[\s*")
"""The beginning of a fence, a tag, or a list."""


def may_be_calls(head: str) -> bool:
    """Return whether a reply with this beginning may consist of calls."""
    rest = _AROUND.sub("", head, count=1)
    if not rest or _BEGUN.fullmatch(rest):
        return len(head) < HEAD
    return rest[0] == "{" or (rest[0] == "[" and rest[1:].lstrip().startswith(("{", "[")))


def read_calls(text: str, tools: Tools) -> list[ToolCall]:
    """Return the calls in a text that consists only of calls, without ids; none for any other text."""
    try:
        prose, said = find_objects(text, tools) if len(text) <= LONGEST else ("", [])
    except (ToolError, RecursionError):
        return []
    calls = [ToolCall(name=tools.resolve_name(one.tool or "") or "", args=one.args, id=None) for one in said]
    is_whole = all(call["name"] and isinstance(call["args"], dict) for call in calls)
    return calls if is_whole and _AROUND.fullmatch(prose.replace(HERE, " ")) else []
