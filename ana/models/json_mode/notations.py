"""What may stand around a decision and is no word: fences, tags, tokens of chat templates, thoughts; and calls that
name their tool outside of the arguments, where the reply is nothing else.

Python's, as Gemma and Llama 3.2 write them; ReAct's "Action: ... Action Input: ..."; a name before an object, as in the
chat templates of Mistral, DeepSeek, Kimi and gpt-oss; parameters in tags, as Qwen3-Coder and GLM-4.5 write them.
"""

import json
from typing import Any

import regex

from ana.errors import ToolError
from ana.models.json_mode.shapes import ParsedReply
from ana.models.lenient_json import INVISIBLE, read_value
from ana.models.thoughts import split_thoughts
from ana.models.tool_schema import Tools

TOKEN = r"(?:<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\n]{1,40}｜>)"
TAG = r"</?(?!think|answer|final)[^<>={}()\n]{1,40}>"
FENCE = r"(?:```+|~~~+)[ \t]*\w*"

LONGEST_EDGE = 80
"""Characters of what may stand at the end of a reply."""

_SPACE = f" \t\r\n\xa0\u2028\u2029{INVISIBLE}"
_EDGE = (
    rf"{TOKEN}(?:(?:assistant|model|final)\b)?|<start_of_turn>(?:model\b)?"
    r"|</?(?:s|bos|eos|pad|end_of_turn)>|</(?:answer|final)>|\[/?INST\]|\x1b\[[0-9;]*m"
)
_FRONT = regex.compile(rf"(?:[{_SPACE}]|{_EDGE})*+")
_LAST = regex.compile(_EDGE)
_ESCAPED = regex.compile(r"\{(?:\s|\\n)*\\\"")
_NEXT_TURN = regex.compile(rf"(?s)(?:{TOKEN}|<end_of_turn>|</s>)\s*(?:{TOKEN}|<start_of_turn>)\s?user\b.*")
_WORDS = r"(?:Action|Call|call|FUNCTION|TOOL_CALLS|assistant|function|await|commentary to)\b"
_ASIDE = r"\*{0,3}(?:Thought|Plan|Observation)\b[^\n]*(?:\n|\Z)"
_OPENING = r"<(?:｜DSML｜)?(?:function=|invoke name=[\"'])"
_LEAD = regex.compile(
    rf"(?:{_ASIDE}|{_WORDS}|{_OPENING}|{TOKEN}|{TAG}|{FENCE}|>>>|(?<=\S)>|[\s:=*`\[\]✿<]|\w+ = (?=\w+\())*+"
    r"(?P<printed>print\()?"
)
_NAME = regex.compile(r"(?P<name>[A-Za-z_][\w.\\-]*)(?::\d+)?[\"'`*]*")
_BETWEEN = regex.compile(
    rf"(?:{TOKEN}|(?!<arg_key){TAG}|{FENCE}|(?:ARGS|json)\b|[\s:>✿\[\]]|\((?=\s*\{{))*+"
    rf"(?:\**Action Input:?\**:?[ \t]*(?:{FENCE}\s*(?=\{{))?)?"
)
_PARAMETER = (
    r"\s*<(?|(?:｜DSML｜)?parameter(?:=| name=[\"'])([\w.-]+)[\"']?(?: string=\"\w+\")?"
    r"|arg_key>([\w.-]+)</arg_key>\s*<arg_value)>"
    r"((?:(?!</(?:｜DSML｜)?(?:parameter|arg_value)>)(?s:.))*+)</[^<>]+>"
)
_TAGGED = regex.compile(rf"(?:{_PARAMETER})++\s*</(?:｜DSML｜)?(?:function|invoke|tool_call)>")
_LAYOUT = regex.compile(r"\A\r?\n|\r?\n\Z")
_TAIL = regex.compile(rf"(?:{_ASIDE}|{TOKEN}|{TAG}|{FENCE}|[\s\])`*;.])*+\Z")


def unwrap(reply: str) -> str:
    """Return a reply without thoughts, and without space and tokens around it; decoded where it is a JSON text.

    Raises:
        ToolError: A thought is not closed, or nothing else is there.
    """
    split = split_thoughts(_decode(_decode(reply.strip(_SPACE))))
    if split.is_open:
        raise ToolError(f"The thought that begins with {split.thought.strip()[:40]!r} is not closed.")
    if text := _strip(split.said):
        return text if "{" in text else _NEXT_TURN.sub("", text)
    raise ToolError("The reply is empty, or only a thought.")


def _strip(text: str) -> str:
    front = _FRONT.match(text)
    begin, end = front.end() if front else 0, len(text)
    while True:
        while end > begin and text[end - 1] in _SPACE:
            end -= 1
        nearest = max(begin, end - LONGEST_EDGE)
        edge = _LAST.fullmatch(text, max(nearest, *(text.rfind(sign, nearest, end) for sign in "<[\x1b")), end)
        if edge is None:
            return text[begin:end]
        end = edge.start()


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
    args, end = _read_arguments(text, between.end())
    if end is None or (lead["printed"] and not text.startswith(")", end)):
        return None
    return ParsedReply(name["name"], args) if _TAIL.match(text, end) else None


def _read_arguments(text: str, at: int) -> tuple[Any, int | None]:
    """Return the arguments, and where they end; None where there are none."""
    if text.startswith(("{", "("), at):
        return read_value(text, at)
    if tagged := _TAGGED.match(text, at):
        names, values = tagged.captures(1), (_LAYOUT.sub("", value) for value in tagged.captures(2))
        args = dict(zip(names, values, strict=True))
        return args, tagged.end() if len(args) == len(names) else None
    return None, None
