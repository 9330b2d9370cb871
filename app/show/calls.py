"""Tool calls in words: looked for open tasks due from Tue 24 Nov to Mon 30 Nov, about “kitchen”."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ana.memory.receipts import describe_property, show_value
from ana.memory.status import CANCELLED, CLOSED, DONE
from ana.values import is_deeper
from app.show.text import shorten

WRITES = frozenset(
    {"create_item", "update_item", "delete_item", "append_context", "replace_context", "delete_context", "undo"}
)
"""Tools whose receipts say what they did, or why it was not done."""

DEEPEST = 20
"""Objects in one another that are told; a model may write more."""

LONGEST = 100
"""Characters of a call that is told in one line."""

Args = Mapping[str, Any]
_DATES = {"$gte": "from", "$gt": "after", "$lte": "to", "$lt": "before"}
_AMOUNTS = {"$gte": "at least", "$gt": "over", "$lte": "at most", "$lt": "under", "$ne": "not", "$nin": "not"}
_DAYS = {"due_date": "due", "start_date": "beginning", "end_date": "ending", "$on": ""}
_STATES = {"open": ("active", "open"), "done": DONE, "cancelled": CANCELLED}
_OPERATIONS = {"$add": "add", "$remove": "remove", "$append": "append"}


def describe_call(call: Mapping[str, Any], year: int | None = None) -> str:
    """Return a call in one short line, with a mark that tells whether it worked.

    Args:
        call: Its tool, its args, and whether it was ok.
        year: The year that days are shown without.
    """
    return shorten(f"{'·' if call['ok'] else '✗'} {word_call(call['tool'], call['args'], year)}", LONGEST)


def word_call(tool: str, args: Args, year: int | None = None) -> str:
    """Return what a call does, in words. Arguments as of `describe_call`."""
    if is_deeper(args, DEEPEST):
        args = {}
    if tell := _SENTENCES.get(tool):
        return tell(args, year)
    told = word_value(args, year) if args else ""
    return f"{tool.replace('_', ' ')}{told and f': {told}'}"


def word_value(value: Any, year: int | None = None) -> str:
    """Return a value in words and in one line, whole: names before values, commas in between."""
    if isinstance(value, Mapping):
        named = ((_OPERATIONS.get(name, name.replace("_", " ")), each) for name, each in value.items())
        return ", ".join(f"{name} {word_value(each, year)}".strip() for name, each in named)
    if isinstance(value, list):
        return ", ".join(word_value(each, year) for each in value)
    if value is None:
        return "nothing"
    return " ".join(value.split()) if isinstance(value, str) and len(value) > 30 else show_value(value, year)


def _word_search(args: Args, year: int | None) -> str:
    where, text = args.get("where") or {}, args.get("text")
    if not isinstance(where, Mapping):
        return f"looked for {word_value(where, year)}"
    like = ["like another item"] if args.get("like") else []
    if not where:
        return f"looked for {', '.join([f'“{text}”' if text else 'items', *like])}"
    about = [f"about “{text}”"] if text else []
    return f"looked for {_name_kind(where)} {', '.join([*_word_filter(where, year), *about, *like])}".rstrip()


def _name_kind(where: Args) -> str:
    """Return what is looked for, by status and type: open tasks."""
    type_ = where.get("type")
    noun = f"{type_}s" if isinstance(type_, str) and type_.isalpha() else "items"
    return f"{_name_state(where.get('status'))} {noun}".strip()


def _name_state(status: Any) -> str:
    """Return what a condition on the status asks for in one word; nothing where that takes more."""
    operator, operand = next(iter(status.items())) if isinstance(status, Mapping) and status else ("$in", status)
    asked = {each for each in (operand if isinstance(operand, list) else [operand]) if isinstance(each, str)}
    if operator in ("$nin", "$ne"):
        return "open" if asked and asked <= {*CLOSED} else ""
    return next((word for word, known in _STATES.items() if asked and asked <= {*known}), "")


def _word_filter(where: Args, year: int | None, named: bool = False) -> Iterator[str]:
    """Yield the conditions of a filter.

    Args:
        where: The filter.
        year: The year that days are shown without.
        named: Whether status and type are told as well; else the name of the kind tells them.
    """
    others = []
    for key, value in where.items():
        name = key.replace("_", " ")
        if key in ("$and", "$or") and isinstance(value, list):
            parts = [", ".join(_word_filter(each, year, True)) for each in value if isinstance(each, Mapping)]
            yield (" or " if key == "$or" else ", ").join(parts)
        elif key in _DAYS:
            yield f"{_DAYS[key]} {_word_bounds(value, _DATES, year) or 'on any day'}".strip()
        elif named or (not (key == "status" and _name_state(value)) and not (key == "type" and isinstance(value, str))):
            others.append(f"no {name}" if value is None else f"{name} {_word_bounds(value, _AMOUNTS, year)}".strip())
    if others:
        yield f"{'' if named else 'with '}{', '.join(others)}"


def _word_bounds(value: Any, names: Mapping[str, str], year: int | None) -> str:
    """Return what a property must be: from Mon 23 Nov to Sun 29 Nov; not a or b; at least 3."""
    if not isinstance(value, Mapping):
        return "never" if value is None else word_value(value, year)
    words = []
    for operator, operand in sorted(
        value.items(), key=lambda each: [*_AMOUNTS].index(each[0]) if each[0] in _AMOUNTS else 0
    ):
        if operand is not None:  # else it only asks whether there is one
            listed = operand if isinstance(operand, list) else [operand]
            told = " or ".join(word_value(each, year) for each in listed)
            words.append(f"{names.get(operator, _AMOUNTS.get(operator, ''))} {told}".strip())
    return " ".join(words)


def _word_property(name: str, value: Any, year: int | None) -> str:
    is_plain = value is not None and not isinstance(value, Mapping)
    return describe_property(name, value, year) if is_plain else word_value({name: value}, year)


def _word_update(args: Args, year: int | None) -> str:
    given = args.get("properties")
    parts = [_word_property(name, value, year) for name, value in given.items()] if isinstance(given, Mapping) else []
    text = [f"“{args['content']}”"] if args.get("content") else []
    return f"changed an item: {', '.join([*text, *parts])}"


_SENTENCES: dict[str, Callable[[Args, int | None], str]] = {
    "create_item": lambda args, _: f"kept “{args.get('content', '')}”",
    "update_item": _word_update,
    "delete_item": lambda *_: "deleted an item",
    "append_context": lambda args, _: f"learned “{args.get('content', '')}”",
    "replace_context": lambda args, _: f"learned “{args.get('content', '')}” in place of a line",
    "delete_context": lambda *_: "forgot a line",
    "query_items": _word_search,
    "undo": lambda *_: "took back what was done",
    "calculator": lambda args, _: f"calculated {args.get('expression', '')}",
    "now": lambda args, _: f"looked at the clock{_tell_zone(args.get('timezone'))}",
    "resolve_date": lambda args, _: f"worked out the date of “{args.get('phrase', '')}”",
}


def _tell_zone(zone: Any) -> str:
    return "" if zone in (None, "local") else f" in {str(zone).upper() if zone == 'utc' else zone}"
