"""Tool calls in words: looked for open tasks due from Tue 24 Nov to Mon 30 Nov, about “kitchen”."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ana.memory.few_words import call_property, show_name, show_text, show_value
from ana.memory.status import CANCELLED, CLOSED, DONE
from ana.output import quote
from ana.time.dates import day_of
from ana.translation import _, mark_text
from ana.values import is_deeper
from app.show.text import shorten

DEEPEST = 20
"""Most levels of nested objects to show; a model may write more."""

LONGEST = 100
"""Most characters of a call in one line."""

_WRITES = mark_text(
    {
        "create_item": "kept {content}",
        "update_item": "changed an item",
        "delete_item": "deleted an item",
        "append_context": "learned {content}",
        "replace_context": "learned {content}",
        "delete_context": "forgot a line",
        "undo": "took back what was done",
    }
)
WRITES = frozenset(_WRITES)
"""Tools whose receipts say what they did, or why they did not."""

_SENTENCES = mark_text(
    _WRITES
    | {
        "calculator": "calculated {expression}",
        "now": "looked at the clock",
        "resolve_date": "worked out the date of {phrase}",
    }
)
_DAYS = {
    **mark_text({"due_date": "due {bounds}", "start_date": "beginning {bounds}", "end_date": "ending {bounds}"}),
    "$on": "{bounds}",
}
_DATES = mark_text({"$gte": "from {day}", "$gt": "after {day}", "$lte": "to {day}", "$lt": "before {day}"})
_AMOUNTS = mark_text(
    {
        "$gte": "at least {amount}",
        "$gt": "over {amount}",
        "$lte": "at most {amount}",
        "$lt": "under {amount}",
        "$ne": "not {amount}",
        "$nin": "not {amount}",
    }
)
_STATES = {mark_text("open"): ("active", "open"), "done": DONE, "cancelled": CANCELLED}
_KINDS = mark_text({"task": "tasks", "note": "notes", "event": "events", "idea": "ideas"})
_OPERATIONS = mark_text({"$add": "add", "$remove": "remove", "$append": "append"})


def describe_call(call: Mapping[str, Any], year: int | None = None) -> str:
    """Return a call in one short line, with a mark for whether it worked.

    Args:
        call: Its tool, arguments, and whether it succeeded.
        year: The year to omit from dates.
    """
    return shorten(f"{'·' if call['ok'] else '✗'} {word_call(call['tool'], call['args'], year)}", LONGEST)


def word_call(tool: str, args: Mapping[str, Any], year: int | None = None) -> str:
    """Return in words what a call does. Arguments as in `describe_call`."""
    args = {} if is_deeper(args, DEEPEST) else args
    if tool == "query_items":
        return _("looked for {what}").format(what=_word_search(args, year))
    if sentence := _SENTENCES.get(tool):
        quoted = {name: quote(str(value)) for name, value in args.items()}
        return _(sentence).format_map(defaultdict(lambda: quote(""), quoted))
    return f"{show_name(tool)}: {word_value(args, year)}".rstrip(": ")


def word_value(value: Any, year: int | None = None) -> str:
    """Return a whole value in one line of words: names before values, separated by commas."""
    if isinstance(value, Mapping):
        named = (
            (_(_OPERATIONS[name]) if name in _OPERATIONS else call_property(name), each) for name, each in value.items()
        )
        return ", ".join(f"{name} {word_value(each, year)}".strip() for name, each in named)
    if isinstance(value, list):
        return ", ".join(word_value(each, year) for each in value)
    if value is None:
        return _("nothing")
    return show_text(value) if isinstance(value, str) and not day_of(value) else show_value(value, year)


def _word_search(args: Mapping[str, Any], year: int | None) -> str:
    where, text = args.get("where") or {}, args.get("text")
    text = ", ".join(map(str, text)) if isinstance(text, list) else text
    if not isinstance(where, Mapping):
        return word_value(where, year)
    if text and not where:
        return quote(str(text))
    type_, state = where.get("type"), _name_state(where.get("status"))
    kind = _word_kind(type_) if isinstance(type_, str) and type_.isalpha() else _("items")
    about = [_("about {text}").format(text=quote(str(text)))] if text else []
    like = [_("like another item")] if args.get("like") else []
    what = _("{state} {kind}").format(state=_(state), kind=kind) if state else kind
    return f"{what} {', '.join([*_word_filter(where, year), *about, *like])}".strip()


def _word_kind(type_: str) -> str:
    return _(_KINDS[type_]) if type_ in _KINDS else f"{type_}s"


def _name_state(status: Any) -> str:
    """Return one word for a condition on the status; empty if one word is not enough."""
    operator, operand = next(iter(status.items())) if isinstance(status, Mapping) and status else ("$in", status)
    wanted = {each for each in (operand if isinstance(operand, list) else [operand]) if isinstance(each, str)}
    if operator in ("$nin", "$ne"):
        return "open" if wanted and wanted <= {*CLOSED} else ""
    return next((word for word, known in _STATES.items() if wanted and wanted <= {*known}), "")


def _word_filter(where: Mapping[str, Any], year: int | None) -> Iterator[str]:
    """Yield the conditions of a filter that its kind does not imply."""
    others = []
    for key, value in where.items():
        name = call_property(key)
        if key in ("$and", "$or") and isinstance(value, list):
            parts = [", ".join(_word_filter(each, year)) for each in value if isinstance(each, Mapping)]
            yield (_(" or ") if key == "$or" else ", ").join(parts)
        elif key in _DAYS:
            yield _(_DAYS[key]).format(bounds=_word_bounds(value, _DATES, year))
        elif not (key == "status" and _name_state(value)) and not (key == "type" and isinstance(value, str)):
            bounds = _word_bounds(value, _AMOUNTS, year)
            others.append(_("no {name}").format(name=name) if value is None else f"{name} {bounds}")
    if others:
        yield _("with {conditions}").format(conditions=", ".join(others))


def _word_bounds(value: Any, names: Mapping[str, str], year: int | None) -> str:
    """Return what a property must be: from Mon 23 Nov to Sun 29 Nov; not a or b; at least 3."""
    bounds = value if isinstance(value, Mapping) else {"$eq": value}
    known = {name: operand for name, operand in bounds.items() if operand is not None}
    if not known:
        return _("never") if value is None else _("some day") if names is _DATES else _("given")
    words = []
    for operator in sorted(known, key=[*_AMOUNTS].index) if known.keys() <= _AMOUNTS.keys() else known:
        operand = known[operator]
        told = _(" or ").join(word_value(each, year) for each in (operand if isinstance(operand, list) else [operand]))
        form = names.get(operator) or _AMOUNTS.get(operator) or "{day}"
        words.append(_(form).format(day=told, amount=told))
    return " ".join(words)
