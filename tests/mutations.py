"""Values that were spoiled at random, from a seed: what somebody may send who means harm, or does not know better."""

import copy
import random
from collections.abc import Iterator
from typing import Any

_NESTED: Any = 1
for _ in range(190):
    _NESTED = [_NESTED]

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 5, 2**31, 2**63, 10**30, 1.5, 1e308, -0.0),
    *("", " ", "x", "\x00", "ä\u202e", "a" * 5000, "../../etc", "00000000-0000-0000-0000-000000000000"),
    *("__overwrite__", "__remove_all__", "__end__", "__input__", "__copy__"),
    *([], [None], {}, {"": None}, {"x": 1}, [[1, 2], [3]], _NESTED, [_NESTED] * 2),
    *({"__overwrite__": 5}, {"type": "__overwrite__", "value": 5}, {"type": "remove", "id": "x", "content": ""}),
    {"role": "user", "content": "hi"},
)
"""What is put in the place of a value, or beside it."""

NAMES = ("x", "id", "type", "thread_id", "__overwrite__", "checkpoint_id")


def mutate(value: Any, chance: random.Random) -> Any:
    """Return a JSON value with up to three parts of it replaced, removed, doubled or wrapped."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        *way, last = ("", *chance.choice(list(_find_places(value))))
        if last == "":
            return copy.deepcopy(chance.choice(ODD)) if chance.random() < 0.2 else value
        part = value
        for step in way[1:]:
            part = part[step]
        _spoil(part, last, chance)
    return value


def _spoil(part: Any, place: Any, chance: random.Random) -> None:
    odd, how = copy.deepcopy(chance.choice(ODD)), chance.random()
    if how < 0.6:
        part[place] = odd
    elif how < 0.75:
        del part[place]
    elif how < 0.85:
        part[place] = [part[place]]
    elif isinstance(part, dict):
        part[chance.choice(NAMES)] = odd
    else:
        part.append(copy.deepcopy(part[place]))


def _find_places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to all values in a value, itself first."""
    yield way
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield from _find_places(value[step], (*way, step))
