"""Reading a filter: its check, with errors that say how to write it, and its tree."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import TypeGuard, cast

from ana.errors import ToolError
from ana.memory.filters.matching import is_number
from ana.memory.filters.nodes import ORDER, OWN_KEYS, And, Compare, DateOperand, Node, On, Operand, Or
from ana.memory.item import is_date_key
from ana.time.dates import drop_weekday
from ana.time.spans import read_date_span
from ana.values import Json, is_deeper

DEEPEST = 20
DEEPEST_VALUE = 60
"""How deep $and and $or may be nested, and how deep anything else in a filter."""

_SIDES = ({"$gt", "$gte"}, {"$lt", "$lte"})
_OPERATORS = ("$eq", "$ne", *ORDER, "$in", "$nin", "$contains")
_EXAMPLE = 'Write it as {"status": "active"} or {"due_date": {"$gte": "2026-01-13"}}.'
_KNOWN = "$eq $ne $gt $gte $lt $lte $in $nin $contains, and around whole conditions $and $or $on"
_FOREIGN = {
    "$exists": '{{"{key}": {{"$ne": null}}}}; for items without it {{"{key}": null}}',
    "$between": '{{"{key}": {{"$gte": ..., "$lte": ...}}}}',
    "$not": '{{"{key}": {{"$ne": ...}}}} or {{"{key}": {{"$nin": [...]}}}}',
    **dict.fromkeys(("$regex", "$like", "$ilike", "$search", "$text"), '{{"{key}": {{"$contains": "..."}}}}'),
}
"""How operators of other languages are written in this one."""

_ISO = re.compile(r"\d{4}-\d\d?-\d\d?\b")

_BEGINNING, _END = -(2**62), 2**62
"""Where a window without a first or a last day begins and ends."""


@dataclass(frozen=True)
class _Here:
    """The person's zone, and their today, without which words are not read as dates."""

    zone: tzinfo
    today: date | None


def parse(where: Mapping[str, Json] | None, zone: tzinfo, today: date | None = None) -> Node:
    """Check a filter and return it as a tree; None and {} select every item.

    Dates without a zone are in the person's. With their today, errors name the date which words mean.

    Raises ToolError, which names the fault and the right form, if it is not a filter.
    """
    if is_deeper(where, DEEPEST_VALUE):
        raise ToolError(f"The filter is nested more than {DEEPEST_VALUE} deep.", "Write it flatter.")
    return _read_node({} if where is None else where, _Here(zone, today), 0)


def _read_node(where: object, here: _Here, depth: int) -> Node:
    if not isinstance(where, Mapping):
        raise ToolError(f"A filter is an object, not {_describe(where)}.", _EXAMPLE)
    if depth > DEEPEST:
        raise ToolError(f"The filter nests $and and $or more than {DEEPEST} deep.", "Write it flatter.")
    parts = tuple(part for key, value in where.items() for part in _read_conditions(key, value, here, depth))
    return parts[0] if len(parts) == 1 else And(parts)


def _read_conditions(key: str, value: object, here: _Here, depth: int) -> Iterator[Node]:
    if key in ("$and", "$or"):
        yield _join(key, value, here, depth)
    elif key == "$on":
        yield On(_read_window(value, here))
    elif key in _OPERATORS:
        raise ToolError(f"{key} is used without a property.", f'Put it under one: {{"due_date": {{"{key}": ...}}}}.')
    elif key.startswith("$"):
        raise ToolError(f"{key} is not an operator.", f"The operators are {_KNOWN}.")
    elif _has_operators(value):
        for op, operand in value.items():
            if op == "$on":
                _read_window(operand, here)  # refuses what is no day
                yield from _read_conditions(key, operand, here, depth)
            else:
                yield _read_comparison(key, op, operand, here)
    else:
        _refuse_bare_operators(key, value)
        yield Compare(key, "$eq", _read_operand(key, value, here))


def _join(op: str, value: object, here: _Here, depth: int) -> Node:
    if not isinstance(value, list) or not value:
        kind = "an empty list" if value == [] else _describe(value)
        raise ToolError(
            f"{op} needs a list of filters, not {kind}.",
            f'Write it as {{"{op}": [{{"status": "active"}}, {{"status": "waiting"}}]}}.',
        )
    parts = tuple(_read_node(part, here, depth + 1) for part in value)
    return And(parts) if op == "$and" else Or(parts)


def _read_window(value: object, here: _Here) -> DateOperand:
    if not isinstance(value, Mapping):
        day = _read_day("$gte", value, here)
        return DateOperand(day.start, day.end, here.zone)
    if not value or not set(value) <= set(ORDER) or any(side <= set(value) for side in _SIDES):
        raise ToolError(f"$on has {_describe(value)} without bounds.", 'Write {"$on": {"$gte": DATE, "$lte": DATE}}.')
    days = {op: _read_day(op, bound, here) for op, bound in value.items()}
    lower = [day for op, day in days.items() if op in ("$gt", "$gte")]
    upper = [day for op, day in days.items() if op in ("$lt", "$lte")]
    first = (lower[0].end if "$gt" in days else lower[0].start) if lower else _BEGINNING
    last = (upper[0].start if "$lt" in days else upper[0].end) if upper else _END
    if last < first or (lower and upper and lower[0].start > upper[0].start):
        raise ToolError("The days of $on end before they begin.", "Give the first day as $gte, the last as $lte.")
    return DateOperand(first, last, here.zone)


