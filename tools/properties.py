"""Properties as the model sends them: dates are checked when they come in."""

from datetime import date
from typing import Any

from ana.errors import ToolError
from ana.memory.item import Item, is_date_key
from ana.memory.status import DONE, has_status
from ana.time.clock import WEEKDAYS
from ana.time.dates import day_of, weekday, with_weekday, without_weekday
from ana.time.meant import guess_dates
from ana.time.when import resolve
from ana.values import Json, Properties


def read_properties(properties: dict[str, Any] | None, today: date) -> dict[str, Json]:
    """Return the properties as they are stored: without the weekday that results show after a date.

    Raises:
        ToolError: A weekday does not fit its date, or a property for dates is given something else.
    """
    return {key: _read_value(key, value, today) for key, value in (properties or {}).items()}


def _read_value(key: str, value: Json, today: date) -> Json:
    bare = without_weekday(value)
    if is_date_key(key) and bare is not None and not day_of(bare):
        raise ToolError(f"{key} takes a date, not {str(value)[:60]!r}.", _suggest(value, today))
    return bare


def _suggest(value: Json, today: date) -> str:
    meant = guess_dates(value, today) if isinstance(value, str) else None
    if meant is None:
        return "Give one date as YYYY-MM-DD or YYYY-MM-DDThh:mm, or null; put words into another property."
    first, last = meant
    if first == last:
        return f'Write "{first}", a {WEEKDAYS[date.fromisoformat(first[:10]).weekday()]}, if that is meant.'
    return f'Write one date: it means "{first}" to "{last}"; a stretch is start_date and end_date.'


def find_stale_date(item: Item, content: str, today: date) -> str:
    """Return a sentence if a new text names another day than the item's own date, which it leaves behind; else nothing.

    Args:
        item: The item with the new text.
        content: The new text.
        today: The person's today.
    """
    own, named = day_of(item.date), resolve(content, today)
    if own is None or not named or any(mention.first <= own <= mention.last for mention in named):
        return ""
    key = next(key for key in ("due_date", *item.properties) if item.properties.get(key) == item.date)
    first = named[0].first
    return f"{key} is still {with_weekday(item.date)}; the text says {first} ({weekday(first)}): change it if meant."


def explain_closed_repeat(item: Item, known: Properties) -> str:
    """Return a sentence if a change closes an item that repeats, which would end the repetition; else nothing.

    Args:
        item: The item after the change.
        known: The properties that were changed.
    """
    if "status" not in known or not item.properties.get("recurrence") or not has_status(item.properties, DONE):
        return ""
    return (
        f"It repeats ({str(item.properties['recurrence'])[:60]}), and is closed for good now. If it goes on, set "
        "status back and due_date to the next occurrence."
    )
