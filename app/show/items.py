"""Items as people see them: a table, how many of how many, and why each was found."""

from collections.abc import Iterator, Mapping, Sequence

from ana.memory.item import Item, to_json
from ana.memory.receipts import reason_to_json
from ana.memory.search.found import Found
from ana.output import tell
from ana.time.dates import day_of, weekday
from ana.values import Json
from app.show.tables import show_table
from app.show.text import shorten

NO_WORDS = "No item has these words; these are the nearest in meaning."


def show_items(items: Sequence[Item], why: Sequence[str] | None = None, title: str | None = None) -> None:
    """Print a table: id, content, date, the other properties, and why each was found where that is given."""
    rows = [
        (item.id, shorten(item.content, 160), _format_date(item), _format_others(item.properties)) for item in items
    ]
    whys = [(why[place],) if why else () for place in range(len(rows))]
    headers = ("id", "content", "date", "properties", *(("why",) if why else ()))
    show_table(headers, [(*row, *more) for row, more in zip(rows, whys, strict=True)], title, ("id", "date"), first=1)


def show_found(found: Found, why: bool = False) -> None:
    """Print what a query found, under a title if no item has its words; on standard error how many of how many."""
    if found.items:
        asked = any(each.vector is not None for each in found.reasons)
        title = NO_WORDS if asked and not any(each.words or each.date or each.first for each in found.reasons) else None
        reasons = explain(found) if why else []
        show_items(found.items, reasons if any(reasons) else None, title)
        tell(f"{len(found.items)} of {found.total}")
    else:
        tell(f"Nothing was found. {found.why_none}".rstrip())


def explain(found: Found) -> list[str]:
    """Return for each item in a few words why it was found."""
    return [", ".join(_format_reason(reason_to_json(each))) for each in found.reasons]


def found_to_json(found: Found, why: bool) -> dict[str, object]:
    """Return what is one object in JSON: items, total, truncated, and why each was found where that is wanted."""
    result: dict[str, object] = {
        "items": [to_json(item) for item in found.items],
        "total": found.total,
        "truncated": found.truncated,
    }
    return result | ({"why": [reason_to_json(each) for each in found.reasons]} if why else {})


def _format_reason(reason: Mapping[str, object]) -> Iterator[str]:
    """Yield the parts of a reason in words: how alike the vectors are, the shared words and their score, and so on."""
    for name, value in reason.items():
        if isinstance(value, tuple):
            yield f"words {' '.join(value)} {reason.get('share', 0)}"
        elif name != "share":
            yield name if value is True else f"{name} {value}"
        elif "words" not in reason:
            yield f"like words {value}"


def _format_date(item: Item) -> str:
    day = day_of(item.date)
    return f"{weekday(day)[:2]} {str(item.date).replace('T', ' ')}" if day else ""


def _format_others(properties: Mapping[str, Json]) -> str:
    parts = []
    for name, value in properties.items():
        if name == "due_date" or value is None:
            continue  # due_date has a column of its own
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(text if name in ("type", "status") else f"{name.replace('_', ' ')}: {text}")
    return " · ".join(parts)
