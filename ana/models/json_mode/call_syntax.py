"""Calls that are not JSON: Python's, tags with a parameter each, keys and values, a bare text.

Python calls are what Gemma ("Function calling with Gemma"), Llama 3.2, NexusRaven and Gorilla write (their model
cards); tags are Qwen3-Coder's, GLM-4.5's, DeepSeek's DSML and Claude's. Nothing is ever run or worked out here.
"""

import re
from typing import Any

from ana.models.json_mode.decision import ParsedCall
from ana.models.lenient_json import MalformedValue, NotAValue, TruncatedValue, read, read_whole, skip

FURTHER = re.compile(r"\s{0,8}[,;]\s{0,8}(?P<code>(?:[A-Za-z_]\w{0,60}\.){0,4}[A-Za-z_]\w{0,60})\(")
PRINTED = re.compile(r"[ \t]*\)")
_ENDED = re.compile(r"[ \t]*[)\],;.]*[ \t]*(?:#[^\n]*)?(?=$|[<\r\n`])")
_KEYWORD = re.compile(r"(?P<name>[A-Za-z_]\w{0,60})[ \t]*[=:](?!=)")
_OPENING = re.compile(
    r"\s*<(?:｜DSML｜)?parameter(?:=(?P<a>[\w.-]{1,80})|[ ]name=[\"'](?P<b>[\w.-]{1,80})[\"'][^<>\n]{0,40})>"
)
_CLOSING = re.compile(r"</(?:｜DSML｜)?parameter>")
_TAG_END = re.compile(r"\s*</(?:｜DSML｜)?(?:function|invoke)>")
_PAIR = re.compile(r"\s*<arg_key>\s{0,4}(?P<key>[\w.-]{1,80})\s{0,4}</arg_key>\s*<arg_value>")
_KEYS_END = re.compile(r"\s*</tool_call>")
_ESCAPE = re.compile(r"<escape>(.*)<escape>", re.DOTALL)


def read_python_call(text: str, name: str, at: int) -> tuple[ParsedCall, int]:
    """Read a Python call from after its opening parenthesis.

    Returns:
        The call, with a `NotAValue` for each argument that is not one, and where its closing parenthesis ends.

    Raises:
        TruncatedValue: The text ends before the parenthesis is closed.
    """
    named: dict[str, Any] = {}
    placed: list[Any] = []
    at = skip(text, at)
    while text[at : at + 1] != ")":
        if at >= len(text):
            raise TruncatedValue
        word = _KEYWORD.match(text, at)
        value, at = _read_value(text, word.end() if word else at)
        if word and word["name"] not in named:
            named[word["name"]] = value
        else:
            placed.append(NotAValue(f"a second {word['name']}") if word else value)
        at = skip(text, at)
        at = skip(text, at + 1) if text[at : at + 1] == "," else at
    return ParsedCall(name, named, positional=tuple(placed)), at + 1


def _read_value(text: str, at: int) -> tuple[Any, int]:
    try:
        value, end = read(text, at)
        if text[skip(text, end) :][:1] in (",", ")"):
            return value, end
    except MalformedValue as exc:
        end = max(exc.at, at + 1)
    return NotAValue(text[at:end]), _find_argument_end(text, end)


def _find_argument_end(text: str, at: int) -> int:
    """Where the line that cannot be read ends, or its argument."""
    found = re.compile(r"[,)\n]").search(text, at)
    if found is None:
        raise TruncatedValue
    return found.start()


def find_line_end(text: str, at: int) -> int | None:
    """Where a call's line ends; None where more than punctuation follows it."""
    found = _ENDED.match(text, at)
    return found.end() if found else None


def read_tagged(text: str, at: int) -> tuple[dict[str, str] | None, int]:
    """Parameters in tags of their own; None where the tag around them is not closed."""
    args: dict[str, str] = {}
    while opening := _OPENING.match(text, at):
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            return None, len(text)
        args[opening["a"] or opening["b"]] = _strip_line_ends(text[opening.end() : closing.start()])
        at = closing.end()
    ended = _TAG_END.match(text, at)
    return (args, ended.end()) if ended else (None, len(text))


def read_keyed(text: str, at: int) -> tuple[dict[str, str] | None, int]:
    """Keys and values in tags; None where the tag around them is not closed."""
    args: dict[str, str] = {}
    while pair := _PAIR.match(text, at):
        end = text.find("</arg_value>", pair.end())
        if end < 0:
            return None, len(text)
        args[pair["key"]] = _strip_line_ends(text[pair.end() : end])
        at = end + len("</arg_value>")
    ended = _KEYS_END.match(text, at)
    return (args, ended.end()) if ended else (None, len(text))


def _strip_line_ends(text: str) -> str:
    """A value without the line ends that lay it out."""
    return re.sub(r"\A\r?\n|\r?\n\Z", "", text)


def read_bare_text(line: str) -> str | None:
    """A text that stands for the only argument."""
    text = line.strip()
    if text[:1] in ("'", '"'):
        try:
            value = read_whole(text)
            return value if isinstance(value, str) else text
        except (MalformedValue, TruncatedValue):
            return text
    return text or None


def strip_escape_marks(value: Any) -> Any:
    """Arguments without FunctionGemma's marks around texts."""
    if not isinstance(value, dict):
        return value
    return {key: _strip_escape_mark(inner) if isinstance(inner, NotAValue) else inner for key, inner in value.items()}


def _strip_escape_mark(value: NotAValue) -> Any:
    found = _ESCAPE.fullmatch(value.raw)
    return found[1] if found else value
