"""The records of an export, read and checked line by line before any of them is used."""

import re
from collections import Counter
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from ana.errors import ToolError, UserError
from ana.memory.bounds import check_item, to_one_line
from ana.memory.changes import Change, Entry
from ana.memory.item import Item
from ana.memory.sources import ALL_MINE, PERSON, Sources, read_source
from ana.text import check_text
from ana.transfer.exporter import FORMAT, NAME
from ana.transfer.records import BadRecord, make_refusal, read_each, require_few, to_stamp
from ana.values import read_json, read_whole_number

MOST_LINES = 10**9
"""An upper limit of line numbers."""

LONGEST_ZONE = 64

MOST_GAPS = 10**6
"""How many numbers more than it has lines an export may have used, because lines are purged."""

_OPTIONAL = {"sources", "zone"}
_NAMES = {field.name for field in fields(Item)} - _OPTIONAL
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


@dataclass
class Bundle:
    """Records from elsewhere.

    Args:
        lines: Global Context lines, under their numbers.
        changes: The history of the records, in order.
        next_line: No line gets a number below this.
        authors: The addresses of an item's authors, by the item's id, if its file names them.
        format: The number of an export's format; 0 for other files.
        notes: A sentence for each record that was left out, or read otherwise than one might expect.
        columns: For rows of a table, a line about the use of each column.
    """

    items: list[Item] = field(default_factory=list)
    lines: list[Item] = field(default_factory=list)
    changes: list[Entry] = field(default_factory=list)
    next_line: int = 0
    authors: dict[str, frozenset[str]] = field(default_factory=dict)
    format: int = 0
    notes: list[str] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)


def read_export(path: Path, *, is_bounded: bool = False) -> Bundle:
    """Read an export.

    Args:
        is_bounded: Whether it may have no more records than another program's file.

    Raises:
        UserError: It is not an export, has too many lines, or some are wrong; these are named by number.
    """
    bundle = Bundle()
    with path.open("rb") as file:
        if is_bounded:
            require_few(path, sum(1 for _ in file) - 1)
            file.seek(0)
        _check_header(path, file.readline(), bundle)
        lines = ((f"line {number}", text) for number, text in enumerate(file, 2) if text.strip())
        read_each(path, lines, lambda text: _add(text, bundle))
    if bad := _find_duplicates(bundle) + _find_wrong_numbers(bundle):
        raise make_refusal(path, bad)
    return bundle


def is_export(path: Path) -> bool:
    """Return whether a file begins like an export."""
    with path.open("rb") as file:
        try:
            return bool(read_json(file.readline(1000).decode("utf-8-sig"))["export"] == NAME)
        except (ValueError, TypeError, KeyError):
            return False


def _check_header(path: Path, line: bytes, bundle: Bundle) -> None:
    try:
        header = read_json(line.decode("utf-8-sig"))
        known = header["export"] == NAME
        version = bundle.format = read_whole_number(header["format"], 1, MOST_LINES)
        bundle.next_line = read_whole_number(header["next_line"], 0, MOST_LINES)
    except (ValueError, TypeError, KeyError) as exc:
        raise UserError(f"{path} is not an export: its first line is not the header.", "Nothing was changed.") from exc
    if not known or version > FORMAT:
        message = f"{path} is an export of format {version}, this program reads {FORMAT}."
        raise UserError(message, "Install a newer ana; see README.")


def _add(text: bytes, bundle: Bundle) -> None:
    try:
        record = read_json(text)
        if not isinstance(record, dict) or len(record) != 1:
            raise ValueError("it is not one item, line or change")
        ((kind, values),) = record.items()
        if kind == "item":
            bundle.items.append(read_item(values))
        elif kind == "line":
            bundle.lines.append(_read_line(values))
        elif kind == "change":
            bundle.changes.append(_read_entry(values))
        else:
            raise ValueError(f"{kind!r} is neither item, line nor change")
    except KeyError as exc:
        raise BadRecord(f"{exc} is missing or unknown") from exc
    except (ValueError, TypeError) as exc:
        raise BadRecord(str(exc)) from exc


