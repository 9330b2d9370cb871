"""One value as models write it: JSON, and what other notations differ in where that has a single reading.

Read are JSON, JSON5's quotes, keys, commas and comments (the JSON5 specification), Python's literals, prefixes and
tuples ("Literals" in the Python language reference), smart quotes and full-width punctuation. What was not sent
as a value (an expression, a variable, NaN) becomes `NotAValue`, a key with two values `ConflictingValues`: nothing is
worked out or chosen.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DEEPEST = 128
LONGEST_NUMBER = 400

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\x00"
_SPACE = re.compile(rf"(?:[\s{INVISIBLE}]|//[^\n]*|/\*(?s:.*?)\*/|\#[^\n]*)*+")
_COMMAS = re.compile(rf"(?:[\s{INVISIBLE},，;]|//[^\n]*|/\*(?s:.*?)\*/|\#[^\n]*)*+")
_QUOTE = re.compile(r"(?P<prefix>[rRuUfF]{0,2})(?P<mark>\"\"\"|'''|[\"'“”‘’]|`(?!`))")
_CLOSERS = {"“": "[“”]", "”": "[“”]"} | {q: rf"(?:(?<!\w){q}|{q}(?!\w))" for q in ("'", "[‘’]")}
_CLOSERS |= dict.fromkeys("‘’", _CLOSERS.pop("[‘’]"))
"""The ends of a string; an apostrophe between letters is not one."""
_KEY = re.compile(r"[^\W\d][\w $.-]{0,63}?(?=[ \t]*[:：])")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?=[\s,，;}\])/#]|$)")
_WORD = re.compile(r"(\w+)(?=[\s,，;}\])/#]|$)")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"} | {c: c for c in "/\\\"'`“”"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_MARKDOWN = re.compile(r"\\([_$*.#-])")
_OPERATOR = re.compile(r"[+%]|\.\w+\(")
_SKIPPED = re.compile(r"[^\"'`,;{}()\[\]]+")
_CLOSED = {"{": "}", "[": "]", "(": ")"}


@dataclass(frozen=True)
class NotAValue:
    """The source text of something that stands in a value's place without being one."""

    raw: str


@dataclass(frozen=True)
class ConflictingValues:
    """The values of a key that was given several different ones."""

    values: tuple[Any, ...]


class MalformedValue(Exception):
    """Not a value; `at` is how far it could be read."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class TruncatedValue(Exception):
    """The text ends inside the value."""


def read(text: str, at: int = 0) -> tuple[Any, int]:
    """Read the value that begins at a place.

    Args:
        text: The text around it.
        at: Where it begins; white space and comments before it are skipped.

    Returns:
        The value, and where it ends.

    Raises:
        MalformedValue: Nothing there has a single reading.
        TruncatedValue: The text ends inside it.
    """
    return _Reader(text).read_value(at, 0)


def read_whole(text: str) -> Any:
    """Read a text that is one value and nothing besides. Raises as `read` does."""
    value, end = read(text)
    if skip(text, end) < len(text):
        raise MalformedValue(end)
    return value


def read_or(default: Any, text: str) -> Any:
    """Read a text that is one value; return the default where it is not."""
    try:
        return read_whole(text)
    except (MalformedValue, TruncatedValue):
        return default


def skip(text: str, at: int) -> int:
    """Where white space and comments end."""
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def unescape(text: str) -> str:
    """The text with JSON's escapes decoded; a backslash that starts none is a backslash."""
    if "\\" not in text:
        return text
    decoded = _ESCAPE.sub(_escape, text)
    # two escapes that make one character are joined; a half alone is replaced where the text is kept
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _ESCAPES.get(found[2], found[0])


def is_same(a: Any, b: Any) -> bool:
    """Whether two values are equal, types included (True is not 1)."""
    return repr(a) == repr(b)


