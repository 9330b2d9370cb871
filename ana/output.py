"""Everything that is printed goes through here, so that no stored, imported or generated text can drive a terminal.

Control characters and bidirectional marks are shown as escapes such as \\x1b. Each is escaped by itself, so a sequence
that arrives in several pieces does no more than one that arrives whole. Files that ana writes are not changed.
"""

import io
import json
import os
import re
import shutil
import sys
from typing import IO, Any

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that make a terminal show text in another order than it has."""

_DRIVING = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{BIDIRECTIONAL}]")
"""C0 without tab and line break, DEL, C1, and bidirectional controls."""


def escape_controls(text: str) -> str:
    """Return the text with what could drive a terminal as visible escapes; line breaks and tabs stay."""
    return _DRIVING.sub(lambda found: found[0].encode("unicode_escape").decode(), text.replace("\r\n", "\n"))


def escape_json(text: str) -> str:
    """Return JSON with what could drive a terminal as JSON's own escapes: it still means the same."""
    return _DRIVING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_line(text: str = "") -> None:
    """Print a line on standard output."""
    print(escape_controls(text))


def write_json(value: Any) -> None:
    """Print a value on standard output as one line of JSON; what JSON does not know is printed as text."""
    print(escape_json(json.dumps(value, ensure_ascii=False, default=str)))


def write_file(lines: IO[bytes]) -> None:
    """Print an export: the same bytes in a pipe or a file, and in a terminal without what could drive it."""
    if sys.stdout.isatty():
        for line in lines:
            print(escape_json(line.decode().rstrip("\r\n")))
    else:
        shutil.copyfileobj(lines, sys.stdout.buffer)


def tell(text: str) -> None:
    """Print a line for the person on standard error, where programs do not look for results."""
    print(escape_controls(text), file=sys.stderr)


def prepare_streams() -> None:
    """Let a terminal that lacks a character still show the rest, and input that is not text arrive where it is refused
    (`ana.text`)."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "replace"), (sys.stderr, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def flush() -> None:
    """Print what is still held back: at exit Python would name an error itself, and no command could."""
    try:
        print(end="", flush=True)
    except OSError:
        silence()
        raise


def silence() -> None:
    """Drop what is still printed, once nobody reads it: Python would complain about the closed pipe at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def shorten(text: str, width: int = 72) -> str:
    """Return the text as one line of at most `width` characters, cut between words where there are any."""
    line = escape_controls(" ".join(text.split()))
    if len(line) <= width:
        return line
    cut = line[: width - 1]
    words = cut.rpartition(" ")[0] if line[width - 1] != " " else cut
    return f"{words if len(words) > width // 2 else cut}…"
