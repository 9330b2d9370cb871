"""Why a query finds nothing: which of its conditions excludes everything, and what there is instead."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from difflib import SequenceMatcher

from ana.memory.backend import Backend
from ana.memory.filters import ORDER, OWN_KEYS, And, Compare, DateOperand, Node, On, Operand, Or, find_keys
from ana.memory.item import is_date_key
from ana.memory.search.query import Query
from ana.time.dates import with_weekday
from ana.time.spans import date_span
from ana.values import Json

MOST_VALUES = 5
MOST_CONDITIONS = 2
"""How many values, and conditions that nothing meets, are named: what is said costs tokens."""

MOST_LOOKED_AT = 100
"""Items among which the next date is looked for."""

YEAR = 366 * 24 * 3600 * 1_000_000
FOREVER = 2**62
"""Microseconds: a year, and the end of all dates."""

LONGEST = 40
"""Characters of a value that is named."""

_DATE_SIGNS = {"$gte": "from ", "$gt": "after ", "$lte": "to ", "$lt": "before "}
_SIGNS = {"$gte": ">= ", "$gt": "> ", "$lte": "<= ", "$lt": "< "}
_WORDS = {"$eq": "", "$in": "", "$ne": "other than ", "$nin": "other than ", "$contains": "containing "}


def explain_nothing(backend: Backend, query: Query) -> str:
    """Return in a few sentences why a query finds nothing; empty if there is nothing to say."""
    if not backend.count("item"):
        return "There are no items yet."
    if query.has_filter and (said := _Explainer(backend, query).explain(query.where)):
        return said
    if query.due is None or query.due[1] >= date.max - timedelta(days=1):
        return ""
    later = backend.query(replace(query, due=(query.due[1] + timedelta(days=1), date.max), limit=1))
    return f"The next is {with_weekday(later.items[0].date)}." if later.items else "Nothing is due later."


class _Explainer:
    def __init__(self, backend: Backend, query: Query) -> None:
        self._backend = backend
        self._query = replace(query, text=None, due=None, excluded=(), limit=1)

    def explain(self, where: Node) -> str:
        """Return why nothing passes a filter; empty if something does."""
        if isinstance(where, Or):
            return _join(self.explain(part) for part in where.parts)
        parts = _split(where) if isinstance(where, And) else [where]
        counts = [self._count(part) for part in parts]
        if len(parts) == 1 and counts == [0]:
            return self._explain_condition(parts[0])
        if 0 in counts:
            return _join(self.explain(part) for part, count in zip(parts, counts, strict=True) if not count)
        return "" if self._count(where) else self._explain_together(parts, counts)

    def _count(self, where: Node) -> int:
        return self._backend.query(replace(self._query, where=where)).total

    def _explain_together(self, parts: Sequence[Node], counts: Sequence[int]) -> str:
        """Return how many items meet each condition, none of them all, and without which one there would be some."""
        alone = ", ".join(f"{describe(part)} {count}" for part, count in zip(parts, counts, strict=True))
        said = f"No item meets all conditions; alone they match: {alone}."
        if len(parts) < 3:
            return said
        rest = ((part, self._count(And(tuple(other for other in parts if other is not part)))) for part in parts)
        less = [f"without {describe(part)} {count}" for part, count in rest if count]
        return f"{said[:-1]}; {', '.join(less)}." if less else said

    def _explain_condition(self, node: Node) -> str:
        if isinstance(node, On):
            keys = [key for key in self._backend.list_keys() if is_date_key(key)]
            known = [value for key in keys for value, _ in self._backend.list_values(key)]
            return f"Nothing is {describe(node)}{self._name_next(node.window) or _name_last(known, node.window)}."
        compares = [part for part in (node.parts if isinstance(node, And) else (node,)) if isinstance(part, Compare)]
        if not compares:
            return ""
        key, said = compares[0].key, f"No item has {describe(node)}"
        values = self._backend.list_values(key)
        if not values and key not in OWN_KEYS:
            return self._explain_unknown(key)
        if bound := next((each for part in compares for each in part.operands if isinstance(each, DateOperand)), None):
            if not any(date_span(value, bound.zone) for value, _ in values):
                return f"{said}; its values are no dates: {_name_values(values, None)}."
            near = self._name_next(bound, key)
            return f"{said}{near or _name_last([value for value, _ in values], bound)}."
        if compares[0].op in ("$ne", "$nin") or key == "id" or not compares[0].operands:
            return f"{said}."
        return f"{said}; there are {_name_values(values, compares[0].operands[0])}."

    def _name_next(self, bound: DateOperand, key: str = "") -> str:
        """Return the next date after a bound, of what repeats too, in any property or one; empty if there is none."""
        for end in (bound.end + YEAR, FOREVER):  # in an open stretch what repeats is at its present date
            last = replace(bound, start=end, end=end)
            ranges = And((Compare(key, "$gt", bound), Compare(key, "$lt", last)))
            where = ranges if key else On(replace(last, start=bound.end))
            found = self._backend.query(replace(self._query, where=where, limit=MOST_LOOKED_AT)).items
            values = (value for item in found for name, value in item.properties.items() if name == key or not key)
            later = [(span[0], str(value)) for value in values if (span := date_span(value, bound.zone))]
            if coming := min((each for each in later if each[0] >= bound.end), default=None):
                return f"; the next is {with_weekday(coming[1])}"
        return ""

    def _explain_unknown(self, key: str) -> str:
        keys = self._backend.list_keys()
        if not keys:
            return f"No item has the property {key!r}, nor any other."
        near = sorted((known for known in keys if _liken(known, key)), key=lambda known: -_liken(known, key))
        return f"No item has the property {key!r}; there are {', '.join((near or [*keys])[:MOST_VALUES])}."


def _join(said: Iterable[str]) -> str:
    return " ".join([each for each in said if each][:MOST_CONDITIONS])


def _split(node: And) -> list[Node]:
    """Return the conditions of a filter, with both bounds of a range as one."""
    ranges: dict[str, list[Compare]] = defaultdict(list)
    rest: list[Node] = []
    for part in node.parts:
        if isinstance(part, Compare) and part.op in ORDER:
            ranges[part.key].append(part)
        else:
            rest.append(part)
    return [*(And(tuple(parts)) if len(parts) > 1 else parts[0] for parts in ranges.values()), *rest]


def describe(node: Node) -> str:
    """Return a condition in words: project 'Acme', due_date from 2026-11-23 to 2026-11-29."""
    match node:
        case On(window):
            return f"on {_spell(window)}"
        case Compare(key, op):
            signs = _DATE_SIGNS if any(isinstance(each, DateOperand) for each in node.operands) else _SIGNS
            named = " or ".join(map(_spell, node.operands[:3])) or "in an empty list"
            return f"{key} {(signs | _WORDS)[op]}{named}"
        case Or(parts):
            return f"one of {len(parts)} alternatives"
        case And(parts):
            described = list(map(describe, parts))
            if len(keys := find_keys(node)) == 1 and len(described) > 1:  # a range: its property is named once
                described[1:] = [each.removeprefix(f"{key} ") for key in keys for each in described[1:]]
                return " ".join(described)
            return " and ".join(described) or "anything"


def _spell(operand: Operand) -> str:
    if not isinstance(operand, DateOperand):
        return _shorten(repr(operand))
    first, last = (_to_moment(operand, at) for at in (operand.start, operand.end - 1))
    if first is None or last is None:
        return f"or after {first:%Y-%m-%d}" if first else f"or before {last:%Y-%m-%d}" if last else "any day"
    if operand.end - operand.start == 1:
        return f"{first:%Y-%m-%dT%H:%M}"
    day, end = first.date(), last.date()
    return str(with_weekday(str(day))) if day >= end else f"{day} to {end}"


def _to_moment(operand: DateOperand, at: int) -> datetime | None:
    """Return a moment in the person's zone; None before the first and after the last year there is."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at)).astimezone(operand.zone)
    except OverflowError:
        return None


