"""Values and files that were spoiled at random, from a seed: as somebody who means harm, or a fault, leaves them."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any


def nest(depth: int) -> Any:
    """Return a list in a list, so many times."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 5, 2**31, 2**63, 10**30, 1.5, 1e308, -0.0, float("nan"), float("inf")),
    *("", " ", "x", "\x00", "\x1b[31m", "\ud800", "ä\u202e", "a" * 5000, "12345678"),
    *("../../etc", "/outside", "00000000-0000-0000-0000-000000000000"),
    *("2026-01-07", "2026-13-45T99:99", "0001-01-01T00:00:00+14:00"),
    *("__overwrite__", "__remove_all__", "__end__", "__input__", "__copy__"),
    *([], [None], {}, {"": None}, {"x": 1}, [[1, 2], [3]], nest(50), [nest(190)] * 2, nest(250)),
    *({"__overwrite__": 5}, {"type": "__overwrite__", "value": 5}, {"type": "remove", "id": "x", "content": ""}),
    {"role": "user", "content": "hi"},
)
"""What is put in the place of a value, or beside it."""

NAMES = ("x", "id", "type", "thread_id", "__overwrite__", "checkpoint_id")


def mutate(value: Any, random: Random) -> Any:
    """Return a JSON value with up to three parts of it replaced, removed, doubled or wrapped, those near the top more
    often."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(_find_places(value))
        near = [place for place in places if len(place) < 3]
        *way, last = ("", *random.choice(near if random.random() < 0.5 else places))
        if last == "":
            return copy.deepcopy(random.choice(ODD)) if random.random() < 0.2 else value
        part = value
        for step in way[1:]:
            part = part[step]
        _spoil(part, last, random)
    return value


def mutate_text(text: bytes, random: Random) -> bytes:
    """Change, cut, double or insert some bytes."""
    at = random.randrange(len(text) + 1)
    end = min(at + random.randrange(40), len(text))
    return random.choice(
        (
            text[:at],
            text[at:],
            text[:at] + text[end:],
            text[:at] + bytes(random.randrange(256) for _ in range(5)) + text[end:],
            text[:at] + text[at:end] * 3 + text[end:],
            text[:at] + random.choice((b"\x00", b"\xff\xfe", b"\r\n", b'"', b"{" * 2000, b"null")) + text[at:],
            random.choice((b"", b"null", b"[]", b"{}", b"\x00" * 50, b"[" * 100_000, b"NaN", b'"x"')),
        )
    )


def mutate_lines(lines: list[str], random: Random) -> bytes:
    """Return lines of JSON in one of which something is not as it was."""
    number = random.randrange(len(lines))
    if random.random() < 0.2:
        return mutate_text("".join(f"{line}\n" for line in lines).encode(), random)
    changed = json.dumps(mutate(json.loads(lines[number]), random))
    return "".join(f"{changed if n == number else line}\n" for n, line in enumerate(lines)).encode()


def _spoil(part: Any, place: Any, random: Random) -> None:
    odd, how = copy.deepcopy(random.choice(ODD)), random.random()
    if how < 0.55:
        part[place] = odd
    elif how < 0.7:
        del part[place]
    elif how < 0.8:
        part[place] = [part[place]]
    elif how < 0.9:  # what lies beside it, in its place
        part[place] = copy.deepcopy(random.choice([*part.values()] if isinstance(part, dict) else part))
    elif isinstance(part, dict):
        part[random.choice(NAMES)] = odd
    else:
        part.append(copy.deepcopy(part[place]))


def _find_places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to all values in a value, itself first."""
    yield way
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from _find_places(value[step], (*way, step))
