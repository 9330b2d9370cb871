"""The vocabulary in use: projects, types, statuses, tags and the names of date properties, with counts."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ana.memory.backend import Backend
from ana.memory.changes import Entry
from ana.memory.explanation import LONGEST
from ana.memory.item import Item, is_date_key
from ana.values import Json, fold_case

NAMED = ("project", "type", "status", "tags")
"""Properties whose values are names that are used again."""

DATES = "dates"
"""What the names of date properties are listed under."""

MOST = 5
"""How many of each are told at most."""

ROOM = 200
"""Characters that are told at most: about 50 tokens, which every turn pays for."""

FEW = 100
"""Entries of the journal that are followed; after more of them it is quicker to count again."""

Names = list[tuple[str, int]]


@dataclass(frozen=True)
class _Counted:
    """What was counted.

    Args:
        entry: Number and time of the journal's newest entry then; None for an empty journal.
        spelled: How many items have each spelling of each name, by what it is listed under.
    """

    entry: tuple[int, str] | None
    spelled: Mapping[str, Counter[str]]


class Vocabulary:
    """The names in use in a store. They are counted once; after that the journal tells what to add and to take off.

    Args:
        backend: The store.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._counted: _Counted | None = None
        self._told: tuple[_Counted, str] | None = None

    def names(self) -> dict[str, Names]:
        """Return the names and how many items have each, the commonest first, by what they are listed under.

        Spellings that differ only in case are one name, told as it is spelled most.
        """
        return {key: _merge(spelled) for key, spelled in self._count().spelled.items()}

    def describe(self) -> str:
        """Return the commonest names in one line, each stored name in quotes; empty if nothing is in use."""
        counted = self._count()
        if self._told is None or self._told[0] is not counted:
            self._told = counted, describe(self.names())
        return self._told[1]

    def _count(self) -> _Counted:
        # what is kept is never changed, only exchanged as a whole: several threads may be here
        with self._backend.snapshot():
            newest = _position(self._backend.entries(limit=1))
            known = self._counted
            if known is None or known.entry != newest:
                self._counted = known = self._follow(known, newest) or self._count_all(newest)
            return known

    def _count_all(self, newest: tuple[int, str] | None) -> _Counted:
        spelled = {key: Counter(dict(_iter_names(self._backend.list_values(key)))) for key in NAMED}
        dates = Counter({key: count for key, count in self._backend.list_keys().items() if _is_date_name(key)})
        return _Counted(newest, {**spelled, DATES: dates})

    def _follow(self, known: _Counted | None, newest: tuple[int, str] | None) -> _Counted | None:
        """Return the count after the entries that came since; None if they are many, or not all of them are there."""
        if not known or not known.entry or not newest or not 0 < newest[0] - known.entry[0] <= FEW:
            return None
        *since, last = self._backend.entries(limit=newest[0] - known.entry[0] + 1)
        # after a purge or a restore, numbers may be those of other entries
        return _Counted(newest, _add(known.spelled, since)) if _position([last]) == known.entry else None


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


def _add(spelled: Mapping[str, Counter[str]], entries: Iterable[Entry]) -> dict[str, Counter[str]]:
    """Return counts with what entries of the journal changed."""
    new = {key: counts.copy() for key, counts in spelled.items()}
    for change in (entry.change for entry in entries if entry.change.kind == "item"):
        for key, counts in new.items():
            counts.update(_names_of(change.after, key))
            counts.subtract(_names_of(change.before, key))
    return new


def _names_of(item: Item | None, key: str) -> set[str]:
    if item is None:
        return set()
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


def _position(entries: Sequence[Entry]) -> tuple[int, str] | None:
    return (entries[0].seq, entries[0].ts) if entries else None
