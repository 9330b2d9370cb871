"""JSON as models write it: read unchanged, or mended if that neither loses nor adds anything.

`json_repair` mends quotes, commas and keys without quotes; Python reads its own literals. `json_repair` guesses, and
closes text that was cut off. So its result counts only if it equals the text in every character except quotes, commas
and spaces.
"""

import ast
import html
import json
import re
import warnings
from collections.abc import Iterable
from typing import Any

from ana.errors import ToolError
from ana.values import DEEP, is_deeper

LONGEST_MENDED = 2_000
"""Characters that are mended: `json_repair` takes a time that grows with their square."""
UNREADABLE = (ValueError, SyntaxError, TypeError, MemoryError, RecursionError)
"""What reading Python raises."""
SPACE = " \t\r\n\xa0\u2028\u2029\u200b\u200c\u200d\u2060\ufeff\x00"

_QUOTES = str.maketrans("`‘’", '"""')
_SIGNS = str.maketrans("'`“”‘’：", '"""""":', f"\\,，;{SPACE}")
_NAME = re.compile(r'"([\w$.-]*)"(?=:)|"([a-z]+[_\d]\w*)"')
"""What needs no quotes: a key, and a name or an id."""
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)')
_ASIDE = re.compile(
    rf"(?s)({_TEXT.pattern}|'(?:[^'\\]|\\.)*+(?:'|\Z))|\b(undefined)\b"
    r"|//[^\n]*|/\*.*?(?:\*/|\Z)|#[ ][^\n]*"
)
"""A comment, or what may look like one: a text; and JavaScript's null."""
_MARKDOWN = re.compile(r"\\([_$])")


def read_value(text: str, at: int = 0) -> tuple[Any, int]:
    """Read the object or list that begins at a place.

    Returns:
        The value, and the place where it ends.

    Raises:
        ToolError: It cannot be read; the message names the place.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as exc:
        end = text.rfind("}" if text.startswith("{", at) else "]") + 1
        value = _mend(text[at:end])
        if value is None:
            place = max(getattr(exc, "pos", at) - 20, at)
            raise ToolError(f"The JSON is cut short, or wrong near {text[place : place + 40]!r}: {exc}.") from exc
    if is_deeper(value, DEEP):
        raise ToolError(f"The JSON is nested more than {DEEP} deep.")
    return value, end


def decode(value: Any) -> Any:
    """Return the object or list that a whole text spells; any other value unchanged."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        inner, end = read_value(text) if text.startswith(("{", "[")) else (value, len(text))
    except ToolError:
        return value
    return inner if end == len(text) else value


def build_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object that pairs make. Raises ToolError if a key has two values."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if repr(made.setdefault(key, value)) != repr(value):  # True is not 1
            raise ToolError(f"The key {key[:40]!r} stands there twice with different values.")
    return made


# int takes no constant such as NaN
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=build_object, parse_constant=int)


def _mend(source: str) -> Any:
    """Return the value of a text that is no valid JSON; None if it is incomplete or ambiguous."""
    if len(source) > LONGEST_MENDED:
        return None
    import json_repair  # takes a while

    try:
        while source.startswith("{\\"):
            source = json.loads(f'"{source}"', strict=False)
        if not re.search('["“]', source):
            source = html.unescape(source).translate(_QUOTES)
        source = _ASIDE.sub(lambda found: found[1] or ("null" if found[2] else ""), _MARKDOWN.sub(r"\1", source))
        value = json_repair.loads(source, skip_json_loads=True)
        return value if _is_same(source, json.dumps(value, ensure_ascii=False)) else read_literal(parse_python(source))
    except UNREADABLE:
        return None


def _is_same(source: str, mended: str) -> bool:
    """Return whether a mended text has the meaning of its source, and no string in it has an unpaired quote."""
    is_paired = not any(text.count('\\"') % 2 for text in _TEXT.findall(mended))
    return is_paired and _reduce(source) == _reduce(mended)


def _reduce(text: str) -> str:
    return _NAME.sub(r"\1\2", text.lower().replace("none", "null").translate(_SIGNS))


def parse_python(source: str) -> ast.expr:
    """Return a Python expression. Raises the errors in UNREADABLE."""
    with warnings.catch_warnings(action="ignore"):  # of backslashes that escape nothing
        return ast.parse(source, mode="eval").body


def read_literal(node: ast.expr) -> Any:
    """Return the value of a Python literal, as a JSON value. Raises the errors in UNREADABLE."""
    for each in ast.walk(node):
        if isinstance(each, ast.Dict) and len({ast.dump(key) for key in each.keys if key}) < len(each.keys):
            raise ValueError("a key stands there twice")
    return json.loads(json.dumps(ast.literal_eval(node), allow_nan=False))
