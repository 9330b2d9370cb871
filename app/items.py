"""`ana items`, `ana due` and `ana reindex`: what is kept, as tables."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from ana.dates import day_of, weekday
from ana.errors import ToolError
from ana.handles import open_handles
from ana.settings import Embeddings, Settings
from ana.store.base import Found
from ana.store.item import Item, Json, to_json
from app.show import short
from tools.call import told

if TYPE_CHECKING:
    from rich.table import Table

    from ana.handles import Handles

Due = Literal["overdue", "today", "week"]
DUE: tuple[Due, ...] = ("overdue", "today", "week")
MOST = 1000
"""How many items `ana due` shows of each kind."""

RATIOS = {"content": 4, "properties": 3, "why": 2}
"""How columns share the width of a terminal."""

WIDEST = 500
"""Columns of a table that is not shown in a terminal: nothing is cut in a pipe."""


def listed(settings: Settings, words: str, where: str | None, due: Due | None, limit: int) -> Found:
    """What `ana items` shows.

    Args:
        settings: Where the data lies.
        words: What the items are about; empty for all of them.
        where: A filter as JSON.
        due: Only open items that are overdue, due today or due this week.
        limit: How many at most.

    Raises:
        ToolError: The filter cannot be used, or not together with `due`.
    """
    if due and (words or where):
        raise ToolError("--due stands alone.", "Say the same in --where, or leave the words away.")
    with _opened(settings, "ana items") as handles:
        if due:
            return _due(handles, due, limit)
        return handles.memory.items.query(words or None, _filter(where), limit)


def due_items(settings: Settings) -> dict[Due, Found]:
    """What `ana due` shows: open items that are overdue, due today, and due later this week, which ends on Sunday."""
    with _opened(settings, "ana due") as handles:
        found = {name: _due(handles, name, MOST) for name in DUE}
    today = {item.id for item in found["today"].items}
    later = [item for item in found["week"].items if item.id not in today]
    return found | {"week": replace(found["week"], items=later, total=found["week"].total - len(today))}


def reindexed(settings: Settings, embeddings: Embeddings) -> int:
    """Embed everything again, showing progress on standard error; how many records there are.

    Raises:
        ConfigError: The embedder cannot be had; everything is as it was.
    """
    from rich.console import Console
    from rich.progress import Progress

    if embeddings == "minilm":
        from ana.store.minilm_files import fetch_minilm

        print("all-MiniLM-L6-v2 is downloaded (80 MB) unless it is there already.", file=sys.stderr)
        fetch_minilm()
    chosen = settings.model_copy(update={"ana_embeddings": embeddings})
    with _opened(chosen, "ana reindex") as handles, Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("embedding")
        return handles.memory.reindex(lambda done, total: bar.update(task, completed=done, total=total))


def show_items(items: Sequence[Item], why: Sequence[str] | None = None, title: str | None = None) -> None:
    """Print a table: id, content, date, the other properties, and why where it is given."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else WIDEST, highlight=False)
    console.print(_table(items, why, title))


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


def _table(items: Sequence[Item], why: Sequence[str] | None, title: str | None) -> "Table":
    from rich.table import Table

    terminal = sys.stdout.isatty()
    table = Table(box=None, pad_edge=False, expand=terminal, header_style="dim", title=title, title_justify="left")
    for name in ("id", "content", "date", "properties", *(["why"] if why is not None else [])):
        narrow = name in ("id", "date") or not terminal
        table.add_column(name, no_wrap=narrow, overflow="fold", ratio=RATIOS.get(name) if terminal else None)
    for place, item in enumerate(items):
        cells = [item.id, short(item.content, 160), _date(item), _others(item.properties)]
        table.add_row(*cells, *([why[place]] if why is not None else []))
    return table


def _date(item: Item) -> str:
    value = next((v for v in (item.properties.get("due_date"), *item.properties.values()) if day_of(v)), None)
    day = day_of(value)
    return f"{weekday(day)[:2]} {str(value).replace('T', ' ')}" if day else ""


def _others(properties: Mapping[str, Json]) -> str:
    parts = []
    for name, value in properties.items():
        if name == "due_date" or value is None:
            continue
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(text if name in ("type", "status") else f"{name.replace('_', ' ')}: {text}")
    return " · ".join(parts)


def _due(handles: "Handles", which: Due, limit: int) -> Found:
    today = handles.clock.now().date()
    sunday = today + timedelta(days=6 - today.weekday())
    days = {"overdue": (date.min, today - timedelta(days=1)), "today": (today, today), "week": (today, sunday)}
    return handles.memory.items.due(*days[which], limit)


def _filter(where: str | None) -> dict[str, Json] | None:
    try:
        said: dict[str, Json] | None = json.loads(where) if where else None
    except ValueError as exc:
        raise ToolError(f"--where is no JSON: {exc}.", 'Write it as --where \'{"status": "active"}\'.') from exc
    return said


@contextmanager
def _opened(settings: Settings, program: str) -> "Iterator[Handles]":
    handles = open_handles(settings, program)
    try:
        yield handles
    finally:
        handles.memory.close()
