"""Invalid text, which every door refuses: NUL, half a character, a byte that is not UTF-8.

No encoding can represent half a surrogate pair, databases refuse NUL or end a text there, and a program that gets such
text may not answer at all. Like Python, readers keep a byte that is not UTF-8 as half a pair from U+DC80 on, so that
this module can refuse it.
"""

import re

from ana.errors import AnaError
from ana.values import Json, read_json

HINT = "Send it again without that."

_BAD = re.compile("[\0\ud800-\udfff]")


def check_text(value: object, kind: type[AnaError]) -> None:
    """Raise an error of this kind, which says what is wrong, if a text in a value is not valid.

    Args:
        value: A text, or a JSON value; the keys of objects are texts too.
    """
    if fault := find_fault(value):
        raise kind(fault, HINT)


def find_fault(value: object) -> str:
    """Return a sentence about the first character of a value that no text may contain; empty if all characters are
    valid.
    """
    parts = [value]
    for part in parts:  # which grows meanwhile
        if isinstance(part, str) and (match := _BAD.search(part)):
            return f"This cannot be read as text: character {match.start() + 1} is {_describe(ord(match[0]))}."
        if isinstance(part, dict):
            parts += [*part, *part.values()]
        elif isinstance(part, list | tuple):
            parts += part
    return ""


def replace_faults(value: Json) -> Json:
    """Return a value with each invalid character replaced by the mark for an unknown character, in keys too."""
    if isinstance(value, str):
        return _BAD.sub("\ufffd", value)
    if isinstance(value, list):
        return [replace_faults(each) for each in value]
    if isinstance(value, dict):
        return {_BAD.sub("\ufffd", key): replace_faults(each) for key, each in value.items()}
    return value


def read_any_json(text: str | bytes) -> object:
    """Return the value of JSON even if its texts are invalid, for `find_fault`. Errors as of `read_json`."""
    return read_json(text if isinstance(text, str) else text.decode("utf-8", "surrogateescape"))


def _describe(code: int) -> str:
    if code == 0:
        return r"NUL (\u0000)"
    if 0xDC80 <= code <= 0xDCFF:
        return f"a byte that is not UTF-8 ({code - 0xDC00:#04x})"
    return rf"half a character (\u{code:04x}), as of an emoji that was cut in two"
