"""JSON as models write it: each token is rewritten as valid JSON, and the result is parsed as JSON.

It rewrites other quotes, keys without quotes, Python's words and calls, extra commas, a comma missing
before a key, and useless backslashes; it drops comments. Nothing is added or closed, so truncated text
is refused; valid JSON is parsed unchanged.
"""

import json
from collections.abc import Iterable
from typing import Any

import regex

from ana.errors import ToolError

DEEPEST = 128
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\x00"

_GAP = rf"[\s{INVISIBLE}]|//[^\n]*|/\*.*?\*/|#[ ][^\n]*"
# a phrase in quotes amid a text, as in "Read "Dune" by Frank Herbert": neither of its quotes can end or begin a text
_PHRASE = r"(?:(?<=\w )|(?<=: \"))\"\w[\w ,.!?'’&-]*\"(?=[.!?,]? [^\W\d]|[.!?\"])"
_STRING = "|".join(
    (
        r"\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"",
        rf"\"(?!\"\")(?:[^\"\\]|\\.|{_PHRASE})*+\"",
        r"'(?:[^'\\]|\\.|(?<=\w)'(?=\w))*+'",  # an apostrophe between letters ends no text
        r"[“”](?:[^“”\\]|\\.)*+[“”]",
        r"‘(?:[^‘’\\]|\\.|(?<=\w)’(?=\w))*+’",
        r"`(?!`)(?:[^`\\]|\\.)*+`",
    )
)
_TOKENS = {
    "gap": rf"(?:{_GAP}|[,，;](?=(?:{_GAP})*+[,，;}}\])]))++",
    "key": rf"(?:{_STRING})(?=(?:{_GAP})*+[:：])",
    "name": rf"[^\W\d][\w$.-]*+(?:[ ][\w$.-]++){{0,40}}+(?=(?:{_GAP})*+[:：=])",
    "text": _STRING,
    "object": r"\{|\((?=\s*\w+\s*[=:])",
    "list": r"[\[(]",
    "end": r"[\]})]",
    "colon": r"[:：=]",
    "comma": r"[,，;]",
    "word": r"(?!~~~)[^\s{}\[\](),，;:：=\"'“‘`<]+",
}
_TOKEN = regex.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _TOKENS.items()), regex.DOTALL)
_WRITTEN = {"object": "{", "list": "[", "colon": ":", "comma": ","}
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_LITERAL = regex.compile(r"-?(?:0|[1-9]\d{0,400})(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_ESCAPE = regex.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})|\\(?P<quote>['`“”‘’])|[\\\"]")
_MARKDOWN = regex.compile(r"\\(?=[_$*.#-])")
_UNENDED = regex.compile(r"(?!```)[\"'“”‘`]")
"""The beginning of an unterminated text."""
_END = regex.compile(r"```|~~~|</|<[|｜]|\Z")
"""What follows a truncated value: the end of the enclosing object or list, or nothing."""


def read_value(text: str, at: int = 0) -> tuple[Any, int]:
    """Parse the object or list, or Python's arguments in parentheses, at a position.

    Returns:
        The value, and where it ends.

    Raises:
        ToolError: It cannot be read; the message names the place.
    """
    written, opened = [""], list[regex.Match[str]]()
    while opened or written == [""]:
        token = _TOKEN.match(text, at)
        if token is None:
            raise _explain(text, at, opened)
        if token.lastgroup == "key" and written[-1] not in ("{", ","):
            written.append(",")
        if token.lastgroup in ("object", "list"):
            opened.append(token)
        if token.lastgroup != "gap":
            written.append(_close(token, opened.pop()) if token.lastgroup == "end" else _write(token))
        if len(opened) > DEEPEST:
            raise ToolError(f"The JSON is nested more than {DEEPEST} deep.")
        at = token.end()
    try:
        return json.loads("".join(written), strict=False, object_pairs_hook=build_object), at
    except json.JSONDecodeError as exc:
        place = exc.doc[max(exc.pos - 20, 0) : exc.pos + 20]
        raise ToolError(f"The JSON is wrong, {exc.msg}: {place!r}.") from exc


def read_whole(text: str) -> Any:
    """Return the object or list that makes up a whole text. Errors as of `read_value`."""
    value, end = read_value(text)
    if text[end:].strip():
        raise ToolError(f"After the JSON stands {text[end:].strip()[:40]!r}.")
    return value


def build_object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs. Raises ToolError if a key has two values."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made and not is_same(made[key], value):
            raise ToolError(f"The key {key[:40]!r} stands there twice with different values.")
        made[key] = value
    return made


def is_same(a: Any, b: Any) -> bool:
    """Return whether two values are equal, including their types (True is not 1)."""
    return repr(a) == repr(b)


def _close(token: regex.Match[str], opening: regex.Match[str]) -> str:
    if token[0] != _CLOSERS[opening[0]]:
        raise ToolError(f"In the JSON, {token.string[opening.start() :][:40]!r} is closed with {token[0]!r}.")
    return "}" if opening.lastgroup == "object" else "]"


def _write(token: regex.Match[str]) -> str:
    kind, said = str(token.lastgroup), token[0]
    if kind in ("key", "text"):
        marks = 3 if said.startswith('"""') else 1
        inside = said[marks:-marks]
        return '"' + _ESCAPE.sub(_escape, inside if kind == "text" else _MARKDOWN.sub("", inside)) + '"'
    if kind == "name":
        return f'"{said}"'
    word = _WORDS.get(said, said)
    if kind == "word" and not _LITERAL.fullmatch(word):
        how = 'Text stands in double quotes, and a quote inside it as \\".'
        raise ToolError(f"{said[:40]!r} is not a JSON value. {how}")
    return _WRITTEN.get(kind, word)


def _escape(found: regex.Match[str]) -> str:
    if found["quote"]:
        return found["quote"]
    return f"\\{found[0]}" if found[0] in ("\\", '"') else found[0]


def _explain(text: str, at: int, opened: list[regex.Match[str]]) -> ToolError:
    if _UNENDED.match(text, at):
        return ToolError(f"The JSON is cut short, or a quote is not escaped: {text[at : at + 40]!r} is not closed.")
    if opened and _END.match(text, at):
        return ToolError(f"The JSON is cut short: {text[opened[-1].start() :][:40]!r} is not closed.")
    return ToolError(f"{text[at : at + 40]!r} is not JSON.")
