"""Meanings of a table's columns: a short list of known programs; for other programs a person or a model names the
meanings.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ana.errors import UserError
from ana.memory.bounds import is_name
from ana.output import quote
from ana.values import Json, Properties

Row = dict[str, Json]
Rows = list[tuple[str, Row]]
"""Each with its place, such as "line 3"."""

Texts = defaultdict[str, str]
"""The texts of a row by what its columns are, empty for what it does not have."""

ABOVE = "above."
"""Begins the columns that are of the object around a list, such as the name of a list of tasks."""

ROLES = ("title", "text", "due", "start", "done", "list", "tags", "repeats", "leave_out")
"""What a person or a model says of columns. The programs below also name the end, id, zone and so on."""

_PROGRAMS = (
    # its help page "Import or export a project as a CSV file in Todoist"; `todoist.py` tells its tree
    ("todoist", "task", "TYPE; CONTENT", "title: CONTENT; text: DESCRIPTION; due: DATE; deadline: DEADLINE;"
     " zone: TIMEZONE; tags: tags; id: id; parent: INDENT; kind: TYPE; project: project; section: section;"
     " priority: PRIORITY = 1->high, 2->medium, 3->low, 4; duration: DURATION + DURATION_UNIT;"
     " responsible: RESPONSIBLE"),
    # Tasks.json of Google Takeout, whose fields are those of developers.google.com/workspace/tasks/reference/rest
    ("google-tasks", "task", "title; status; updated", "title: title; text: notes; due: due; list: above.title;"
     " done: status = completed, needsAction->active; id: id; updated: updated; parent: parent;"
     " deleted: deleted"),
    # help.ticktick.com, Import and Backup; what a status is stands in the file
    ("ticktick", "task", "List Name; Title; Is Check list", "title: Title; text: Content; due: Due Date;"
     " start: Start Date; done: Status = 0->active, 1, 2; list: List Name; tags: Tags; repeats: Repeat;"
     " created: Created Time; zone: Timezone; all_day: Is All Day;"
     " priority: Priority = 5->high, 3->medium, 1->low, 0"),
    # Outlook's own export, which has the tasks of Microsoft To Do, too
    ("outlook", "task", "Subject; Due Date; Date Completed", "title: Subject; text: Notes; due: Due Date;"
     " start: Start Date; done: Date Completed; tags: Categories; priority: Priority"),
    ("outlook", "event", "Subject; Start Date; End Date", "title: Subject; text: Description; tags: Categories;"
     " start: Start Date + Start Time; end: End Date + End Time; all_day: All day event; location: Location"),
    # Google Takeout, a file for each note
    ("keep", "note", "isTrashed; isArchived", "title: title; text: textContent + listContent; tags: labels;"
     " created: createdTimestampUsec; updated: userEditedTimestampUsec; deleted: isTrashed"),
    # the template of a task list, exported as Markdown & CSV
    ("notion", "", "Name; Status", "title: Name; text: Notes; due: Due + Due date; tags: Tags; created: Created time;"
     " done: Status = Done, Not started->active; *"),
    ("mem0", "note", "memory; created_at", "title: memory; id: id; tags: metadata.category; created: created_at;"
     " updated: updated_at"),
    ("markdown", "note", "title; markdown", "title: title; text: text; due: due; start: start; list: list; tags: tags;"
     " done: done = x, /->in-progress, -->cancelled; repeats: repeats; created: created; kind: markdown; *"),
)  # fmt: skip
"""Its name, the type of what it has, the columns by which it is known, and its columns by what they are. Of values
stands what they mean: `status = completed` is done. With * the other columns are kept under their own names."""


@dataclass(frozen=True)
class Columns:
    """The meanings of a table's columns.

    Args:
        program: The program that wrote them; a part of the ids.
        kind: The type of the items; empty if the columns decide it.
        roles: The columns by their role; several columns of a role are read one after another.
        words: The meanings of values, in lower case, by the role of their column.
        keeps_rest: Whether other columns are kept under their own names.
    """

    program: str = "rows"
    kind: str = ""
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    keeps_rest: bool = True

    def read(self, row: Row) -> Texts:
        """Return the texts of a row by the roles of its columns."""
        texts: Texts = defaultdict(str)
        for role, names in self.roles.items():
            text = ("\n" if role == "text" else " ").join(filter(None, (spell(row.get(name)) for name in names)))
            texts[role] = self.words.get(role, {}).get(text.casefold(), text)
        return texts

    def read_rest(self, row: Row) -> Properties:
        """Return those values of a row that keep their own names."""
        own = {re.sub(r"\W+", "_", name).strip("_").lower(): value for name, value in row.items() if self._keeps(name)}
        texts = {name: each if isinstance(each, int | float) else spell(each) for name, each in own.items()}
        return {name: each for name, each in texts.items() if is_name(name)}

    def describe(self, columns: Iterable[str]) -> list[str]:
        """Return a line about the use of each column of a table."""
        roles = {name: role for role, names in self.roles.items() for name in names if role != "leave_out"}
        lines: dict[str, list[str]] = {role: [] for role in (*self.roles, "kept as they are", "left out")}
        for name in columns:
            lines[roles.get(name, "kept as they are" if self._keeps(name) else "left out")].append(quote(name))
        if done := [quote(word) for word, meaning in self.words.get("done", {}).items() if meaning == "done"]:
            lines["done"].append("where it is " + " or ".join(done))
        return [f"{role.replace('_', ' ')}: {', '.join(names)}" for role, names in lines.items() if names]

    def _keeps(self, column: str) -> bool:
        """Return whether a column is kept under its own name."""
        if not self.keeps_rest or column.startswith(ABOVE):
            return False
        return not any(column in names for names in self.roles.values())


def find_known(columns: Iterable[str]) -> Columns | None:
    """Return the meanings of a table's columns if a known program writes them, in any case."""
    there = {name.casefold(): name for name in columns}
    for program, kind, needs, layout in _PROGRAMS:
        if all(name.casefold() in there for name in needs.split("; ")):
            parts = (part.split(": ") for part in layout.removesuffix("; *").split("; "))
            result = _read({role: names.split(" + ") for role, names in parts}, there)
            return replace(result, program=program, kind=kind, keeps_rest=layout.endswith("*"))
    return None


