"""Output to people, made safe: no stored, imported or generated text can look like something else.

Characters that control a terminal, are invisible, or change the order of text are shown as escapes such
as \\x1b: in a terminal, on the page, on a card, to a model. Each is escaped by itself, so a sequence that arrives in
several pieces does no more than one that arrives whole. Files that ana writes are not changed.
"""

import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from typing import IO, Any

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that make text stand in another order than it has."""

_HIDDEN = (
    # C0 without tab and line break, DEL, C1, separators of lines and paragraphs, halves of characters
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    # joiners, spaces without width, and whatever else formats without being seen
    f"{BIDIRECTIONAL}\xad\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    # letters that are drawn as nothing, tags, selectors of variants
    "\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff"
)

_PICTURES = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
_JOINED = "\u0610-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1820-\u18aa\ufb50-\ufdff\ufe70-\ufefc"
"""Letters of scripts in which a joiner between two of them chooses how they are written."""
_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"

_AT_HOME = "|".join(
    (
        f"(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])",
        f"(?<=[{_PICTURES}])[\ufe0e\ufe0f]",
        "(?<=[#*0-9])\ufe0f(?=\u20e3)",
        f"(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])",
        "(?<=[\u1820-\u18aa])[\u180b-\u180f]",
        f"(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef]",
        # the flags of England, Scotland and Wales
        "(?<=\U0001f3f4)\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
        "|\U000e0077\U000e006c\U000e0073)\U000e007f",
    )
)
"""Where such characters make what is seen: in pictures of several parts, flags, and scripts that need them."""

_ANY = re.compile(f"[{_HIDDEN}]")
_EACH = re.compile(f"(?P<home>{_AT_HOME})|{_ANY.pattern}")
_INNER = str.maketrans("“”„‟❝❞〝〞〟＂", "‘’‚‛❛❜‘’’＇")
"""Marks that end a quotation, or look as if, and single ones."""


def escape_controls(text: str) -> str:
    """Return the text with invisible and terminal-controlling characters as escapes; line breaks and tabs stay."""
    return _escape(text.replace("\r\n", "\n"), lambda hidden: hidden.encode("unicode_escape").decode())


def escape_json(text: str) -> str:
    """Return JSON with these characters as JSON's own escapes, so that it still means the same."""
    return _escape(text, lambda hidden: json.dumps(hidden)[1:-1])


def quote(text: str, most: int | None = None) -> str:
    """Return a text in one line and in quotes; quotes in it become single ones, so that they cannot end it.

    Args:
        most: The most characters between the quotes; a longer text is cut. None for no limit.
    """
    line = escape_controls(" ".join(text.split())) if most is None else shorten(text, most)
    return f"“{line.translate(_INNER)}”"


def _escape(text: str, write: Callable[[str], str]) -> str:
    # most texts have none
    return _EACH.sub(lambda match: match["home"] or write(match[0]), text) if _ANY.search(text) else text


def write_line(text: str = "") -> None:
    """Print a line on standard output."""
    print(escape_controls(text))


def write_json(value: Any) -> None:
    """Print a value on standard output as one line of JSON; values unknown to JSON are printed as text."""
    print(escape_json(json.dumps(value, ensure_ascii=False, default=str)))


def write_file(lines: IO[bytes]) -> None:
    """Print an export: the same bytes in a pipe or a file, and in a terminal without control characters."""
    if sys.stdout.isatty():
        for line in lines:
            print(escape_json(line.decode().rstrip("\r\n")))
    else:
        shutil.copyfileobj(lines, sys.stdout.buffer)


def tell(text: str) -> None:
    """Print a line for the person on standard error, where programs do not look for results."""
    print(escape_controls(text), file=sys.stderr)


def prepare_streams() -> None:
    """Make a terminal that lacks a character still show the rest, and make invalid input reach the code that refuses it
    (`ana.text`).
    """
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "replace"), (sys.stderr, "replace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def flush() -> None:
    """Print buffered output now, because Python would report an error at exit itself, and no command could."""
    try:
        print(end="", flush=True)
    except OSError:
        silence()
        raise


def silence() -> None:
    """Drop further output once nobody reads it, because Python would complain about the closed pipe at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def shorten(text: str, width: int = 72) -> str:
    """Return the text as one line of at most `width` characters, cut between words where there are any."""
    line = escape_controls(" ".join(text.split()))
    if len(line) <= width:
        return line
    cut = line[: width - 1]
    words = cut.rpartition(" ")[0] if line[width - 1] != " " else cut
    return f"{words if len(words) > width // 2 else cut}…"
