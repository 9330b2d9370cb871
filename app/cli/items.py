"""`ana items`, `ana due` and `ana reindex`: what is kept, as tables."""

import json
import sys
from collections.abc import Mapping, Sequence

from ana.errors import ToolError
from ana.handles import opened
from ana.memory.found import Found
from ana.memory.item import Item, to_json
from ana.memory.receipts import told
from ana.settings import Embeddings, Settings
from ana.time.dates import day_of, weekday
from ana.values import Json
from app.due import Due, due, due_then
from app.show.tables import show_table
from app.show.text import short


def listed(settings: Settings, words: str, where: str | None, then: Due | None, limit: int) -> Found:
    """What `ana items` shows.

    Args:
        settings: Where the data lies.
        words: What the items are about; empty for all of them.
        where: A filter as JSON.
        then: Only open items that are overdue, due today or due this week.
        limit: How many at most.

    Raises:
        ToolError: The filter cannot be used, or not together with `then`.
    """
    if then and (words or where):
        raise ToolError("--due stands alone.", "Say the same in --where, or leave the words away.")
    with opened(settings, "ana items") as handles:
        if then:
            return due_then(handles, then, limit)
        return handles.memory.items.query(words or None, _filter(where), limit)


def due_items(settings: Settings) -> dict[Due, Found]:
    """What `ana due` shows."""
    with opened(settings, "ana due") as handles:
        return due(handles)


def reindexed(settings: Settings, embeddings: Embeddings) -> int:
    """Embed everything again, showing progress on standard error; how many records there are.

    Raises:
        ConfigError: The embedder cannot be had; everything is as it was.
    """
    from rich.console import Console
    from rich.progress import Progress

    if embeddings == "minilm":
        from ana.backends.chroma.minilm_files import fetch_minilm

        print("all-MiniLM-L6-v2 is downloaded (80 MB) unless it is there already.", file=sys.stderr)
        fetch_minilm()
    chosen = settings.model_copy(update={"ana_embeddings": embeddings})
    with opened(chosen, "ana reindex") as handles, Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding")
        return handles.memory.reindex(lambda done, total: bar.update(task, completed=done, total=total))


def show_items(items: Sequence[Item], why: Sequence[str] | None = None, title: str | None = None) -> None:
    """Print a table: id, content, date, the other properties, and why where it is given."""
    rows = [(item.id, short(item.content, 160), _date(item), _others(item.properties)) for item in items]
    whys = [(why[place],) if why else () for place in range(len(rows))]
    headers = ("id", "content", "date", "properties", *(("why",) if why else ()))
    show_table(headers, [(*row, *more) for row, more in zip(rows, whys, strict=True)], title, ("id", "date"), first=1)


def show_found(found: Found, why: bool = False) -> None:
    """Print what was found, and to standard error how much of it that is."""
    if found.items:
        show_items(found.items, why_text(found) if why else None)
        print(f"{len(found.items)} of {found.total}", file=sys.stderr)
    else:
        unknown = f" No item has the property {', '.join(found.unknown)}." if found.unknown else ""
        print(f"Nothing was found.{unknown}", file=sys.stderr)


def why_text(found: Found) -> list[str]:
    """Why each item was found, in a few words."""
    return [", ".join(_reason(name, value) for name, value in told(reason).items()) for reason in found.reasons]


def as_json(found: Found, why: bool) -> str:
    """One JSON object: items, total, truncated, and why where it is wanted."""
    items = [to_json(item) for item in found.items]
    said: dict[str, object] = {"items": items, "total": found.total, "truncated": found.truncated}
    return json.dumps(said | ({"why": [told(reason) for reason in found.reasons]} if why else {}), ensure_ascii=False)


def _reason(name: str, value: object) -> str:
    if name == "words" and isinstance(value, tuple):
        return f"words {' '.join(value)}"
    return "filter" if value is True else f"{name} {value}"


def _date(item: Item) -> str:
    day = day_of(item.date)
    return f"{weekday(day)[:2]} {str(item.date).replace('T', ' ')}" if day else ""


def _others(properties: Mapping[str, Json]) -> str:
    parts = []
    for name, value in properties.items():
        if name == "due_date" or value is None:
            continue
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(text if name in ("type", "status") else f"{name.replace('_', ' ')}: {text}")
    return " · ".join(parts)


def _filter(where: str | None) -> dict[str, Json] | None:
    try:
        said: dict[str, Json] | None = json.loads(where) if where else None
    except (ValueError, RecursionError) as exc:
        raise ToolError(f"--where is no JSON: {exc}.", 'Write it as --where \'{"status": "active"}\'.') from exc
    return said
