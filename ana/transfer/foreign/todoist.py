"""Todoist's CSV export of a project as a plain table: its tree of sections, tasks and notes is told in columns."""

import re
import reprlib
from collections import Counter

from ana.transfer.foreign.markdown import split_tags
from ana.transfer.foreign.tables import Row, Rows, Table
from ana.transfer.records import BadRecord

_NUMBERED = re.compile(r"(?<!\s)\s*\[(?:\d+|\w{16})\](?:\s*\(\d+\))?\Z")
"""Todoist's own id after the project's name, and the number of a second download."""


def read_outline(table: Table) -> Table:
    """Return a table with a row for each task, and for each note without one; a task's notes are in its text.

    The file's name is the project's. What Todoist does not write is a row that cannot be read.
    """
    outline = _Outline(_NUMBERED.sub("", table.name) or table.name)
    for place, row in table.rows:
        try:
            if isinstance(row, BadRecord):
                raise row
            outline.add(place, {name.upper(): _read_cell(value) for name, value in row.items()})
        except BadRecord as exc:
            outline.rows.append((place, exc))
    columns = ["CONTENT", "DESCRIPTION", *(name for name in table.columns if name.upper() not in ("TYPE", "INDENT"))]
    return Table(table.name, [*dict.fromkeys(columns)], outline.rows)


class _Outline:
    """The tree of a project's tasks, read row by row."""

    def __init__(self, project: str) -> None:
        self.rows: Rows = []
        self._project = project
        self._section = ""
        self._above: list[tuple[int, Row]] = []
        """The task that a note would belong to, and the tasks above it, the outermost first, with their indents."""
        self._counted: Counter[str] = Counter()

    def add(self, place: str, row: dict[str, str]) -> None:
        """Add a row. Raises BadRecord if Todoist does not write such rows."""
        kind, content = row.get("TYPE", "").lower(), row.get("CONTENT", "")
        if kind == "task":
            self._add_task(place, content, row)
        elif kind == "note" and self._above:
            task = self._above[-1][1]
            task["DESCRIPTION"] = f"{task.get('DESCRIPTION', '')}\n{content}".strip()
        elif kind == "note" and content:
            self._add_row(place, content, {"CONTENT": content, "kind": "note"})
        elif kind == "section":
            self._section, self._above = content, []
        elif kind not in ("meta", "note", "") or (kind == "" and content):
            raise BadRecord(f"its TYPE is {reprlib.repr(row.get('TYPE', ''))}")

    def _add_task(self, place: str, content: str, row: dict[str, str]) -> None:
        written, priority = row.get("INDENT", ""), row.get("PRIORITY", "")
        if not content:
            raise BadRecord("it has no CONTENT")
        if written and not (written.isdecimal() and len(written) < 4):
            raise BadRecord(f"its INDENT is {reprlib.repr(written)}")
        if priority not in ("", "1", "2", "3", "4"):
            raise BadRecord(f"its PRIORITY is {reprlib.repr(priority)}")
        indent = int(written or 1)
        self._above = [(depth, task) for depth, task in self._above if depth < indent]
        title, tags = split_tags(content, "@")
        parent = self._above[-1][1]["id"] if self._above else ""
        duration = {} if row.get("DURATION") else {"DURATION_UNIT": ""}
        task: Row = {**row, **duration, "CONTENT": title or content, "tags": [*tags], "parent": parent}
        self._add_row(place, content, task)
        self._above.append((indent, task))

    def _add_row(self, place: str, content: str, row: Row) -> None:
        self._counted[content] += 1  # ids are made from the text, and tasks may repeat it
        row["id"] = f"{self._project}/{content}#{self._counted[content]}"
        row |= {"project": self._project, "section": self._section}
        self.rows.append((place, row))


def _read_cell(value: object) -> str:
    """Return the text of a cell; Todoist sometimes writes None into empty ones."""
    text = str(value).strip()
    return "" if text == "None" else text
