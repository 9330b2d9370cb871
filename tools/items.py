"""The four primitives over items."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.tools import tool

from ana.errors import DuplicateItem, NoSuchItem, ToolError
from ana.memory.changes import Change
from ana.memory.completions import find_done_dates
from ana.memory.filters import OWN_KEYS, Node
from ana.memory.item import Item
from ana.memory.newer import put_newer_first
from ana.memory.operations import read_operations
from ana.memory.overdue import describe_date
from ana.memory.receipts import make_receipt
from ana.memory.search.fit import NOTHING_FITS, keep_fitting
from ana.memory.search.result import QueryResult
from ana.memory.views import show_properties, to_local
from ana.time.dates import add_weekday
from ana.values import Json
from tools.alike import tell_alike
from tools.arguments import (
    Quote,
    find_stale_date,
    quote_message,
    read_content,
    read_properties,
    require_ids,
    require_text,
)
from tools.artifacts import collect_receipts, explain, refuse_copy
from tools.call import CallContext, Injected, Result
from tools.noticing import explain_missing, find_near_in_filter, notice, show_similar
from tools.repeating import tell_exceptions, tell_occurrence, tell_repeat
from tools.sums import tell_sums

CHOICE = "Nothing was stored: this item says the same already. Tell the user; if they then want a copy, call again."

MOST, MOST_LIKE, COUNTED = 100, 50, 100
"""How many items are shown at most, of those that a text finds, and how many of these are counted."""

MOST_TWINS = 3
"""How many items that say nearly the same are shown with a new one."""

LED_IN = 40
"""Characters of an update's text that are shown before the place where it changed."""

QUOTED = 200
"""Characters that are shown of a text which the model has in its conversation already, or asked only to change."""


@tool(parse_docstring=True, response_format="content_and_artifact")
def create_item(content: str | Quote, properties: dict[str, Any] | None = None, *, call: Injected) -> Result:
    """Keep something new, whatever it is.

    Args:
        content: The text, in natural language. Verbatim, without retyping: {"message": "this"} is the user's whole
            message, {"message": "Dear all"} what follows from those words on.
        properties: What is known about it, by name. Dates are ISO; a time elsewhere has zone, "Asia/Tokyo". What
            is to ring has remind, a moment or "30 minutes before". What repeats has repeats, "FREQ=WEEKLY;BYDAY=FR",
            "FREQ=DAILY;BYHOUR=8,14,20" or "every second Tuesday"; perhaps until, a date; repeat_from "done", if the
            next counts from when it was done; missed, "waits" for what must be done or "passes".
    """
    text, known = require_text(quote_message(content, call.message)), read_properties(properties, call.today)
    try:
        change = call.memory.create(text, known, call.cause, copy=call.allow_copy)
    except DuplicateItem as exc:
        same = call.memory.get(exc.id)
        return {"existing": call.show(same), "choice": CHOICE}, refuse_copy(same.id, same.content)
    assert change.after is not None
    row = call.show(change.after, longest=QUOTED) if content != text else call.show(change.after)
    similar = tell_alike(call, "item", change.after, MOST_TWINS)
    kind = describe_date(change.after.properties)
    notes = ({"date_is": kind} if kind else {}) | similar | tell_repeat(call, change, known) | notice(call, change)
    return row | notes, make_receipt(change, call.clock.zone)


@tool(parse_docstring=True, response_format="content_and_artifact")
def update_item(
    id: str | list[str],
    content: str | dict[str, Any] | None = None,
    properties: dict[str, Any] | None = None,
    *,
    call: Injected,
) -> Result:
    """Change one item or several, all or none. Properties are merged; one set to null is removed.

    Args:
        id: Its id, from a result, or several.
        content: The new text; {"$append": "..."} adds a line to it, {"$replace": ["old", "new"]} changes a piece.
        properties: Change a list or number in place: {"items": {"$add": ["a"], "$remove": ["b"]}},
            {"hours": {"$add": 3}}, {"due_date": {"$shift": "1 week"}}. Of what repeats, {"status": "done"} does one
            date and moves on (done_for names another); {"except": {"$add": [DATE]}} leaves one out, also adds one,
            {"moved": {DATE: "2026-01-16T15:00"}} moves one and its end; repeats and due_date change it from then on.
            To end it: until, the last day, or {"status": "done", "repeats": null}.
    """
    if content is None and not properties:
        raise ToolError("Nothing to change was given.", "Give content, properties or both.")
    text = content if isinstance(content, str) else None
    known = read_operations(read_properties(properties, call.today, may_shift=True))
    try:
        changes = call.memory.change_all(require_ids(id), lambda _: known, call.cause, read_content(content))
    except NoSuchItem as exc:
        raise explain_missing(call, exc.id) from exc
    rows = [_tell_update(call, change, text if not known else None, known) for change in changes]
    return rows[0] if isinstance(id, str) else {"items": rows}, collect_receipts(changes, call.clock.zone)


