"""Meanings of a table's columns: a short list of known programs; for other programs a person or a model names the
meanings.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ana.errors import UserError
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


class Program(NamedTuple):
    """A program that writes tables: the columns by which it is known, and its columns by what they are. Of values
    stands what they mean: `status = completed` is done. With * the other columns are kept under their own names.
    """

    name: str
    kind: str  # the type of its items; empty if the columns decide it
    needs: str
    layout: str


_ANY = Program("rows", "", "", "*")
_PROGRAMS = [Program(*each) for each in (
    # its help page "Import or export a project as a CSV file in Todoist"; `tables.py` reads its tree
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
)]  # fmt: skip


@dataclass(frozen=True)
class Columns:
    """The meanings of a table's columns.

    Args:
        program: The program that wrote them.
        roles: The roles of columns that have one; the texts of those with the same role are joined.
        words: The meanings of values, in lower case, by the role of their column.
    """

    program: Program
    roles: Mapping[str, str]
    words: Mapping[str, Mapping[str, str]]

    def read(self, row: Row) -> Texts:
        """Return the texts of a row by the roles of its columns."""
        texts: Texts = defaultdict(str)
        for column, role in self.roles.items():
            parts = (texts[role], spell(row.get(column)))
            texts[role] = ("\n" if role == "text" else " ").join(filter(None, parts))
        for role, words in self.words.items():
            texts[role] = words.get(texts[role].casefold(), texts[role])
        return texts

    def read_rest(self, row: Row) -> Properties:
        """Return those values of a row that keep the names of their columns, in small letters."""
        rest = {name: each if isinstance(each, int | float) else spell(each) for name, each in row.items()}
        own = {re.sub(r"\W+", "_", name).strip("_").lower() or name: name for name in rest if not self._find_role(name)}
        return {short: rest[name] for short, name in own.items()}

    def describe(self, columns: Iterable[str]) -> list[str]:
        """Return a line about the use of each column of a table."""
        names: dict[str, list[str]] = {role: [] for role in (*self.roles.values(), "", "leave_out")}
        for column in columns:
            names[self._find_role(column)].append(quote(column))
        if done := [quote(word) for word, meaning in self.words.get("done", {}).items() if meaning == "done"]:
            names["done"].append("where it is " + " or ".join(done))
        labels = {role: role.replace("_", " ") for role in names} | {"": "kept as they are", "leave_out": "left out"}
        return [f"{labels[role]}: {', '.join(each)}" for role, each in names.items() if each]

    def _find_role(self, column: str) -> str:
        """Return the role of a column; none if it is kept under its own name."""
        keeps_name = self.program.layout.endswith("*") and not column.startswith(ABOVE)
        return self.roles.get(column, "" if keeps_name else "leave_out")


def find_known(columns: Iterable[str]) -> Program | None:
    """Return the program that writes a table with these columns, in any case, if it is a known one."""
    there = {name.casefold() for name in columns}
    return next((each for each in _PROGRAMS if there.issuperset(each.needs.casefold().split("; "))), None)


def read_columns(roles: Mapping[str, Any], columns: Iterable[str], program: Program | None = None) -> Columns:
    """Return the meanings of a table's columns.

    Args:
        roles: What a person or a model says, the columns by role: a name, or a list of names. "Status = Done, Closed"
            names the values that mean that a task is done.
        columns: The columns of the table.
        program: The program that wrote it, if it is known.

    Raises:
        UserError: It names a column that the table does not have, or none for the title and the text.
    """
    there, program = {name.casefold(): name for name in columns}, program or _ANY
    if not roles and program is _ANY:  # a column may be called what it is
        roles = {role: role for role in ROLES if role in there}
    named = {role: [names] if isinstance(names, str) else names for role, names in roles.items() if names}
    for role, names in named.items():
        if role not in ROLES or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise UserError(f"No column can be {quote(role, 40)}.", f"One can be {', '.join(ROLES)}.")
    known = dict(part.split(": ") for part in program.layout.split("; ") if ": " in part)
    layout = named | {role: names.split(" + ") for role, names in known.items() if role not in named}
    result = _read(program, layout, there)
    choices = ", ".join(quote(name, 40) for name in there.values())
    if missing := [name for name, role in result.roles.items() if role in named and name not in there.values()]:
        raise UserError(f"There is no column {quote(missing[0], 60)}.", f"There are {choices}.")
    if not {"title", "text"} & {*result.roles.values()}:
        raise UserError("Nothing says which column is the title.", f"`--title COLUMN` says it. There are {choices}.")
    return result


def _read(program: Program, layout: Mapping[str, Iterable[str]], there: Mapping[str, str]) -> Columns:
    roles: dict[str, str] = {}
    words: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for role, name in ((role, name) for role, names in layout.items() for name in names):
        # a column's own name may have the sign
        column, _, values = (name, "", "") if name.casefold() in there else name.partition("=")
        roles.setdefault(there.get(column.strip().casefold(), column.strip()), role)
        for word, _, meaning in (each.partition("->") for each in values.split(",") if values):
            words[role][word.strip().casefold()] = meaning or ("done" if role == "done" else "")
    return Columns(program, roles, words)


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
