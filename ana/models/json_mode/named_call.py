"""Calls that name their tool outside of the arguments, where the reply is nothing else.

Python's, as Gemma and Llama 3.2 write them; ReAct's "Action: ... Action Input: ..."; a name before an object, as in the
chat templates of Mistral, DeepSeek, Kimi and gpt-oss; parameters in tags, as Qwen3-Coder and GLM-4.5 write them.
"""

import re
from typing import Any

from ana.models.json_mode.markup import FENCE, TAG, TOKEN
from ana.models.json_mode.parsed_reply import ParsedReply
from ana.models.lenient_json import read_value
from ana.models.tool_schema import Tools

_WORDS = r"(?:Action|Call|call|FUNCTION|TOOL_CALLS|assistant|function|await|commentary to)\b"
_ASIDE = r"\**(?:Thought|Plan|Observation)\b[^\n]*(?:\n|\Z)"
_OPENING = r"<(?:｜DSML｜)?(?:function=|invoke name=[\"'])"
_LEAD = re.compile(
    rf"(?:{_ASIDE}|{_WORDS}|{_OPENING}|{TOKEN}|{TAG}|{FENCE}|>>>|(?<=\S)>|[\s:=*`\[\]✿<]|\w+ = (?=\w+\())*+"
    r"(?P<printed>print\()?"
)
_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.\\-]*)(?::\d+)?[\"'`*]*")
_BETWEEN = re.compile(
    rf"(?:{TOKEN}|(?!<arg_key){TAG}|{FENCE}|(?:ARGS|json)\b|[\s:>✿\[\]]|\((?=\s*\{{))*+"
    rf"(?P<input>\**Action Input:?\**:?[ \t]*(?:{FENCE}\s*(?=\{{))?)?"
)
_PARAMETER = (
    r"\s*<(?:(?:｜DSML｜)?parameter(?:=| name=[\"'])([\w.-]+)[\"']?(?: string=\"\w+\")?"
    r"|arg_key>([\w.-]+)</arg_key>\s*<arg_value)>"
    r"((?:(?!</(?:｜DSML｜)?(?:parameter|arg_value)>)(?s:.))*+)</[^<>]+>"
)
_PARAMETERS = re.compile(_PARAMETER)
_TAGGED = re.compile(rf"(?:{_PARAMETER})++\s*</(?:｜DSML｜)?(?:function|invoke|tool_call)>")
_LAYOUT = re.compile(r"\A\r?\n|\r?\n\Z")
_LINE = re.compile(r"(?![\"'`])[^\r\n<{]*(?=\s*\n\**Observation)")
_TAIL = re.compile(rf"(?:{_ASIDE}|{TOKEN}|{TAG}|{FENCE}|[\s\])`*;.])*+\Z")


def read_named_call(text: str, tools: Tools) -> ParsedReply | None:
    """Return the call that a reply is; None where it is something else.

    Raises:
        ToolError: Its arguments cannot be read.
    """
    lead = _LEAD.match(text)
    name = _NAME.match(text, lead.end()) if lead else None
    between = _BETWEEN.match(text, name.end()) if name else None
    if not (lead and name and between) or tools.resolve_name(name["name"]) is None:
        return None
    args, end = _read_arguments(text, between.end(), is_led=between["input"] is not None)
    if end is None or (lead["printed"] and not text.startswith(")", end)):
        return None
    return ParsedReply(name["name"], args) if _TAIL.match(text, end) else None


def _read_arguments(text: str, at: int, *, is_led: bool) -> tuple[Any, int | None]:
    """Return the arguments and where they end; a bare text counts only between "Action Input:" and "Observation"."""
    if text.startswith(("{", "("), at):
        return read_value(text, at)
    if tagged := _TAGGED.match(text, at):
        pairs = [(name or key, _LAYOUT.sub("", value)) for name, key, value in _PARAMETERS.findall(tagged[0])]
        return dict(pairs), tagged.end() if len(dict(pairs)) == len(pairs) else None
    line = _LINE.match(text, at) if is_led else None
    return (line[0].strip(), line.end()) if line else (None, None)