def _tell_update(call: CallContext, change: Change, text: str | None, keys: Collection[str]) -> dict[str, Json]:
    """Return an item as it is after a change, with remarks about it.

    Args:
        text: The item's new content, if only the content changed.
        keys: The names of the properties that change.
    """
    assert change.after is not None
    note = find_stale_date(change.after, text, call.today) if text else ""
    notes: dict[str, Json] = {"note": note} if note else {}
    return _show_update(call, change) | notes | tell_repeat(call, change, keys) | notice(call, change)


def _show_update(call: CallContext, change: Change) -> dict[str, Json]:
    """Return an item's id, its content around the place that changed, and the changed properties with their earlier
    values.
    """
    assert change.before is not None
    assert change.after is not None
    old, new = change.before.properties, change.after.properties
    changed = [key for key in {**old, **new} if (key in old) != (key in new) or old.get(key) != new.get(key)]
    shown_old, shown_new = (show_properties(item, call.clock.zone) for item in (change.before, change.after))
    row = call.show(change.after, longest=QUOTED)
    row["content"] = _cut_to_change(change.before.content, change.after.content)
    del row["properties"]  # only those that changed are shown
    if changed:
        row["properties"] = {key: shown_new.get(key) for key in changed}
    if was := {key: shown_old[key] for key in changed if key in old}:
        row["was"] = was
    return row


def _cut_to_change(old: str, new: str) -> str:
    if len(new) <= QUOTED:
        return new
    pairs = enumerate(zip(old, new, strict=False)) if old != new else ()
    same = next((at for at, (was, now) in pairs if was != now), len(old) if old != new else 0)
    start = max(0, min(same - LED_IN, len(new) - QUOTED))
    return f"{'…' if start else ''}{new[start : start + QUOTED]} [cut: {len(new):,} characters in all]"


@tool(parse_docstring=True, response_format="content_and_artifact")
def delete_item(id: str | list[str], *, call: Injected) -> Result:
    """Delete one item or several, into the trash; of what repeats all of it.

    Args:
        id: As in update_item.
    """
    try:
        changes = call.memory.change_all(require_ids(id), lambda _: None, call.cause)
    except NoSuchItem as exc:
        raise explain_missing(call, exc.id) from exc
    deleted = [call.show(change.before) for change in changes if change.before]
    return {"deleted": deleted[0] if isinstance(id, str) else deleted}, collect_receipts(changes, call.clock.zone)


@tool(parse_docstring=True, response_format="content_and_artifact")
def query_items(
    text: str | list[str] | None = None,
    where: dict[str, Any] | None = None,
    limit: int = 10,
    like: str = "",
    *,
    call: Injected,
) -> Result:
    """Find items by meaning, by exact property, or both. Without text: by date, then newest, with sums of numbers.

    Args:
        text: What it is about; two or three wordings of a kind ("ailments") or of all of something.
        where: Filter on properties: {"type": "task", "due_date": {"$gte": "2026-01-12", "$lt": "2026-01-19"}}.
            Several mean and; also $and $or $in $nin $ne $contains; a bare date is that whole day. {"$on": DAY} or
            {"$on": {"$gte": DAY, "$lte": DAY}} asks every date and span of an item. Done since a day: {"status":
            "done", "updated_at": {"$gte": DAY}}.
        limit: How many at most.
        like: An item's id, for similar ones.
    """
    texts = [each for each in ([text] if isinstance(text, str) else text or []) if each.strip()]
    if like and texts:
        raise ToolError("Both text and like were given.", "Give one of them.")
    # a model that asks for everything would fill its own context; `total` and `more` tell it that there is more
    most = min(limit, MOST_LIKE if texts else MOST)
    fitting = keep_fitting(_find(call, texts, like, where, most))
    matches, items = _show_all(call, _cut(fitting, most), stamps=_asks_for_stamps(where))
    result: dict[str, Json] = {}
    if note := _note(call, matches, where or {}):
        result["note"] = note  # first, because it says how to read the items
    result["items"] = [*items]
    is_everything_ranked = bool(like) or matches.fitting is not None  # the total would be the number of all items
    if where or not is_everything_ranked:
        result["total"] = matches.total
    result["truncated"] = matches.truncated
    if fitting.fitting and len(fitting.items) > most:
        result["more"] = len(fitting.items) - most
    result |= tell_sums(call, matches, where, [*texts, like])
    result |= _tell_done_then(call, matches.where)
    return result, explain(matches)


