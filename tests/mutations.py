"""What somebody, or a fault, may make of a file: values replaced, keys gone, bytes changed, ends cut off."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[Any, ...]

VALUES: list[Any] = [
    *(None, True, 0, 1, -1, 1.5, 10**30, float("nan"), float("inf"), [], {}, [[]], [None], {"a": 1}),
    *("", "x" * 3000, "\x1b[31m\x00", "\ud800", "\u202eabc", "12345678", "2026-01-07", "2026-13-45T99:99"),
    *("../../outside", "/outside", "0001-01-01T00:00:00+14:00"),
]


def iter_paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value inside one."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from iter_paths(part, (*path, key))


def mutate_value(value: Any, random: Random) -> None:
    """Replace or remove one value inside a value, those near the top more often."""
    paths = list(iter_paths(value))
    near = [path for path in paths if len(path) < 3]
    *way, last = random.choice(near if random.random() < 0.5 else paths)
    parent = value
    for key in way:
        parent = parent[key]
    kind = random.random()
    if kind < 0.25:
        del parent[last]
    elif kind < 0.3:
        parent[last] = nest(random.choice((50, 150, 900)))
    elif kind < 0.4:
        parent[last] = copy.deepcopy(random.choice([*value.values()] or [None]))
    else:
        parent[last] = random.choice(VALUES)


def nest(depth: int) -> Any:
    """Return a list in a list, so many times."""
    value: Any = []
    for _ in range(depth):
        value = [value]
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
    record = json.loads(lines[number])
    mutate_value(record, random)
    return "".join(f"{json.dumps(record) if n == number else line}\n" for n, line in enumerate(lines)).encode()
