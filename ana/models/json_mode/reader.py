"""From a reply to a decision: unwrap it, cut it into segments, choose."""

import html
import json
import re

from ana.models.json_mode.choose import choose_decision
from ana.models.json_mode.decision import Decision
from ana.models.json_mode.segments import Scanner, Segment
from ana.models.json_mode.yaml_reply import read_yaml_decisions
from ana.models.lenient_json import INVISIBLE, unescape
from ana.models.tool_schema import Tools

_AROUND = rf"(?:[\s{INVISIBLE}]|\x1b\[[0-9;]*m)*+"
_EDGES = re.compile(rf"\A{_AROUND}")
_COLOURS = re.compile(rf"(?:\x1b\[[0-9;]*m[\s{INVISIBLE}]*)+\Z")
_ESCAPED = re.compile(r"\{(?:\s|\\n)*\\\"")
_ENTITIES = re.compile(r"\{\s*&quot;")
MOST_LAYERS = 3


def read_decision(reply: str, tools: Tools) -> Decision:
    """Read any text at all as a call that fits its tool's schema, an answer, or an error in words.

    Args:
        reply: Exactly what the model sent.
        tools: The tools it may call.
    """
    text = _unwrap(reply)
    candidates = read_yaml_decisions(text, tools.resolve_name)
    if candidates:
        return choose_decision(text, [Segment("decision", 0, len(text), tuple(candidates))], tools)
    return choose_decision(text, Scanner(text, tools.resolve_name).scan(), tools)


def _unwrap(text: str) -> str:
    """Return the reply without invisible characters around it, decoded where it is one encoded text as a whole."""
    text = _COLOURS.sub("", _EDGES.sub("", text.rstrip(INVISIBLE + " \t\r\n\u2028\u2029")))
    for _ in range(MOST_LAYERS):
        inner = _decode(text)
        if inner is None:
            break
        text = inner.strip()
    return text


def _decode(text: str) -> str | None:
    if text.startswith('"') and text.endswith('"'):
        try:
            inner = json.loads(text)
        except ValueError:
            return None
        return inner if isinstance(inner, str) and inner.strip()[:1] in ("{", "[", '"') else None
    if _ESCAPED.match(text):
        return unescape(text)
    if _ENTITIES.match(text):
        return html.unescape(text)
    return None