def read_columns(roles: Mapping[str, Any], columns: Iterable[str], known: Columns | None = None) -> Columns:
    """Read a person's or a model's description of a table's columns.

    Args:
        roles: The columns by role: a name, or a list of names. "Status = Done, Closed" names the values that mean that
            a task is done.
        columns: The columns of the table.
        known: The meanings that are known already.

    Raises:
        UserError: It names a column that the table does not have, or none for the title and the text.
    """
    there = {name.casefold(): name for name in columns}
    if not (roles or known):  # a column may be called what it is
        roles = {role: role for role in ROLES if role in there}
    named = {role: [names] if isinstance(names, str) else names for role, names in roles.items() if names}
    for role, names in named.items():
        if role not in ROLES or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UserError(f"No column can be {quote(role, 40)}.", f"One can be {', '.join(ROLES)}.")
    new, known, choices = _read(named, there), known or Columns(), ", ".join(quote(name, 40) for name in there.values())
    if missing := [name for names in new.roles.values() for name in names if name not in there.values()]:
        raise UserError(f"There is no column {quote(missing[0], 60)}.", f"There are {choices}.")
    whole = replace(known, roles={**known.roles, **new.roles}, words={**known.words, **new.words})
    if not whole.roles.keys() & {"title", "text"}:
        raise UserError("Nothing says which column is the title.", f"`--title COLUMN` says it. There are {choices}.")
    return whole


def _read(named: Mapping[str, Iterable[str]], there: Mapping[str, str]) -> Columns:
    """Return the named columns in the table's own spelling, and the meanings of their values."""
    roles: dict[str, tuple[str, ...]] = {}
    words: dict[str, dict[str, str]] = {}
    for role, names in named.items():
        # a column's own name may have the sign
        parts = [(name, "", "") if name.casefold() in there else name.partition("=") for name in names]
        roles[role] = tuple(there.get(name.strip().casefold(), name.strip()) for name, _, _ in parts)
        meanings = [word.partition("->") for _, _, values in parts for word in values.split(",") if values]
        default = "done" if role == "done" else ""
        if meanings:
            words[role] = {word.strip().casefold(): meaning or default for word, _, meaning in meanings}
    return Columns(roles=roles, words=words)


def spell(value: Json) -> str:
    """Return a value as text: the parts of a list, or a line for each entry of a checklist."""
    match value:
        case list():
            parts = [*filter(None, map(spell, value))]
            return ("\n" if any(part.startswith("- [") for part in parts) else ", ").join(parts)
        case dict():
            text = " ".join(each for each in value.values() if isinstance(each, str))
            ticks = ["x" if each else " " for each in value.values() if isinstance(each, bool)]
            return f"- [{ticks[0]}] {text}" if ticks else text
        case bool():
            return str(value).lower()
        case _:
            return "" if value is None else str(value).strip()
