"""The names in use: projects, topics, people, types, statuses, tags and date properties, with counts."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from ana.memory.backend import Backend
from ana.memory.explanation import LONGEST
from ana.memory.item import Item, is_date_key
from ana.memory.tally import Counts, Tally
from ana.time.repeats import REPEATING
from ana.values import Json, count_tokens, fold_case

NAMED = ("project", "topic", "person", "type", "status", "tags")
"""Properties whose values are names that are used again."""

DATES, OTHERS = "dates", "properties"
"""What the names of date properties are listed under, and those of a person's own, such as location."""

OURS = {*NAMED, *REPEATING, "repeat_from", "until", "except", "moved", "done_for", "missed", "remind", "priority"}
"""Properties that a model knows without having seen them in use."""

MOST = 5
"""How many of each are told at most."""

ROOM = 100
"""Tokens that are told at most; every turn pays for them."""

REST = 5
"""Tokens of " and 12 more"."""

NEAR = 0.88
"""How alike two names are that are nearly the same: note and notes, linear and lineare Attention; not Lena and Lea."""

COMPARED = 500
"""The commonest names that a value is compared with."""

Names = list[tuple[str, int]]


class Vocabulary:
    """The names in use in a store. They are counted once; after that the journal tells what to add and to take off."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tally = Tally(backend, self._count_all, names_of)
        self._told: tuple[Counts, dict[str, Names], str] | None = None

    def names(self) -> dict[str, Names]:
        """Return the names and how many items have each, the commonest first, by what they are listed under.

        Spellings that differ only in case are one name, told as it is spelled most.
        """
        return self._tell()[1]

    def describe(self) -> str:
        """Return the commonest names in one line, each stored name in quotes; empty if nothing is in use."""
        return self._tell()[2]

    def find_near(self, kind: str, value: str) -> Names:
        """Return other names that are nearly a value, in another case, number or spelling, the nearest first.

        They are those that were in use when the names were read last.
        """
        # of the turn's beginning: a write holds the store enough
        spelled = self._tally.last_read().get(kind, Counter())
        known: dict[str, tuple[str, int]] = {}
        for name, count in spelled.most_common(COMPARED):
            # no likeness tells numbers apart: Q3 is not Q4
            if count > 0 and name != value and re.findall(r"\d+", name) == re.findall(r"\d+", value):
                known.setdefault(str(fold_case(name)), (name, count))
        return [known[near] for near in get_close_matches(str(fold_case(value)), known, cutoff=NEAR)]

    def count(self, kind: str, value: str) -> int:
        """Return how many items had a name, spelled just so, when the names were read last."""
        return self._tally.last_read().get(kind, Counter())[value]

    def _tell(self) -> tuple[Counts, dict[str, Names], str]:
        """Return the counts, and the names and the line that they come to, made once for the same counts."""
        counts, told = self._tally.read(), self._told
        if told is None or told[0] is not counts:
            names = {kind: _merge(spelled) for kind, spelled in counts.items()}
            self._told = told = counts, names, describe(names)
        return told

    def _count_all(self) -> Counts:
        spelled = {key: Counter(dict(_iter_names(self._backend.list_values(key)))) for key in NAMED}
        keys = self._backend.list_keys().items()
        own = {kind: Counter({key: n for key, n in keys if _kind_of(key) == kind}) for kind in (DATES, OTHERS)}
        return {**spelled, **own}


def describe(names: Mapping[str, Names]) -> str:
    """Return the commonest names in one line of at most ROOM tokens, some of each kind, and how many more there are."""
    told: dict[str, list[str]] = {key: [] for key, each in names.items() if each}
    left = ROOM - sum(count_tokens(key) + REST for key in told)
    for place in range(MOST):
        for key in told:
            said = "".join(f"{json.dumps(name, ensure_ascii=False)} ({n})" for name, n in names[key][place : place + 1])
            cost = count_tokens(f", {said}")
            # a kind that has left one out goes on with no rarer one
            if said and len(told[key]) == place and cost <= left:
                told[key].append(said)
                left -= cost
    kinds = []
    for key, some in told.items():
        more = len(names[key]) - len(some)
        kinds.append(f"{key} {', '.join(some)}{f' and {more} more' if more else ''}" if some else f"{key} {more} names")
    return "; ".join(kinds)


def names_of(item: Item, key: str) -> set[str]:
    """Return the names that an item has, of what they are listed under."""
    if key in (DATES, OTHERS):
        return {name for name in item.properties if _kind_of(name) == key}
    value = item.properties.get(key)
    return {name for name, _ in _iter_names((each, 1) for each in (value if isinstance(value, list) else [value]))}


def _iter_names(values: Iterable[tuple[Json, int]]) -> Iterable[tuple[str, int]]:
    """Yield those values that are names: on one line and short, or they could pose as something else."""
    return ((value, count) for value, count in values if isinstance(value, str) and _is_name(value))


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST and text.isprintable()


def _kind_of(key: str) -> str | None:
    """Return what the name of a property is listed under; None for one that is not told."""
    if not _is_name(key) or key in OURS:
        return None
    return DATES if is_date_key(key) else OTHERS


def _merge(spelled: Counter[str]) -> Names:
    totals: Counter[Json] = Counter()
    best: dict[Json, str] = {}
    for name, count in sorted(spelled.items(), key=lambda each: (-each[1], each[0])):
        totals[fold_case(name)] += count
        best.setdefault(fold_case(name), name)
    used = ((best[folded], count) for folded, count in totals.items() if count > 0)
    return sorted(used, key=lambda each: (-each[1], each[0]))
