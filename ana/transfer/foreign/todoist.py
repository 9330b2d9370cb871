"""Todoist's CSV export of a project: its tree of sections, tasks and notes as rows that can be read independently."""

import re
from collections import Counter

from ana.transfer.foreign.columns import Row, Rows
from ana.transfer.foreign.markdown import split_tags

_NUMBERED = re.compile(r"(?<!\s)\s*\[(?:\d+|\w{16})\](?:\s*\(\d+\))?\Z")
"""Todoist's own id after the project's name, and the number of a second download."""


def read_outline(file: str, rows: Rows) -> Rows:
    """Return a row for each task, and for each note without one; a task's notes are in its text.

    The file has the name of the project.
    """
    project, section = _NUMBERED.sub("", file) or file, ""
    above: list[tuple[int, Row]] = []  # a note's task, and the tasks above it, the outermost first, by their indents
    counted: Counter[str] = Counter()
    outline: Rows = []
    for place, cells in rows:
        row = {name.upper(): "" if value == "None" else str(value).strip() for name, value in cells.items()}
        kind, content, indent = row.get("TYPE", "").lower(), row.get("CONTENT", ""), row.get("INDENT", "")
        if kind == "section":
            section, above = content, []
        elif kind == "note" and above:
            above[-1][1]["DESCRIPTION"] = f"{above[-1][1].get('DESCRIPTION', '')}\n{content}".strip()
        elif kind != "meta" and any(row.values()):
            counted[content] += 1  # ids are made from the text, and tasks may repeat it
            depth = int(indent) if indent.isdecimal() and len(indent) < 4 else 1
            above = [(each, task) for each, task in above if each < depth]
            title, tags = (content, []) if kind == "note" else split_tags(content, "@")
            fields: Row = {"CONTENT": title or content, "tags": [*tags], "INDENT": above[-1][1]["id"] if above else ""}
            id = f"{project}/{content}#{counted[content]}"
            item: Row = {**row, "TYPE": kind, **fields, "id": id, "project": project, "section": section}
            above += [(depth, item)] if kind == "task" else []
            outline.append((place, item))
    return outline
