"""The four primitives over items."""

from datetime import date
from typing import Any

from langchain_core.tools import tool

from ana.errors import DuplicateItem, ToolError
from ana.memory.item import Item, to_json, to_local
from ana.memory.receipts import make_receipt
from ana.memory.search.found import Found
from ana.time.dates import with_weekday, without_weekday
from ana.values import Json, plain
from tools.artifacts import explain, refuse_copy
from tools.call import CallContext, Injected, Result

CHOICE = "Nothing was stored: this item says the same already. Tell the user; if they then want a copy, call again."


@tool(parse_docstring=True, response_format="content_and_artifact")
def create_item(content: str, properties: dict[str, Any] | None = None, *, call: Injected) -> Result:
    """Keep something new: a task, a note, an idea, an appointment, anything.

    Args:
        content: The text, in natural language.
        properties: What is known about it, by name, such as type, status, due_date, priority, project. Dates are ISO.
    """
    try:
        change = call.memory.create(
            _require_text(content), _strip_weekdays(properties), call.cause, copy=call.allow_copy
        )
    except DuplicateItem as exc:
        return {"existing": call.show(call.memory.get(exc.id)), "choice": CHOICE}, refuse_copy(exc.id)
    assert change.after is not None
    return call.show(change.after), make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def update_item(
    id: str, content: str | None = None, properties: dict[str, Any] | None = None, *, call: Injected
) -> Result:
    """Change an item. Properties are merged; one set to null is removed.

    Args:
        id: The item's id, as query_items gave it.
        content: The new text, if it changes.
        properties: The properties that change.
    """
    if content is None and not properties:
        raise ToolError("Nothing to change was given.", "Give content, properties or both.")
    change = call.memory.update(
        id, None if content is None else _require_text(content), _strip_weekdays(properties), call.cause
    )
    assert change.after is not None
    return call.show(change.after), make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def delete_item(id: str, *, call: Injected) -> Result:
    """Delete an item.

    Args:
        id: The item's id, as query_items gave it.
    """
    change = call.memory.delete(id, call.cause)
    assert change.before is not None
    return {"deleted": call.show(change.before)}, make_receipt(change)


@tool(parse_docstring=True, response_format="content_and_artifact")
def query_items(
    text: str | None = None, where: dict[str, Any] | None = None, limit: int = 10, *, call: Injected
) -> Result:
    """Find items by meaning, by exact property, or both. Without text: by date, then newest.

    Args:
        text: What it is about, in words.
        where: Filter on properties: {"status": "active", "due_date": {"$gte": "2026-01-12", "$lt": "2026-01-19"}}.
            Several mean and; also $and, $or, $in, $nin, $ne, $contains (lists); a bare date is that whole day. For
            what was finished when, filter on status and updated_at and go by completed_at in the results.
        limit: How many to return at most.
    """
    # A model that asks for everything would fill its own context; `total` tells it that there is more.
    found = call.memory.find(text, where, min(limit, 100))
    items = [_show_found(item, call) for item in found.items]
    result = {"items": items, "total": found.total, "truncated": found.truncated}
    return result | ({"note": note} if (note := _note(found)) else {}), explain(found)


def _show_found(item: Item, call: CallContext) -> Json:
    """Return an item as the model is shown it; one that is done with the moment when it was."""
    done = call.memory.completed_at(item)
    moment: dict[str, Json] = {"completed_at": to_local(done, call.clock.zone)} if done else {}
    return plain(to_json(item, call.clock.zone) | moment)


def _note(found: Found) -> str:
    """Return how the query was understood, if the items alone do not show it."""
    notes = []
    if found.due:
        first, last = (with_weekday(str(day)) for day in found.due)
        days = f"to {last}" if found.due[0] == date.min else first if first == last else f"{first} to {last}"
        notes.append(f"The text was taken as the question what is due: {days}.")
    if found.why_none:
        notes.append(found.why_none)
    return " ".join(notes)


def _strip_weekdays(properties: dict[str, Any] | None) -> dict[str, Json]:
    """Return the properties as they are stored: without the weekday that results show after a date."""
    # Models copy a date from a result, weekday and all; a weekday that does not fit the date is an error.
    return {key: without_weekday(value) for key, value in (properties or {}).items()}


def _require_text(content: str) -> str:
    if not content.strip():
        raise ToolError("An item needs some content.", "Say in content what is to be kept.")
    return content
