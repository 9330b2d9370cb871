"""The names in use: projects, topics, types and the like, properties and, if these have few values, the values."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeGuard

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

VALUES = "values"
"""What the values of priority and of a person's own properties are counted under, each behind its property's name."""

BETWEEN = "\0"
"""Between a property's name and a value of it; no name has it, as it is no printable character."""

MOST_WITH_VALUES = 3
"""How many of a person's own properties are told with their values, at most."""

MOST_SPELLED = 50
"""Spellings of a property's values above which it has not few."""

OURS = {*NAMED, *REPEATING, "repeat_from", "until", "except", "moved", "done_for", "missed", "remind", "priority"}
"""Properties that a model knows without having seen them in use."""

MOST = 5
"""How many of each are told at most."""

ROOM = 115
"""Tokens that are told at most; every turn pays for them."""

REST = 5
"""Tokens of " and 12 more"."""

HOW_TO_SEE_MORE = '. For "more": query_items where {"topic": {"$ne": null}}'

NEAR = 0.88
"""How alike two names are that are nearly the same: note and notes, linear and lineare Attention; not Lena and Lea."""

COMPARED = 500
"""The commonest names that a value is compared with."""

Names = list[tuple[str, int]]

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


class Vocabulary:
    """The names in use in a store. They are counted once; after that the journal says which to add and to remove."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._tally = Tally(backend, self._count_all, list_item_names)
        self._summary: tuple[Counts, dict[str, Names], str] | None = None

    def names(self) -> dict[str, Names]:
        """Return the names and the number of items that have each, the most frequent first, by the key under which they
        are listed.

        The values of priority, and of a property that has few, are listed under its name. Spellings that differ only
        in case are one name, in its most frequent spelling.
        """
        return self._summarize()[1]

    def describe(self) -> str:
        """Return the most frequent names in one line, each stored name in quotes; empty if nothing is in use."""
        return self._summarize()[2]

    def find_near(self, kind: str, value: str) -> Names:
        """Return other names that are nearly a value, in another case, number or spelling, the nearest first.

        Only names count that were in use when they were last read.
        """
        # of the turn's beginning: a write holds the store enough
        spelled = self._tally.read_last().get(kind, Counter())
        known: dict[str, tuple[str, int]] = {}
        for name, count in spelled.most_common(COMPARED):
            # no likeness tells numbers apart: Q3 is not Q4
            if count > 0 and name != value and re.findall(r"\d+", name) == re.findall(r"\d+", value):
                known.setdefault(str(fold_case(name)), (name, count))
        return [known[near] for near in get_close_matches(str(fold_case(value)), known, cutoff=NEAR)]

    def count(self, kind: str, value: str) -> int:
        """Return the number of items that had a name in exactly this spelling when the names were last read."""
        return self._tally.read_last().get(kind, Counter())[value]

    def _summarize(self) -> tuple[Counts, dict[str, Names], str]:
        """Return the counts, with the names and the line made from them, computed once for the same counts."""
        counts, summary = self._tally.read(), self._summary
        if summary is None or summary[0] is not counts:
            names = {kind: _merge(spelled) for kind, spelled in counts.items() if kind != VALUES}
            names |= _find_few(counts[VALUES])
            self._summary = summary = counts, names, describe(names)
        return summary

    def _count_all(self) -> Counts:
        values_of = self._backend.list_values
        spelled = {key: Counter({name: n for name, n in values_of(key) if _is_name(name)}) for key in NAMED}
        keys = self._backend.list_keys().items()
        own = {kind: Counter({key: n for key, n in keys if _find_kind(key) == kind}) for kind in (DATES, OTHERS)}
        values = Counter[str]()
        for key in filter(_has_values, (key for key, _ in keys)):
            values.update({_join(key, value): n for value, n in values_of(key) if _is_value(value)})
        return {**spelled, **own, VALUES: values}


def describe(names: Mapping[str, Names]) -> str:
    """Return the most frequent names of each kind in one line of at most ROOM tokens, and how many more there are."""
    names = {key: [each for each in names[key] if key != OTHERS or each[0] not in names] for key in names}
    chosen: dict[str, list[str]] = {key: [] for key, each in names.items() if each}
    room = ROOM - count_tokens(HOW_TO_SEE_MORE) - sum(count_tokens(key) + REST for key in chosen)
    for place in range(MOST):
        for key in chosen:
            text = "".join(f"{_quote(key, name)} ({n})" for name, n in names[key][place : place + 1])
            cost = count_tokens(f", {text}")
            # a kind that has left one out goes on with no rarer one
            if text and len(chosen[key]) == place and cost <= room:
                chosen[key].append(text)
                room -= cost
    kinds = []
    for key, some in chosen.items():
        more = len(names[key]) - len(some)
        kinds.append(f"{key} {', '.join(some)}{f' and {more} more' if more else ''}" if some else f"{key} {more} names")
    has_more = any(len(chosen[key]) < len(names[key]) for key in chosen)
    return "; ".join(kinds) + (HOW_TO_SEE_MORE if has_more else "")


def list_item_names(item: Item, key: str) -> set[str]:
    """Return those names of an item that are listed under a key."""
    if key in (DATES, OTHERS):
        return {name for name in item.properties if _find_kind(name) == key}
    if key == VALUES:
        own = ((name, each) for name in item.properties if _has_values(name) for each in _list_members(item, name))
        return {_join(name, each) for name, each in own if _is_value(each)}
    return {name for name in _list_members(item, key) if _is_name(name)}


def _list_members(item: Item, key: str) -> list[Json]:
    value = item.properties.get(key)
    return value if isinstance(value, list) else [value]


def _is_name(value: Json) -> TypeGuard[str]:
    """Return whether a value is a name: a short text on one line, because any other could pose as something else."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST and value.isprintable()


