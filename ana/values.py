"""JSON values that every place can hold: UTF-8 text, msgpack's 64-bit integers, bounded nesting."""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Properties: TypeAlias = dict[str, Json]

DELIMITER = "\n---ANA_PROPS---\n"
"""What stands between an item's content and its properties in the text that is embedded."""

DEEPEST = 30
"""How deep lists and objects in a property may lie inside one another."""

ROOM = DEEPEST + 10
"""The same with an item's own object around them."""

DEEP = 100
"""How deep JSON from outside may be nested: most of what goes through it calls itself for each level."""


_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""The beginning of half a character in JSON; also of a character that is written as two halves."""


MOST_MARKS = 5_000_000
"""How many commas and brackets JSON from outside may have: a record of ours has fewer, were it all commas."""


def read_json(text: str | bytes) -> Any:
    """Return the value of JSON that somebody else may have written.

    Raises:
        ValueError: It is not JSON, nested more than DEEP deep, or has very many values.
    """
    if count_marks(text) > MOST_MARKS:
        raise ValueError(f"it has more than {MOST_MARKS:,} values")
    return read_own_json(text)


def read_own_json(text: str | bytes) -> Any:
    """Return the value of JSON of any length. Raises ValueError if it is not JSON, or nested more than DEEP deep."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested more than {DEEP} deep") from None
    if is_deeper(value, DEEP):
        raise ValueError(f"it is nested more than {DEEP} deep")
    return value


def read_object(text: str) -> dict[str, Any]:
    """Return the object in a JSON text; an empty one for any other text."""
    try:
        value = read_json(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def read_plain_json(text: str | bytes) -> Any:
    """Return the value of JSON with every lone surrogate, which no encoding can represent, replaced. Errors as of
    `read_json`.
    """
    value = read_json(text)
    if not _HALF.search(text if isinstance(text, str) else text.decode(errors="replace")):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def read_json_lines(text: str) -> Iterator[dict[str, Any]]:
    """Yield the object of each line; lines without an object, for example after a crash, are left out."""
    for line in text.splitlines():
        try:
            value = read_plain_json(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def count_marks(text: str | bytes) -> int:
    """Return the number of commas and opening brackets in JSON; each of them begins at most one value."""
    if isinstance(text, str):
        return sum(map(text.count, ",[{"))
    return sum(map(text.count, (b",", b"[", b"{")))


def is_deeper(value: Any, depth: int) -> bool:
    """Return whether lists and objects in a value are nested more deeply than this."""
    level = [value]
    for _ in range(depth + 1):
        inside = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        if not inside:
            return False
        level = [part for parts in inside for part in parts]
    return True


def plain_text(text: str) -> str:
    """Return the text with every lone surrogate, which no encoding can represent, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def iter_texts(value: Json) -> Iterator[str]:
    """Yield the texts in a value, in order; not the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from iter_texts(part)


def list_others(entries: Sequence[Json], known: Sequence[Json]) -> list[Json]:
    """Return the entries that are not among the known ones."""
    flat = {each for each in known if not isinstance(each, list | dict)}
    nested = [each for each in known if isinstance(each, list | dict)]
    return [each for each in entries if each not in (nested if isinstance(each, list | dict) else flat)]


def read_whole_number(value: object, least: int, most: int) -> int:
    """Return a value that should be a whole number in these bounds.

    Raises:
        ValueError: It is something else; 1e999 and true are too.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{str(value)[:20]} is not a number from {least} to {most:,}")
    return value


def fits(number: int) -> bool:
    """Whether an integer has at most 64 bits."""
    return -(2**63) <= number < 2**63


def plain(value: Json, depth: int = 0) -> Json:
    """The value with lone surrogates replaced and integers beyond 64 bits as text.

    Raises:
        ValueError: It is nested deeper than ROOM.
    """
    if depth > ROOM:
        raise ValueError(f"it is nested more than {ROOM} deep")
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, list):
        return [plain(part, depth + 1) for part in value]
    if isinstance(value, dict):
        return {plain_text(key): plain(part, depth + 1) for key, part in value.items()}
    return str(value) if isinstance(value, int) and not fits(value) else value


def fold_case(value: Json) -> Json:
    """The value in the form in which texts that differ only in case are equal; other values unchanged."""
    return unicodedata.normalize("NFC", value.casefold()) if isinstance(value, str) else value


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: four ASCII characters are a token, and so is any other character."""
    # a real tokenizer belongs to one model, and loading it would download a file
    plain = len(text) if text.isascii() else sum(map(str.isascii, text))
    return len(text) - plain + (plain + 3) // 4


def split_words(value: object) -> object:
    """Return the parts of a text between commas; any other value unchanged."""
    return [w.strip() for w in value.split(",") if w.strip()] if isinstance(value, str) else value


def to_number(value: Decimal) -> int | float:
    """Return an exact decimal as a JSON number: an integer if it is whole."""
    return int(value) if value == int(value) else float(value)
