"""Arguments as the model sends them: dates are checked on arrival, and content may refer to the person's own message,
so that the model need not copy it word for word.
"""

import re
from datetime import date
from typing import Any

from typing_extensions import TypedDict  # pydantic reads it in every version of Python, typing's only from 3.12 on

from ana.errors import ToolError
from ana.memory.item import Item, is_date_key
from ana.memory.operations import Operation, read_operation
from ana.reminders.reading import check_remind
from ana.time.clock import WEEKDAYS
from ana.time.dates import add_weekday, day_of, drop_weekday, weekday
from ana.time.guesses import guess_dates
from ana.time.when import resolve
from ana.values import Json, read_json

WHOLE = "this"
_CLOSING = {'"': '"', "'": "'", "“": "”", "„": "“", "‘": "’", "«": "»", "「": "」", "`": "`"}
_HINT = f'Give {{"message": "{WHOLE}"}} for all of it, or the words of it with which the text begins.'


class Quote(TypedDict):  # no docstring: it would be in the schema, and cost tokens in every call of a model
    message: str


def require_text(content: str) -> str:
    """Return an item's content. Raises ToolError if it is empty."""
    if not content.strip():
        raise ToolError("An item needs some content.", "Say in content what is to be kept.")
    return content


def require_ids(id: str | list[str]) -> list[str]:
    """Return the ids of a call, each once. Raises ToolError if the call has no id."""
    if not id:
        raise ToolError("No id was given.", "Give the item's id, or a list of them.")
    return [id] if isinstance(id, str) else [*dict.fromkeys(id)]


def read_content(content: str | dict[str, Any] | None) -> str | Operation | None:
    """Return the new content of an update: a text, a line to add, a piece to replace, or None if the content stays.

    Raises:
        ToolError: The content is empty, or is an unknown operation.
    """
    if content is None:
        return None
    read = read_operation("content", content)
    if isinstance(read, Operation):
        if not read.replace and not (read.append or "").strip():
            hint = 'Write {"$append": "..."} for a line, {"$replace": ["old", "new"]} for a piece.'
            raise ToolError("Content takes a text, a line to add, or a piece to replace.", hint)
        return read
    return require_text(str(read))


def quote_message(content: str | Quote, message: str) -> str:
    """Return content as text: the content itself, or the part of the person's message to which it refers.

    Raises:
        ToolError: The message does not have the words.
    """
    if isinstance(content, str):
        return content
    begin = content["message"].strip()
    if begin.lower() == WHOLE:
        return message.strip()
    if not begin or begin not in message:
        raise ToolError(f"The user's message does not have the words {begin[:60]!r}.", _HINT)
    at = message.index(begin)
    text = message[at:].strip()
    opening = message[at - 1 : at]
    if opening not in _CLOSING or re.search(rf"(?<!\w){re.escape(opening)}\w", text):
        return text  # the mark at its end would be that of another quotation
    return text.removesuffix(_CLOSING[opening])


def read_properties(properties: dict[str, Any] | None, today: date, *, may_shift: bool = False) -> dict[str, Json]:
    """Return the properties in the form in which they are stored: dates without the weekday that results show, and a
    list written as text, such as '["home"]', as a list.

    Args:
        may_shift: Whether a date may be given as a distance by which the present date moves.

    Raises:
        ToolError: A weekday does not fit its date, or a property for dates, or `remind`, is given something else.
    """
    values = {key: _read_list(value) for key, value in (properties or {}).items()}
    bare = {
        key: _strip_weekdays(value) if key in ("except", "also", "moved") else drop_weekday(value)
        for key, value in values.items()
    }
    for key, value in bare.items():
        is_shift = may_shift and isinstance(value, dict) and "$shift" in value
        if is_date_key(key) and value is not None and not day_of(value) and not is_shift:
            raise ToolError(f"{key} takes a date, not {str(values[key])[:60]!r}.", _suggest(values[key], today))
    check_remind(bare)
    return bare


def _read_list(value: Any) -> Any:
    """Return a text that is a JSON list as a list, also within an operation; return any other value unchanged."""
    if isinstance(value, dict):
        return {key: _read_list(each) for key, each in value.items()}
    if not isinstance(value, str) or not (value.startswith("[") and value.endswith("]")):
        return value
    try:
        return read_json(value)
    except ValueError:
        return value


def _strip_weekdays(value: Any) -> Any:
    """Return dates, in lists and objects too, without their weekdays."""
    if isinstance(value, list):
        return [drop_weekday(each) for each in value]
    if isinstance(value, dict):
        return {drop_weekday(key): _strip_weekdays(each) for key, each in value.items()}
    return drop_weekday(value)


def _suggest(value: Json, today: date) -> str:
    dates = guess_dates(value, today) if isinstance(value, str) else None
    if dates is None:
        return "Give one date as YYYY-MM-DD or YYYY-MM-DDThh:mm, or null; put words into another property."
    first, last = dates
    if first == last:
        return f'Write "{first}", a {WEEKDAYS[date.fromisoformat(first[:10]).weekday()]}, if that is meant.'
    return f'Write one date: it means "{first}" to "{last}"; a stretch is start_date and end_date.'


def find_stale_date(item: Item, content: str, today: date) -> str:
    """Return a sentence if a new text names another day than the item's date, which the update does not change; else
    nothing.
    """
    own, named = day_of(item.date), resolve(content, today)
    if own is None or not named or any(mention.first <= own <= mention.last for mention in named):
        return ""
    key = next(key for key in ("due_date", *item.properties) if item.properties.get(key) == item.date)
    first = named[0].first
    return f"{key} is still {add_weekday(item.date)}; the text says {first} ({weekday(first)}): change it if meant."