def _read_day(op: str, value: object, here: _Here) -> DateOperand:
    operand = _read_bound("$on", op, value, here)
    if not isinstance(operand, DateOperand):
        raise ToolError(f"$on needs a date, not {_describe(value)}.", 'Write it as {"$on": "2026-01-13"}.')
    return operand


def _has_operators(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping) and any(str(key).startswith("$") for key in value)


def _refuse_bare_operators(key: str, value: object) -> None:
    """Refuse {"gte": ...}: it would be compared as an object, which nobody means."""
    if isinstance(value, Mapping) and value and all(f"${name}" in _OPERATORS for name in value):
        written = json.dumps({key: {f"${name}": each for name, each in value.items()}}, ensure_ascii=False)
        raise ToolError(f"The filter on {key!r} has {', '.join(value)} without $.", f"Write {written[:300]}.")


def _read_comparison(key: str, op: str, value: object, here: _Here) -> Compare:
    if op in ("$and", "$or"):
        raise ToolError(
            f"{op} is used inside the property {key!r}.",
            f'Put it around whole conditions: {{"{op}": [{{"{key}": ...}}, {{"{key}": ...}}]}}.',
        )
    if not op.startswith("$"):
        raise ToolError(f"The filter on {key!r} mixes operators with the name {op!r}.", _EXAMPLE)
    if op not in _OPERATORS:
        hint = f"Write {_FOREIGN[op].format(key=key)}." if op in _FOREIGN else f"The operators are {_KNOWN}."
        raise ToolError(f"The filter on {key!r} uses {op}, which is not an operator.", hint)
    if op in ORDER:
        return Compare(key, op, _read_bound(key, op, value, here))
    if op in ("$in", "$nin"):
        if not isinstance(value, list):
            hint = f'Write it as {{"{key}": {{"{op}": ["a", "b"]}}}}.'
            raise ToolError(f"{op} on {key!r} needs a list, not {_describe(value)}.", hint)
        return Compare(key, op, tuple(_read_operand(key, each, here) for each in value))
    return Compare(key, op, _read_operand(key, value, here, is_whole=op != "$contains"))


def _read_operand(key: str, value: object, here: _Here, *, is_whole: bool = True) -> Operand:
    """Return the operand; if it is a whole value, words for a date are refused under a property for dates."""
    if _has_operators(value):
        raise ToolError(
            f"The filter on {key!r} has an operator where a plain value is needed.",
            f'Give each operator its value: {{"{key}": {{"$in": ["a", "b"]}}}}.',
        )
    span = read_date_span(bare := drop_weekday(value), here.zone)  # models copy the weekday from what they were shown
    if span:
        return DateOperand(*span, here.zone)
    if is_whole and isinstance(bare, str) and (is_date_key(key) or key in OWN_KEYS[1:]):
        _refuse_words(key, bare, here)
    return cast(Json, bare)  # a filter comes from JSON


def _guess_dates(value: str, here: _Here) -> tuple[str, str] | None:
    from ana.time.guesses import guess_dates  # only a filter that is wrong needs it, and what it imports takes long

    return guess_dates(value, here.today) if here.today else None


def _refuse_words(key: str, value: str, here: _Here) -> None:
    """Refuse a text that means a date, or looks like an invalid one, because no item would have it."""
    if days := _guess_dates(value, here):
        first, last = days
        condition = {key: first if first == last else {"$gte": first, "$lte": last}}
        raise ToolError(f"{value[:60]!r} under {key!r} is not a date.", f"Write {json.dumps(condition)}.")
    if _ISO.match(value):
        raise ToolError(f"{value[:60]!r} under {key!r} is not a date of the calendar.", "Write one as YYYY-MM-DD.")


def _read_bound(key: str, op: str, value: object, here: _Here) -> Operand:
    operand = _read_operand(key, value, here, is_whole=False)
    # JSON has no infinity, Python's parser does
    if isinstance(operand, DateOperand) or (is_number(operand) and abs(operand) < math.inf):
        return operand
    if isinstance(value, str):
        hint = "Write a date as YYYY-MM-DD or YYYY-MM-DDThh:mm, and a number without quotes."
        if days := _guess_dates(value, here):
            hint = f'Write "{days[op in ("$gt", "$lte")]}" if that is meant.'
        raise ToolError(f"{op} on {key!r} has the bound {value[:60]!r}, which is not a date.", hint)
    raise ToolError(
        f"{op} on {key!r} has {_describe(value)} as its bound, which has no order.",
        "Only dates and numbers are ordered; use $eq, $ne, $in or $contains for anything else.",
    )


def _describe(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    kinds = {int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), type(value).__name__)