def _name_last(values: Iterable[Json], bound: DateOperand) -> str:
    """Return the last date before a bound, as it is stored; empty if there is none."""
    spans = [(span[0], str(value)) for value in values if (span := date_span(value, bound.zone))]
    last = max((each for each in spans if each[0] < bound.start), default=None)
    return f"; the last is {with_weekday(last[1])}" if last else ""


def _name_values(values: Sequence[tuple[Json, int]], wanted: Operand) -> str:
    """Return values with their counts: those most like the wanted one, then the commonest."""
    ranked = sorted(values, key=lambda each: (-_liken(str(each[0]), str(wanted)), -each[1]))[:MOST_VALUES]
    more = f" and {len(values) - len(ranked)} more" if len(values) > len(ranked) else ""
    # quotes show that "1" was asked for where the values are numbers, and the other way round
    plain = any(type(value) is type(wanted) for value, _ in ranked)
    named = (f"{_shorten(str(value) if plain else repr(value))} ({count})" for value, count in ranked)
    kind = " (not text)" if isinstance(wanted, str) and not any(isinstance(value, str) for value, _ in ranked) else ""
    return ", ".join(named) + more + kind


def _liken(known: str, wanted: str) -> float:
    """Return how alike two names are, from 0.6 to 1; 0 if they are not."""
    left, right = known.casefold(), wanted.casefold()
    if left in right or right in left:
        return 1.0
    ratio = SequenceMatcher(None, left[:LONGEST], right[:LONGEST]).ratio()
    return ratio if ratio >= 0.6 else 0.0


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