def read_item(record: Any) -> Item:
    """Return an item from its fields as JSON. Raises ValueError, TypeError or ToolError if ana cannot store it."""
    if not isinstance(record, dict) or record.keys() - _OPTIONAL != _NAMES:
        raise ValueError(f"it does not have exactly {', '.join(sorted(_NAMES))}")
    sources = Sources.from_json(record["sources"]) if "sources" in record else ALL_MINE
    item = Item(**record | {"sources": sources})  # its fields are checked below
    _check_texts(item.content, item.id, item.created_at, item.updated_at, item.zone)
    if not isinstance(item.properties, dict):
        raise ValueError("its properties are not an object")
    if not _ID.fullmatch(item.id):
        raise ValueError(f"{item.id[:20]!r} is not an id")
    _check_moments(item.created_at, item.updated_at)
    if len(item.zone) > LONGEST_ZONE or not item.sources.properties.keys() <= item.properties.keys():
        raise ValueError("its zone is too long, or sources are of properties that it does not have")
    check_item(item)
    return item


def _read_line(record: Any) -> Item:
    line = read_item(record)
    if not line.id.isdecimal() or len(line.id) > 9 or str(int(line.id)) != line.id:
        raise ValueError(f"{line.id[:20]!r} is not a line number")
    if to_one_line(line.content) != line.content or line.properties:
        raise ValueError("this cannot be a Global Context line")
    return line


def _read_entry(record: Any) -> Entry:
    read = {"item": read_item, "line": _read_line}[record["kind"]]
    before, after = (None if record[name] is None else read(record[name]) for name in ("before", "after"))
    _check_texts(
        record["ts"], record["thread"], record["turn"], record["id"], "" if record["key"] is None else record["key"]
    )
    if before is after is None:
        raise ValueError("the change changes nothing")
    if any(side and side.id != record["id"] for side in (before, after)):
        raise ValueError("the change is of another record")
    _check_moments(record["ts"])
    if record["thread"] and not _ID.fullmatch(record["thread"]):
        raise ValueError(f"{record['thread'][:20]!r} is not the id of a thread")
    change = Change(record["kind"], record["id"], before, after)
    ts = to_stamp(datetime.fromisoformat(record["ts"]))  # the journal's form, which can be compared as text
    source = read_source(record.get("source", PERSON))
    return Entry(ts, record["thread"], record["turn"], change, record["key"], source=source)


def _check_texts(*values: Any) -> None:
    for value in values:
        if not isinstance(value, str):
            raise ValueError(f"{str(value)[:20]!r} is not text")
    check_text(values, ToolError)


def _check_moments(*stamps: str) -> None:
    """Refuse a stamp without a zone, or at the edge of the calendar, where other zones have no such time."""
    for stamp in stamps:
        moment = datetime.fromisoformat(stamp)
        if moment.tzinfo is None:
            raise ValueError(f"{stamp} has no zone")
        if not 1 < moment.year < 9999:
            raise ValueError(f"{stamp} is beyond the calendar")


def _find_duplicates(bundle: Bundle) -> list[str]:
    counted = (Counter(record.id for record in records) for records in (bundle.items, bundle.lines))
    return [f"{id} occurs twice" for counts in counted for id, count in counts.items() if count > 1]


def _find_wrong_numbers(bundle: Bundle) -> list[str]:
    """Name line numbers far above the number of lines: lines after them would soon have none left."""
    past = {entry.change.id for entry in bundle.changes if entry.change.kind == "line"}
    used = past | {line.id for line in bundle.lines}
    highest = max([bundle.next_line - 1, *map(int, used)])
    if highest < len(used) + MOST_GAPS:
        return []
    return [f"the line number {highest} is too high for an export of {len(used)} lines"]
