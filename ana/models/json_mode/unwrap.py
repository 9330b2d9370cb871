"""A reply's text before it is read: without what a server or a terminal put around it, and decoded."""

import json
import re

from ana.models.lenient_json import INVISIBLE, unescape

_AROUND = rf"(?:[\s{INVISIBLE}]|\x1b\[[0-9;]*m)*+"
_EDGES = re.compile(rf"\A{_AROUND}")
_COLOURS = re.compile(rf"(?:\x1b\[[0-9;]*m[\s{INVISIBLE}]*)+\Z")
_ESCAPED = re.compile(r"\{(?:\s|\\n)*\\\"")
_ENTITIES = re.compile(r"\{\s*&quot;")
MOST_LAYERS = 3


def unwrap_reply(text: str) -> str:
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
        import html

        return html.unescape(text)
    return None
