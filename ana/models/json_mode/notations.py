"""Calls that name their tool outside the arguments, in replies that contain nothing else.

Python's, as Gemma and Llama 3.2 write them; ReAct's "Action: ... Action Input: ..."; a name before an object, as in the
chat templates of Mistral, DeepSeek, Kimi and gpt-oss; parameters in tags, as Qwen3-Coder and GLM-4.5 write them.
"""

import ast
import re
from typing import Any

from ana.models.json_mode.shapes import ParsedReply
from ana.models.lenient_json import LONGEST_MENDED, UNREADABLE, build_object, parse_python, read_literal, read_value
from ana.models.tool_schema import Tools

TOKEN = r"<[|｜][^|｜<>\n]{1,40}[|｜]>"
MARKUP = (
    rf"{TOKEN}|</?(?!think|answer|final|arg_)[^<>={{}}()\n]{{1,40}}>|(?:```+|~~~+)[ \t]*\w*"
    r"|\[/?[A-Z_]{3,20}\]|\x1b\[[0-9;]*m"
)
"""What may stand around a decision and is no word: tokens of chat templates, tags, fences, colors."""
_WORDS = "Action(?: Input)?|[Cc]all|FUNCTION|ARGS|function|invoke name|await|commentary to|assistant|json"
_AROUND = (
    rf"(?:\*{{0,3}}(?:Thought|Plan|Observation)\b[^\n]*|{MARKUP}|[\s:=*`\[\]>✿.;)\"']"
    rf"|<(?!(?:｜DSML｜)?(?:param|arg_))|｜DSML｜|(?:{_WORDS})\b)*+"
)
_NAME = re.compile(rf"{_AROUND}(?P<name>[A-Za-z_][\w.\\-]*)(?::\d+)?(?P<call>\()?{_AROUND}")
_PARAMETER = re.compile(
    r"(?s)\s*<(?:｜DSML｜)?(?:parameter(?:=|\sname=[\"'])|arg_key>)([\w.-]+)"
    r"(?:</arg_key>\s*<arg_value|[\"'][^<>]*)?>\n?(.*?)\n?</(?:｜DSML｜)?(?:parameter|arg_value)>"
)
_CLOSING = re.compile(r"\s*</")
_TAIL = re.compile(rf"{_AROUND}\Z")


def read_named_call(text: str, tools: Tools) -> ParsedReply | None:
    """Return a reply as a call; None if it is not one.

    Raises:
        ToolError: Its arguments cannot be read.
    """
    found = _NAME.match(text)
    name = tools.resolve_name(found["name"]) if found else None
    if not found or not name:
        return None
    if found["call"]:
        end = text.rfind(")") + 1
        args = _read_python(f"f({text[found.end('call') : end]}", tools.parameters(name))
    elif text.startswith("{", found.end()):
        args, end = read_value(text, found.end())
    else:
        args, end = _read_parameters(text, found.end())
    return ParsedReply(name, args) if args is not None and _TAIL.match(text, end) else None


def _read_python(source: str, parameters: list[str]) -> Any:
    """Return the arguments of a call in Python; None if they cannot be read."""
    try:
        call = parse_python(source) if len(source) <= LONGEST_MENDED else None
        if not isinstance(call, ast.Call) or len(call.args) > len(parameters):
            return None
        named = [(str(each.arg), each.value) for each in call.keywords]
        if len(call.args) == 1 and not named and isinstance(call.args[0], ast.Dict):
            return read_literal(call.args[0])
        pairs = [*zip(parameters, call.args, strict=False), *named]
        return build_object((name, read_literal(value)) for name, value in pairs)
    except UNREADABLE:
        return None


def _read_parameters(text: str, at: int) -> tuple[Any, int]:
    """Return the parameters in tags, and the place where they end; None if the end of the call is missing."""
    pairs = []
    while parameter := _PARAMETER.match(text, at):
        pairs.append((parameter[1], parameter[2]))
        at = parameter.end()
    return build_object(pairs) if pairs and _CLOSING.match(text, at) else None, at
