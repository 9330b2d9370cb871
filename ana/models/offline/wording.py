"""Items as people are told them."""

import re
from datetime import date

from tabulate import tabulate

from ana.models.offline.matching import Item

LONGEST = 160
_COLUMNS = {"due_date": "due", "priority": "priority", "project": "project", "context": "where", "status": "status"}


def day_of(item: Item) -> date | None:
    """An item's day; results carry its weekday behind it."""
    match = re.match(r"\d{4}-\d\d-\d\d", str(item["properties"].get("due_date", "")))
    return date.fromisoformat(match[0]) if match else None


def when(item: Item) -> str:
    """An item's date as people say it: Friday 27 November, 14:30."""
    value, day = str(item["properties"]["due_date"]), day_of(item)
    return f"{day:%A} {day.day} {day:%B}" + (f", {value[11:16]}" if value[10:11] == "T" else "") if day else value


def brief(content: str) -> str:
    """A content in an answer: one line, cut where it is long."""
    line = " ".join(content.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def line_of(item: Item) -> str:
    """An item in a line."""
    told = [f"due {when(item)}"] if day_of(item) else []
    told += [f"{item['properties']['priority']} priority"] if "priority" in item["properties"] else []
    told += ["done"] if item["properties"].get("status") == "done" else []
    return f"- {brief(item['content'])}" + (f" ({', '.join(told)})" if told else "")


def listing(items: list[Item]) -> str:
    """One line for an item; a Markdown table for several that have properties to show."""
    columns = {name: [_cell(item, key) for item in items] for key, name in _COLUMNS.items()}
    table = {"what": [brief(item["content"]).replace("|", "\\|") for item in items]}
    table |= {name: cells for name, cells in columns.items() if any(cells)}
    if len(items) < 2 or len(table) == 1:
        return "\n".join(map(line_of, items))
    return tabulate(table, headers="keys", tablefmt="github", disable_numparse=True)


def reason(item: Item, today: date) -> str:
    """Why an item comes first."""
    day = day_of(item)
    if day is None:
        return "it has high priority" if item["properties"].get("priority") == "high" else "it is open"
    return "it is due today" if day == today else f"it {'was' if day < today else 'is'} due {when(item)}"


def _cell(item: Item, key: str) -> str:
    value = item["properties"].get(key)
    if key == "due_date":
        return when(item) if day_of(item) else ""
    return "" if value is None or (key, value) == ("status", "active") else str(value).replace("|", "\\|")
