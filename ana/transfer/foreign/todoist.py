"""Todoist's CSV export of a project.

The format is described on Todoist's help page "Import or export a project as a CSV file in Todoist", once called
"Format a CSV file to import into Todoist"; its description of an import is also true of an export.
"""

import csv
import io
import re
import reprlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, tzinfo
from pathlib import Path

from ana.errors import ToolError, UserError
from ana.memory.bounds import check_item
from ana.memory.item import Item
from ana.output import quote
from ana.time.clock import find_zone
from ana.time.dates import day_of
from ana.time.repeats import understand_rule
from ana.time.repeats.words import read_words
from ana.transfer.bundle import Bundle
from ana.transfer.foreign.absolute import read_date
from ana.transfer.records import (
    BadRecord,
    drop_empty,
    item_id,
    make_notes,
    read_each,
    read_modified,
    read_text,
    refusal_error,
    require_few,
    show_path,
)
from ana.values import Properties

Row = dict[str, str]

_PRIORITY = {"1": "high", "2": "medium", "3": "low", "4": None, "": None}
_LABEL = re.compile(r"(?<!\S)@(\S+)")
_WORD = re.compile(r"\S+")
_REPEATS = re.compile(r"every|daily|weekly|monthly|yearly|ev\b", re.IGNORECASE)
_NO_YEAR = "Put into the year nearest to the file's time, because Todoist wrote none"
_CLEAR = re.compile("FREQ=DAILY|BYDAY|BYMONTHDAY")
MOST_COLUMNS = 100
_NUMBERED = re.compile(r"(?<!\s)\s*\[(?:\d+|\w{16})\](?:\s*\(\d+\))?\Z")
"""Todoist's own id after the project's name, and the number of a second download."""


def read(path: Path, zone: tzinfo) -> Bundle:
    """Return the tasks of a project; the file's name is the project's, and its time of writing becomes the items'.

    Raises UserError if it is not such an export, or has lines that cannot be read; they are named.
    """
    rows = list(_iter_rows(path, read_text(path)))
    age = read_modified(path)
    written = datetime.combine(datetime.fromisoformat(age).astimezone(zone), time())
    outline = _Outline(_NUMBERED.sub("", path.stem) or path.stem, zone, written)
    read_each(path, rows, outline.add)

    def make(entry: _Entry) -> Item:
        return check_item(Item(entry.id, "\n".join(entry.lines), entry.properties, age, age))

    items = read_each(path, ((quote(entry.lines[0], 40), entry) for entry in outline.entries), make)
    return Bundle(items, notes=make_notes(_list_losses(items) | {_NO_YEAR: outline.without_year}))


def _list_losses(items: list[Item]) -> dict[str, list[str]]:
    """Return the items with a date that could only be kept as text, by why it could not be read."""
    repeating: list[str] = []
    other: list[str] = []
    for item in items:
        for written in (item.properties.get(name) for name in ("due", "deadline")):
            if isinstance(written, str) and day_of(written) is None:
                which = repeating if _REPEATS.match(written) else other
                which.append(f"{written}: {item.content}")
    return {
        "Kept as text, because it does not say when it is next": repeating,
        "Kept as text, because it does not name one day (Todoist wrote it as it was typed)": other,
    }


def _iter_rows(path: Path, text: str) -> Iterator[tuple[str, Row | BadRecord]]:
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # by default csv refuses cells over 128 KB
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip().upper() for name in next(reader)]
        if not {"TYPE", "CONTENT"} <= set(header):
            hint = "Export the project from Todoist as CSV."
            raise UserError(f"{show_path(path)} has no columns TYPE and CONTENT.", hint)
        if len(header) > MOST_COLUMNS:
            hint = "Export the project from Todoist as CSV."
            raise UserError(f"{show_path(path)} has {len(header):,} columns.", hint)
        begins, count = reader.line_num + 1, 0
        for cells in reader:
            row: Row | BadRecord = dict.fromkeys(header, "") | dict(zip(header, cells, strict=False))
            require_few(path, count := count + 1)
            if any(cells[len(header) :]):
                row = BadRecord(f"it has {len(cells)} cells, the header {len(header)}")
            yield f"line {begins}", row
            begins = reader.line_num + 1
    except csv.Error as exc:
        raise refusal_error(path, [f"line {reader.line_num}: {exc}"]) from exc


@dataclass
class _Entry:
    """A task, or a note without a task; rows below may add to it."""

    id: str
    indent: int
    lines: list[str]
    properties: Properties