def _find_kind(key: str) -> str | None:
    """Return the key under which the name of a property is listed; None if it is not listed."""
    if not _is_name(key) or key in OURS:
        return None
    return DATES if is_date_key(key) else OTHERS


def _has_values(key: str) -> bool:
    return key == "priority" or _find_kind(key) == OTHERS


def _is_value(value: Json) -> bool:
    return _is_name(value) or isinstance(value, int | float)


def _join(key: str, value: Json) -> str:
    return key + BETWEEN + (value if isinstance(value, str) else json.dumps(value))


def _quote(kind: str, name: str) -> str:
    """Return a name in quotes; numbers and yes and no, which only values can be, stay without."""
    is_plain = kind not in (*NAMED, DATES, OTHERS) and (name in ("true", "false") or _NUMBER.fullmatch(name))
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _find_few(counted: Counter[str]) -> dict[str, Names]:
    """Return, by property, the values of priority and of the most frequent properties with few, repeatedly used
    values.
    """
    by_key: dict[str, Counter[str]] = {}
    for joined, count in counted.items():
        key, _, value = joined.partition(BETWEEN)
        by_key.setdefault(key, Counter())[value] = count
    # notes of many words are all different, and there may be thousands
    merged = {key: _merge(spelled) for key, spelled in by_key.items() if len(spelled) <= MOST_SPELLED}
    totals = {key: sum(count for _, count in names) for key, names in merged.items()}
    few = [key for key, names in merged.items() if 0 < len(names) <= MOST and totals[key] >= 2 * len(names)]
    few.sort(key=lambda key: (-totals[key], key))
    chosen = [key for key in few if key != "priority"][:MOST_WITH_VALUES]
    return {key: merged[key] for key in ["priority", *chosen] if merged.get(key)}


def _merge(spelled: Counter[str]) -> Names:
    totals: Counter[Json] = Counter()
    best: dict[Json, str] = {}
    for name, count in sorted(spelled.items(), key=lambda each: (-each[1], each[0])):
        totals[fold_case(name)] += count
        best.setdefault(fold_case(name), name)
    used = ((best[folded], count) for folded, count in totals.items() if count > 0)
    return sorted(used, key=lambda each: (-each[1], each[0]))
