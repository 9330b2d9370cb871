"""Broken JSON repaired by json_repair, and believed only where nothing was lost, added or left open.

json_repair ("How it works" in its README) closes what is cut short, drops what it cannot place and takes prose for
values. So its result counts only when every character of the text other than punctuation stands in it, in order, when
there are as many quotes and brackets as it needs, and when the text's own closing brackets close every level of it.
"""

import re
from typing import Any

from ana.models.lenient_json import build_object, unescape

LONGEST = 20_000
"""A longer text is not repaired: json_repair's time is not linear."""

_PUNCTUATION = re.compile(r"[\s{}\[\]\"',:“”‘’`\\]+")
_ESCAPED = re.compile(r"\\[nrtbf]|\\u[0-9a-fA-F]{4}")
_MARK = re.compile(r"[\"']")
_ENDS = (re.compile(r"\n"), re.compile(r"\n[ \t]*(?:```|~~~)"), re.compile(r"\Z"))
_TAIL = re.compile(r"(?P<last>[^\s}\]]|[{\[])(?P<closers>[\s}\],]*)\Z")
_ENDED = re.compile(r"[\"'”’`\d{\[]|e|l")
"""The possible ends of the last value: a quote, a digit, an empty container's bracket, true, false or null."""


def repair(text: str, at: int) -> tuple[Any, int] | None:
    """Return the value that begins at a place, repaired, and where it ends; None when no repair is certain."""
    for end in _ENDS:  # the shortest text first: what follows the object is not part of it
        found = end.search(text, at)
        assert found is not None or end is not _ENDS[-1]
        if found is None or found.start() - at > LONGEST:
            continue
        stop = text.rfind("}", at, found.start()) + 1
        value = _try_repair(text[at:stop]) if stop > at else None
        if value is not None:
            return value, stop
    return None


def _try_repair(text: str) -> Any:
    import json

    from json_repair import repair_json

    try:
        made = json.loads(str(repair_json(text)), object_pairs_hook=build_object)
        return made if isinstance(made, dict) and all(check(text, made) for check in _CHECKS) else None
    except (ValueError, RecursionError):
        return None


def _is_lossless(text: str, value: Any) -> bool:
    return _fold(_ESCAPED.sub(_decode_escape, text)) == _fold("".join(_collect_texts(value)))


def _is_verbatim(text: str, value: Any) -> bool:
    plain = unescape(text)
    return all(leaf in plain for leaf in _collect_texts(value) if leaf not in ("null", "true", "false"))


def _decode_escape(escape: re.Match[str]) -> str:
    return unescape(escape[0])


def _fold(text: str) -> str:
    return _PUNCTUATION.sub("", text).casefold().replace("none", "null")


def _collect_texts(value: Any) -> list[str]:
    """All keys and values as texts, in order."""
    if isinstance(value, dict):
        return [part for key, inner in value.items() for part in (key, *_collect_texts(inner))]
    if isinstance(value, list):
        return [part for inner in value for part in _collect_texts(inner)]
    return ["null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)]


def _is_closed(text: str, value: Any) -> bool:
    """Whether the text itself ends the last value, and every level above it."""
    tail = _TAIL.search(text)
    closers = re.sub(r"[^}\]]", "", tail["closers"]) if tail else ""
    return bool(tail and _ENDED.match(tail["last"])) and closers == _find_closers(value)


def _has_all_marks(text: str, value: Any) -> bool:
    """Whether brackets and quotes are as many as the value and its texts need; one missing quote is what was repaired,
    and all may be doubled, as in CSV."""
    mark = _MARK.search(text)
    leaves, shape = _collect_texts(value), _outline(value)
    inner = "".join(leaves)
    if not mark or any(text.count(c) != shape.count(c) + inner.count(c) for c in "{}[]"):
        return False
    needed = shape.count('"') + inner.count(mark[0])
    return text.count(mark[0]) in (needed, needed - 1, 2 * shape.count('"'))


def _outline(value: Any) -> str:
    """The brackets and quotes of a value, without their contents."""
    if isinstance(value, dict):
        return "{" + "".join('""' + _outline(inner) for inner in value.values()) + "}"
    if isinstance(value, list):
        return "[" + "".join(map(_outline, value)) + "]"
    return '""' if isinstance(value, str) else ""


def _find_closers(value: Any) -> str:
    closers = ""
    while isinstance(value, dict | list):
        closers = ("}" if isinstance(value, dict) else "]") + closers
        value = list(value.values() if isinstance(value, dict) else value)[-1] if value else None
    return closers


_CHECKS = (_is_lossless, _is_verbatim, _is_closed, _has_all_marks)
