"""Todoist's CSV export of a project: its tree of sections, tasks and notes as rows that stand for themselves."""

import re
from collections import Counter
from pathlib import Path

from ana.output import quote
from ana.transfer.foreign.columns import Row, Rows
from ana.transfer.foreign.markdown import split_tags
from ana.transfer.records import refusal_error

_NUMBERED = re.compile(r"(?<!\s)\s*\[(?:\d+|\w{16})\](?:\s*\(\d+\))?\Z")
"""Todoist's own id after the project's name, and the number of a second download."""


def read_outline(file: Path, rows: Rows) -> Rows:
    """Return a row for each task, and for each note without one; a task's notes are in its text.

    The file is called as the project. Raises UserError if it has rows that Todoist does not write.
    """
    project, section = _NUMBERED.sub("", file.stem) or file.stem, ""
    above: list[tuple[int, Row]] = []  # a note's task, and the tasks above it, the outermost first, by their indents
    counted: Counter[str] = Counter()
    made, bad = Rows(), list[str]()
    for place, cells in rows:
        row = {name.upper(): "" if value == "None" else str(value).strip() for name, value in cells.items()}
        kind, content, indent = row.get("TYPE", "").lower(), row.get("CONTENT", ""), row.get("INDENT") or "1"
        if kind == "section":
            section, above = content, []
        elif kind == "note" and above:
            above[-1][1]["DESCRIPTION"] = f"{above[-1][1].get('DESCRIPTION', '')}\n{content}".strip()
        elif content and kind in ("task", "note") and indent.isdecimal() and len(indent) < 4:
            counted[content] += 1  # ids are made from the text, and tasks may repeat it
            above = [(depth, task) for depth, task in above if depth < int(indent)]
            title, tags = split_tags(content, "@") if kind == "task" else (content, [])
            told: Row = {"CONTENT": title or content, "tags": [*tags], "INDENT": above[-1][1]["id"] if above else ""}
            id = f"{project}/{content}#{counted[content]}"
            item: Row = {**row, "TYPE": kind, **told, "id": id, "project": project, "section": section}
            above += [(int(indent), item)] if kind == "task" else []
            made.append((place, item))
        elif kind != "meta" and (content or kind not in ("note", "")):
            why = ", ".join(f"{name} {quote(row.get(name, ''), 40)}" for name in ("TYPE", "CONTENT", "INDENT"))
            bad.append(f"{place}: Todoist does not write {why}")
    if bad:
        raise refusal_error(file, bad)
    return made
