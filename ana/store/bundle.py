"""What an export holds, read and checked line by line before anything of it is used."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ana.errors import ToolError, UserError
from ana.store.context_line import one_line
from ana.store.export import FORMAT, NAME
from ana.store.item import Item, check_properties
from ana.store.journal import Change, Entry

MOST_TOLD = 10
"""How many bad lines are named."""


@dataclass
class Bundle:
    """Records from elsewhere.

    Args:
        items: Items.
        lines: Global Context lines, under their numbers.
        texts: Global Context lines that have no number yet.
        changes: All that was done to them, in order.
        next_line: No line gets a number below this.
    """

    items: list[Item] = field(default_factory=list)
    lines: list[Item] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    changes: list[Entry] = field(default_factory=list)
    next_line: int = 0


def read_export(path: Path) -> Bundle:
    """Read what `ana export` wrote.

    Raises:
        UserError: It is not that, or lines of it are not right; they are named by number.
    """
    bundle, bad = Bundle(), []
    with path.open("rb") as file:
        _check_header(path, file.readline(), bundle)
        for number, text in enumerate(file, 2):
            try:
                _take(json.loads(text), bundle)
            except (ValueError, TypeError, KeyError, RecursionError, ToolError) as exc:
                bad.append(f"line {number}: {_why(exc)}")
    bad += _doubled(bundle)
    if bad:
        more = f" (and {len(bad) - MOST_TOLD} more)" if len(bad) > MOST_TOLD else ""
        raise UserError(f"{path} cannot be imported: {'; '.join(bad[:MOST_TOLD])}{more}.", "Nothing was changed.")
    return bundle


def is_export(path: Path) -> bool:
    """Whether a file begins as an export does."""
    with path.open("rb") as file:
        return file.read(64).startswith(f'{{"export": "{NAME}"'.encode())


def _check_header(path: Path, text: bytes, bundle: Bundle) -> None:
    try:
        header = json.loads(text)
        known = header["export"] == NAME
        version, bundle.next_line = int(header["format"]), int(header["next_line"])
    except (ValueError, TypeError, KeyError) as exc:
        raise UserError(f"{path} is no export: its first line is not the header.", "Nothing was changed.") from exc
    if not known or version > FORMAT:
        raise UserError(
            f"{path} is an export of format {version}, this program reads {FORMAT}.", "Install a newer ana; see README."
        )


def _take(told: Any, bundle: Bundle) -> None:
    if not isinstance(told, dict) or len(told) != 1:
        raise ValueError("it is not one item, line or change")
    ((what, record),) = told.items()
    kinds: Mapping[str, Callable[[Any], None]] = {
        "item": lambda record: bundle.items.append(_item(record)),
        "line": lambda record: bundle.lines.append(_line(record)),
        "change": lambda record: bundle.changes.append(_entry(record)),
    }
    if what not in kinds:
        raise ValueError(f"{what!r} is neither item, line nor change")
    kinds[what](record)


def _item(record: Any) -> Item:
    item = Item(**record)
    texts = (item.id, item.content, item.created_at, item.updated_at)
    if not all(isinstance(text, str) for text in texts) or not isinstance(item.properties, dict):
        raise ValueError("a value has the wrong type")
    if not 0 < len(item.id) <= 128 or not item.id.isprintable():
        raise ValueError(f"{item.id[:20]!r} is no id")
    for stamp in (item.created_at, item.updated_at):
        if datetime.fromisoformat(stamp).tzinfo is None:
            raise ValueError(f"{stamp} has no zone")
    check_properties(item.properties)
    return item


def _line(record: Any) -> Item:
    line = _item(record)
    if not line.id.isdecimal() or str(int(line.id)) != line.id:
        raise ValueError(f"{line.id!r} is no line number")
    if one_line(line.content) != line.content or line.properties:
        raise ValueError("this cannot be a Global Context line")
    return line


def _entry(record: Any) -> Entry:
    made = {"item": _item, "line": _line}[record["kind"]]
    before, after = (record[name] and made(record[name]) for name in ("before", "after"))
    texts = [record[name] for name in ("ts", "thread", "turn", "id")]
    if not all(isinstance(text, str) for text in texts) or not isinstance(record["key"], str | None):
        raise ValueError("a value has the wrong type")
    if any(side and side.id != record["id"] for side in (before, after)):
        raise ValueError("the change is of another record")
    datetime.fromisoformat(record["ts"])
    change = Change(record["kind"], record["id"], before, after)
    return Entry(record["ts"], record["thread"], record["turn"], change, record["key"])


def _doubled(bundle: Bundle) -> list[str]:
    counted = (Counter(record.id for record in records) for records in (bundle.items, bundle.lines))
    return [f"{id} is there twice" for counts in counted for id, count in counts.items() if count > 1]


def _why(exc: Exception) -> str:
    if isinstance(exc, KeyError):
        return f"{exc} is missing or unknown"
    return exc.message if isinstance(exc, ToolError) else str(exc)
