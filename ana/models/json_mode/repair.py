"""Broken JSON mended by json_repair, and believed only where nothing was lost, added or left open.

json_repair ("How it works" in its README) closes what is cut short, drops what it cannot place and takes prose for
values. So its result counts only when every character of the text that is no punctuation stands in it, in order, when
there are as many quotes and brackets as it needs, and when the text's own closing brackets close every level of it.
"""

import re
from typing import Any

from ana.models.lenient_json import joined, unescaped

LONGEST = 20_000
"""More than this is not mended: json_repair's time is not linear."""

_PUNCTUATION = re.compile(r"[\s{}\[\]\"',:“”‘’`\\]+")
_ESCAPED = re.compile(r"\\[nrtbf]|\\u[0-9a-fA-F]{4}")
_MARK = re.compile(r"[\"']")
_ENDS = (re.compile(r"\n"), re.compile(r"\n[ \t]*(?:```|~~~)"), re.compile(r"\Z"))
_TAIL = re.compile(r"(?P<last>[^\s}\]]|[{\[])(?P<closers>[\s}\],]*)\Z")
_ENDED = re.compile(r"[\"'”’`\d{\[]|e|l")
"""What the last value may end with: a quote, a digit, an empty container's bracket, true, false or null."""


def repaired(text: str, at: int) -> tuple[Any, int] | None:
    """The value that begins at a place, mended, and where it ends; None when no mending is certain."""
    for end in _ENDS:
        found = end.search(text, at)
        assert found is not None or end is not _ENDS[-1]
        if found is None or found.start() - at > LONGEST:
            continue
        stop = text.rfind("}", at, found.start()) + 1
        value = _mended(text[at:stop]) if stop > at else None
        if value is not None:
            return value, stop
    return None


def _mended(text: str) -> Any:
    import json

    from json_repair import repair_json

    try:
        made = json.loads(str(repair_json(text)), object_pairs_hook=joined)
        return made if isinstance(made, dict) and all(check(text, made) for check in _CHECKS) else None
    except (ValueError, RecursionError):
        return None


def _lossless(text: str, value: Any) -> bool:
    return _said(_ESCAPED.sub(_told, text)) == _said("".join(_leaves(value)))


def _verbatim(text: str, value: Any) -> bool:
    plain = unescaped(text)
    return all(leaf in plain for leaf in _leaves(value) if leaf not in ("null", "true", "false"))


def _told(escape: re.Match[str]) -> str:
    return unescaped(escape[0])


def _said(text: str) -> str:
    return _PUNCTUATION.sub("", text).casefold().replace("none", "null")


def _leaves(value: Any) -> list[str]:
    """What a value says, in order."""
    if isinstance(value, dict):
        return [part for key, inner in value.items() for part in (key, *_leaves(inner))]
    if isinstance(value, list):
        return [part for inner in value for part in _leaves(inner)]
    return ["null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)]


def _closed(text: str, value: Any) -> bool:
    """Whether the text itself ends the last value, and every level above it."""
    tail = _TAIL.search(text)
    closers = re.sub(r"[^}\]]", "", tail["closers"]) if tail else ""
    return bool(tail and _ENDED.match(tail["last"])) and closers == _needed(value)


def _counted(text: str, value: Any) -> bool:
    """Whether brackets and quotes are as many as the value and its texts need; one missing quote is what was mended,
    and all may be doubled, as in CSV."""
    mark = _MARK.search(text)
    leaves, shape = _leaves(value), _shape(value)
    inner = "".join(leaves)
    if not mark or any(text.count(c) != shape.count(c) + inner.count(c) for c in "{}[]"):
        return False
    needed = shape.count('"') + inner.count(mark[0])
    return text.count(mark[0]) in (needed, needed - 1, 2 * shape.count('"'))


def _shape(value: Any) -> str:
    """The brackets and quotes of a value, without what they hold."""
    if isinstance(value, dict):
        return "{" + "".join('""' + _shape(inner) for inner in value.values()) + "}"
    if isinstance(value, list):
        return "[" + "".join(map(_shape, value)) + "]"
    return '""' if isinstance(value, str) else ""


def _needed(value: Any) -> str:
    closers = ""
    while isinstance(value, dict | list):
        closers = ("}" if isinstance(value, dict) else "]") + closers
        value = list(value.values() if isinstance(value, dict) else value)[-1] if value else None
    return closers


_CHECKS = (_lossless, _verbatim, _closed, _counted)