def build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object that key and value pairs make."""
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key not in made or is_same(made[key], value):
            made[key] = value
        else:
            earlier = made[key].values if isinstance(made[key], ConflictingValues) else (made[key],)
            made[key] = ConflictingValues((*earlier, value))
    return made


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def read_value(self, at: int, depth: int) -> tuple[Any, int]:
        at = self.skip_to_value(at)
        if depth > DEEPEST:
            raise MalformedValue(at)
        opener = self.text[at]
        if opener in _CLOSED:
            read = {"{": self.read_object, "[": self.read_array, "(": self.read_array}[opener]
            return read(at, depth)
        if _QUOTE.match(self.text, at):
            return self.read_strings(at)
        return self.read_atom(at)

    def skip_to_value(self, at: int, past: Callable[[str, int], int] = skip) -> int:
        at = past(self.text, at)
        if at >= len(self.text):
            raise TruncatedValue
        return at

    def read_object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        pairs: list[tuple[str, Any]] = []
        at = self.skip_to_value(at + 1, _past_commas)
        while self.text[at] != "}":
            key, at = self.read_key(at)
            if key == "...":
                pairs.append((key, NotAValue(key)))
            else:
                value, at = self.read_value(at, depth + 1)
                pairs.append((key, value))
            at = self.skip_to_value(at, _past_commas)
        return build_object(pairs), at + 1

    def read_array(self, at: int, depth: int) -> tuple[list[Any], int]:
        closer, values = _CLOSED[self.text[at]], list[Any]()
        at = self.skip_to_value(at + 1, _past_commas)
        while self.text[at] != closer:
            value, end = self.read_value(at, depth + 1)
            values.append(value)
            at = self.skip_to_value(end)
            if self.text[at] not in ",，;" and self.text[at] != closer:
                raise MalformedValue(at)
            at = self.skip_to_value(at, _past_commas)
        return values, at + 1

    def read_key(self, at: int) -> tuple[str, int]:
        if self.text.startswith(("...", "…"), at):
            return "...", at + (1 if self.text[at] == "…" else 3)
        if _QUOTE.match(self.text, at):
            key, at = self.read_string(at)
        else:
            bare = _KEY.match(self.text, at)
            if bare is None:
                raise MalformedValue(at)
            key, at = bare[0], bare.end()
        at = self.skip_to_value(at)
        if self.text[at] not in ":：" or not isinstance(key, str):
            raise MalformedValue(at)
        return _MARKDOWN.sub(r"\1", key), at + 1

    def read_strings(self, at: int) -> tuple[Any, int]:
        """A string, and those that Python would join to it."""
        begun = at
        whole, at = self.read_string(at)
        while (after := skip(self.text, at)) > at and _QUOTE.match(self.text, after):
            more, end = self.read_string(after)
            if self.text.startswith((":", "："), skip(self.text, end)):
                break  # the next key, after a comma that is missing
            python = self.text[begun] == "'" == self.text[after]
            known = python and isinstance(whole, str) and isinstance(more, str)
            whole, at = whole + more if known else NotAValue(self.text[begun:end]), end
        if _OPERATOR.match(self.text, after):
            return self.read_unsent(begun)
        return whole, at

    def read_string(self, at: int) -> tuple[Any, int]:
        found = _QUOTE.match(self.text, at)
        assert found is not None
        prefix, mark = found["prefix"].lower(), found["mark"]
        inner, end = self.read_quoted(found.end(), _CLOSERS.get(mark) or re.escape(mark), raw="r" in prefix)
        if "f" in prefix and "{" in inner:
            return NotAValue(self.text[at:end]), end
        return inner if "r" in prefix else unescape(inner), end

    def read_quoted(self, at: int, closer: str, *, raw: bool) -> tuple[str, int]:
        """The text up to the closing quote, escapes as they are."""
        stop = re.compile(closer if raw else rf"\\(?s:.)|{closer}|\\\Z")
        end = at
        while found := stop.search(self.text, end):
            if not found[0].startswith("\\"):
                return self.text[at : found.start()], found.end()
            end = found.end()
        raise TruncatedValue

    def read_atom(self, at: int) -> tuple[Any, int]:
        if (word := _WORD.match(self.text, at)) and word[1] in _WORDS:
            return _WORDS[word[1]], word.end()
        found = _NUMBER.match(self.text, at)
        if found and found.end() - at <= LONGEST_NUMBER:
            number = float(found[0]) if found[1] or found[2] else int(found[0])
            if abs(number) != float("inf"):
                return number, found.end()
        return self.read_unsent(at)

    def read_unsent(self, begun: int) -> tuple[NotAValue, int]:
        """The text up to the next comma or closing bracket that is not inside it."""
        at, closers = begun, list[str]()
        while at < len(self.text):
            char = self.text[at]
            if not closers and char in ",;}])":
                if not self.text[begun:at].strip():
                    raise MalformedValue(at)
                return NotAValue(self.text[begun:at].strip()), at
            if char in _CLOSED:
                closers.append(_CLOSED[char])
            elif char in "}])" and closers.pop() != char:
                raise MalformedValue(at)
            at = self.read_string(at)[1] if _QUOTE.match(self.text, at) else at + 1
            if (plain := _SKIPPED.match(self.text, at)) is not None:
                at = plain.end()
        raise TruncatedValue


def _past_commas(text: str, at: int) -> int:
    found = _COMMAS.match(text, at)
    assert found is not None
    return found.end()