def _find(call: CallContext, texts: list[str], like: str, where: dict[str, Any] | None, most: int) -> QueryResult:
    """Return the matching items; for a text, more than are shown, so that all that fit can be counted."""
    if not like:
        depth = COUNTED if texts and most > 0 else most
        return call.memory.find(texts or None, where, depth)
    try:
        return call.memory.find_similar(like, where, most)
    except NoSuchItem as exc:
        raise explain_missing(call, like) from exc


def _cut(matches: QueryResult, most: int) -> QueryResult:
    if len(matches.items) <= most:
        return matches
    return replace(matches, items=matches.items[:most], reasons=matches.reasons[:most], truncated=True)


def _show_all(call: CallContext, matches: QueryResult, *, stamps: bool) -> tuple[QueryResult, list[dict[str, Json]]]:
    """Return the found items with newer facts first, and the same items in the form that the model sees."""
    with call.memory.backend.reading():  # one state, and one hold of the folder, for all of them
        matches, older = put_newer_first(call.memory, matches)
        done = [call.memory.get_completed_at(item) for item in matches.items]
        items = [
            call.show(item, stamps)
            | call.tell_recorded(item)
            | ({"older": f"than {older[item.id]}"} if item.id in older else {})
            | _tell_completed(call, item, moment)
            | tell_occurrence(call, item, matches.stored.get(item.id, item), matches.other_dates)
            for item, moment in zip(matches.items, done, strict=True)
        ]
    return matches, items


def _tell_completed(call: CallContext, item: Item, moment: str | None) -> dict[str, Json]:
    """Return when an item was done, by the journal, unless the person said when: their own word is a property, and
    truer.
    """
    if moment is None or "completed_at" in item.properties:
        return {}
    return {"completed_at": to_local(moment, call.clock.zone)}


def _tell_done_then(call: CallContext, where: Node) -> dict[str, Json]:
    """Return the dates of repeated items that were done within the days that a filter asks for."""
    dates = find_done_dates(call.memory, where)
    items = call.memory.backend.get_many("item", [*dates]) if dates else {}
    done: list[Json] = [
        {**show_similar(items[id]), "done_for": [add_weekday(day) for day in days]}
        for id, days in dates.items()
        if id in items
    ]
    return {"done_then": done} if done else {}


def _asks_for_stamps(where: object) -> bool:
    """Return whether a filter names created_at or updated_at."""
    if isinstance(where, dict):
        return any(key in OWN_KEYS[1:] or _asks_for_stamps(value) for key, value in where.items())
    return isinstance(where, list) and any(map(_asks_for_stamps, where))


def _note(call: CallContext, matches: QueryResult, where: Mapping[str, Any]) -> str:
    """Return notes: how the query was understood, why it found nothing, and which other query may have been meant."""
    notes = []
    if matches.is_overdue:
        notes.append("The text was taken as the question what is overdue.")
    elif matches.due:
        first, last = (add_weekday(str(day)) for day in matches.due)
        days = first if first == last else f"{first} to {last}"
        notes.append(f"The text was taken as the question what is due: {days}.")
    if matches.fitting == 0 and matches.items:
        notes.append(NOTHING_FITS)
    elif where and matches.fitting and matches.fitting < min(COUNTED, matches.total):
        others = matches.total - matches.fitting
        notes.append(f"{others} more pass the filter but are less like the text; without text you see them.")
    notes += [matches.explain(), matches.unread]
    notes += (f"{near}." for near in find_near_in_filter(call, where))
    return " ".join(filter(None, [*notes, tell_exceptions(call, where)]))
