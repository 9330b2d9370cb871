"""The vocabulary in use: projects, types, statuses, tags and the names of date properties, with counts."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from ana.memory.backend import Backend
from ana.memory.explanation import LONGEST
from ana.memory.item import Item, is_date_key
from ana.memory.tally import Counts, Tally
from ana.values import Json, fold_case

NAMED = ("project", "type", "status", "tags")
"""Properties whose values are names that are used again."""

DATES = "dates"
"""What the names of date properties are listed under."""

MOST = 5
"""How many of each are told at most."""

ROOM = 200
"""Characters that are told at most: about 50 tokens, which every turn pays for."""

Names = list[tuple[str, int]]


class Vocabulary:
    """The names in use in a store. They are counted once; after that the journal tells what to add and to take off."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tally = Tally(backend, self._count_all, _names_of)
        self._told: tuple[Counts, dict[str, Names], str] | None = None

    def names(self) -> dict[str, Names]:
        """Return the names and how many items have each, the commonest first, by what they are listed under.

        Spellings that differ only in case are one name, told as it is spelled most.
        """
        return self._tell()[1]

    def describe(self) -> str:
        """Return the commonest names in one line, each stored name in quotes; empty if nothing is in use."""
        return self._tell()[2]

    def _tell(self) -> tuple[Counts, dict[str, Names], str]:
        """Return the counts, and the names and the line that they come to, made once for the same counts."""
        counts, told = self._tally.read(), self._told
        if told is None or told[0] is not counts:
            names = {kind: _merge(spelled) for kind, spelled in counts.items()}
            self._told = told = counts, names, describe(names)
        return told

    def _count_all(self) -> Counts:
        spelled = {key: Counter(dict(_iter_names(self._backend.list_values(key)))) for key in NAMED}
        dates = Counter({key: count for key, count in self._backend.list_keys().items() if _is_date_name(key)})
        return {**spelled, DATES: dates}


def describe(names: Mapping[str, Names]) -> str:
    """Return the commonest names in one line of at most ROOM characters, some of each kind."""
    told: dict[str, list[str]] = {key: [] for key, each in names.items() if each}
    left = ROOM - sum(len(key) + 3 for key in told)
    for place in range(MOST):
        for key in told:
            said = "".join(f"{json.dumps(name, ensure_ascii=False)} ({n})" for name, n in names[key][place : place + 1])
            if said and len(said) + 2 <= left:
                told[key].append(said)
                left -= len(said) + 2
    return "; ".join(f"{key} {', '.join(said)}" for key, said in told.items() if said)


def _names_of(item: Item, key: str) -> set[str]:
    if key == DATES:
        return {name for name in item.properties if _is_date_name(name)}
    value = item.properties.get(key)
    return {name for name, _ in _iter_names((each, 1) for each in (value if isinstance(value, list) else [value]))}


def _iter_names(values: Iterable[tuple[Json, int]]) -> Iterable[tuple[str, int]]:
    """Yield those values that are names: on one line and short, or they could pose as something else."""
    return ((value, count) for value, count in values if isinstance(value, str) and _is_name(value))


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isprintable()


def _is_date_name(key: str) -> bool:
    return is_date_key(key) and _is_name(key)


def _merge(spelled: Counter[str]) -> Names:
    """Return names with their counts, the commonest first."""
    totals: Counter[Json] = Counter()
    best: dict[Json, str] = {}
    for name, count in sorted(spelled.items(), key=lambda each: (-each[1], each[0])):
        totals[fold_case(name)] += count
        best.setdefault(fold_case(name), name)
    used = ((best[folded], count) for folded, count in totals.items() if count > 0)
    return sorted(used, key=lambda each: (-each[1], each[0]))