class _Outline:
    """The tree of a project's tasks, read row by row."""

    def __init__(self, project: str, zone: tzinfo, written: datetime) -> None:
        self.entries: list[_Entry] = []
        self._project = project
        self._zone = zone
        self._written = written
        self._section = ""
        self.without_year: list[str] = []
        """What was written of a date without its year, with the task."""
        self._above: list[_Entry] = []
        """The task that a note would belong to, and the tasks above it, the outermost first."""
        self._counted: Counter[str] = Counter()

    def add(self, row: Row | BadRecord) -> None:
        """Add a row. Raises BadRecord if Todoist does not write such rows."""
        if isinstance(row, BadRecord):
            raise row
        kind = row["TYPE"].strip().lower()
        if kind == "task":
            self._add_task(row)
        elif kind == "note" and self._above:
            self._above[-1].lines.append(row["CONTENT"].strip())
        elif kind == "note":
            if note := row["CONTENT"].strip():
                self._add_entry(note, 0, [note], {"type": "note"})
        elif kind == "section":
            self._section, self._above = row["CONTENT"].strip(), []
        elif kind not in ("meta", "") or (kind == "" and row["CONTENT"].strip()):
            raise BadRecord(f"its TYPE is {reprlib.repr(row['TYPE'])}")

    def _add_task(self, row: Row) -> None:
        content, written = row["CONTENT"].strip(), row.get("INDENT", "").strip()
        if not content:
            raise BadRecord("it has no CONTENT")
        if written and not (written.isdecimal() and len(written) < 4):
            raise BadRecord(f"its INDENT is {reprlib.repr(written)}")
        indent = int(written or 1)
        self._above = [task for task in self._above if task.indent < indent]
        parent = self._above[-1].id if self._above else None
        description = row.get("DESCRIPTION", "").strip()
        lines = [_strip_labels(content) or content, *([description] if description else [])]
        known = _read_properties(row, self._zone, self._written) | {"parent": parent}
        task = self._add_entry(content, indent, lines, known | self._read_without_year(row, lines[0]))
        self._above.append(task)

    def _read_without_year(self, row: Row, content: str) -> Properties:
        before = _read_date(row, "DATE", self._zone, "due_date", "due")
        after = _read_date(row, "DATE", self._zone, "due_date", "due", self._written.date())
        if before == after:
            return {}
        self.without_year.append(f"{before['due']}: {content}")
        return after | {"due": None}

    def _add_entry(self, content: str, indent: int, lines: list[str], properties: Properties) -> _Entry:
        self._counted[content] += 1  # ids are made from the text, and tasks may repeat it
        id = item_id(f"todoist:{self._project}/{content}#{self._counted[content]}")
        where: Properties = {"project": self._project, "section": self._section}
        entry = _Entry(id, indent, lines, drop_empty(properties | where))
        self.entries.append(entry)
        return entry


def _strip_labels(content: str) -> str:
    end = len(content)
    for word in reversed(list(_WORD.finditer(content))):
        if not _LABEL.fullmatch(word[0]):
            break
        end = word.start()
    return content[:end].rstrip()


def _read_properties(row: Row, zone: tzinfo, since: datetime) -> Properties:
    priority = row.get("PRIORITY", "").strip()
    if priority not in _PRIORITY:
        raise BadRecord(f"its PRIORITY is {reprlib.repr(priority)}")
    duration, unit = (_read_cell(row, name) for name in ("DURATION", "DURATION_UNIT"))
    tags = dict.fromkeys(_LABEL.findall(row["CONTENT"]))  # each once, in order
    return {
        "type": "task",
        "status": "active",
        **(_read_repeat(row, zone, since) or _read_date(row, "DATE", zone, "due_date", "due")),
        "priority": _PRIORITY[priority],
        "tags": list(tags),
        **_read_date(row, "DEADLINE", zone, "deadline", "deadline"),
        "duration": f"{duration} {unit}".strip() if duration else None,
        "responsible": _read_cell(row, "RESPONSIBLE"),
    }


def _read_date(row: Row, column: str, zone: tzinfo, name: str, else_name: str, near: date | None = None) -> Properties:
    """Return a column's date under a name, or its text under another if it is not the date of one day."""
    written = _read_cell(row, column)
    found = read_date(written, _find_zone(row, zone), zone, near)
    return {name: found} if found else {else_name: written}


def _read_repeat(row: Row, zone: tzinfo, since: datetime) -> Properties:
    """Return a date that repeats by a clear rule, with the first day of it from the export on; nothing if it is none.

    Every second week, or every week from some day on, is not clear: no export says when it is next.
    """
    written = _read_cell(row, "DATE").lower()
    text = written.replace("every!", "every")
    said = read_words(text, since.date())
    rule = said.rule if said else ""
    is_elsewhere = "BYHOUR" in rule and _find_zone(row, zone) is not zone
    if "INTERVAL" in rule or is_elsewhere or not _CLEAR.search(rule):
        return {}
    try:
        found = understand_rule(text, since, zone)
    except ToolError:
        return {}
    due = found.first.isoformat(timespec="minutes") if "BYHOUR" in rule else str(found.first.date())
    return {"due_date": due, "repeats": found.rule, "repeat_from": "done" if "every!" in written else None}


def _find_zone(row: Row, zone: tzinfo) -> tzinfo | None:
    name = _read_cell(row, "TIMEZONE")
    return find_zone(name) if name else zone


def _read_cell(row: Row, name: str) -> str:
    """Return the text of a cell; Todoist sometimes writes None into empty ones."""
    text = row.get(name, "").strip()
    return "" if text == "None" else text
