"""Calls that are not JSON: Python's, tags with a parameter each, keys and values, a bare text.

Python calls are what Gemma ("Function calling with Gemma"), Llama 3.2, NexusRaven and Gorilla write (their model
cards); tags are Qwen3-Coder's, GLM-4.5's, DeepSeek's DSML and Claude's. Nothing is ever run or worked out here.
"""

import re
from typing import Any

from ana.models.json_mode.decision import ParsedCall
from ana.models.lenient_json import MalformedValue, NotAValue, TruncatedValue, read, read_or, skip

FURTHER = re.compile(r"\s{0,8}[,;]\s{0,8}(?P<code>(?:[A-Za-z_]\w{0,60}\.){0,4}[A-Za-z_]\w{0,60})\(")
PRINTED = re.compile(r"[ \t]*\)")
_ENDED = re.compile(r"[ \t]*[)\],;.]*[ \t]*(?:#[^\n]*)?(?=$|[<\r\n`])")
_KEYWORD = re.compile(r"(?P<name>[A-Za-z_]\w{0,60})[ \t]*[=:](?!=)")
_TAGS = {
    "tagged": (
        re.compile(r"\s*<(?:｜DSML｜)?parameter(?:=([\w.-]{1,80})|[ ]name=[\"']([\w.-]{1,80})[\"'][^<>\n]{0,40})>"),
        re.compile(r"</(?:｜DSML｜)?parameter>"),
        re.compile(r"\s*</(?:｜DSML｜)?(?:function|invoke)>"),
    ),
    "keyed": (
        re.compile(r"\s*<arg_key>\s{0,4}([\w.-]{1,80})\s{0,4}</arg_key>\s*<arg_value>"),
        re.compile(r"</arg_value>"),
        re.compile(r"\s*</tool_call>"),
    ),
}
"""Per notation: what begins a parameter, its name a group; what ends it; what ends the call."""
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


def read_tags(text: str, at: int, notation: str) -> tuple[dict[str, str], int]:
    """Read the parameters of a call that come in tags, and where the call ends.

    Raises:
        TruncatedValue: The tag around a parameter or around them all is not closed.
    """
    opening, closing, ending = _TAGS[notation]
    args: dict[str, str] = {}
    while opened := opening.match(text, at):
        if (closed := closing.search(text, opened.end())) is None:
            raise TruncatedValue
        # without the line ends that only lay it out
        value = re.sub(r"\A\r?\n|\r?\n\Z", "", text[opened.end() : closed.start()])
        args[next(filter(None, opened.groups()))] = value
        at = closed.end()
    if (ended := ending.match(text, at)) is None:
        raise TruncatedValue
    return args, ended.end()


def read_bare_text(line: str) -> str | None:
    """A text that stands for the only argument."""
    text = line.strip()
    value = read_or(text, text) if text[:1] in ("'", '"') else text
    return (value if isinstance(value, str) else text) or None


def strip_escape_marks(value: Any) -> Any:
    """Arguments without FunctionGemma's marks around texts."""
    if not isinstance(value, dict):
        return value
    return {key: _strip_escape_mark(inner) if isinstance(inner, NotAValue) else inner for key, inner in value.items()}


def _strip_escape_mark(value: NotAValue) -> Any:
    found = _ESCAPE.fullmatch(value.raw)
    return found[1] if found else value
