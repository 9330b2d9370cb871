"""`ana doctor`: whether everything that is kept is whole, and mending what is not."""

import json
import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ana.backends.chroma.care.examine import Findings, examine
from ana.backends.chroma.care.rebuild import set_aside
from ana.backends.chroma.care.repair import repair
from ana.handles import opened
from ana.settings import Settings
from ana.tracing.traces import count_broken_lines
from app.show.text import counted, short

if TYPE_CHECKING:
    from ana.handles import FolderHandles

DATABASES = ("journal.sqlite", "threads.sqlite")
NAMES = "thread_names.json"


@dataclass
class Diagnosis:
    """What was found in a data folder.

    Args:
        faults: What is wrong, a sentence each.
        notes: What is worth knowing and harms nobody.
        counts: How many there are of what.
    """

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """All of it in one line."""
        if self.faults:
            return f"{counted(len(self.faults), 'fault')}."
        told = ", ".join(counted(count, what) for what, count in self.counts.items())
        return f"All is well: {told}; every record is readable, found by its own vector and as the journal says."

    def to_json(self) -> dict[str, Any]:
        return {"sound": not self.faults, "faults": self.faults, "notes": self.notes, "counts": self.counts}


def diagnosed(settings: Settings, *, mend: bool = False) -> Diagnosis:
    """Look at everything, showing progress on standard error.

    Args:
        settings: Where it lies.
        mend: Whether what is wrong is put right as far as it can be; what is wrong still is found then.
    """
    with opened(settings, "ana doctor") as handles, handles.backend.folder.hold_closed():
        damaged = _damaged_files(settings.ana_data_dir)
        if mend and damaged:
            for name in damaged:
                print(f"{name} is set aside in {set_aside(settings.ana_data_dir, name)}.", file=sys.stderr)
            damaged = {}
        if "journal.sqlite" in damaged:
            return Diagnosis(faults=list(damaged.values()))
        found = _examined(handles)
        if mend and not found.is_sound:
            repair(handles.backend, found)
            found = _examined(handles)
        return _diagnosis(handles, found, damaged)


def show_diagnosis(found: Diagnosis, *, mend: bool) -> None:
    """Print it for people."""
    for fault in found.faults:
        print(f"- {fault}")
    for note in found.notes:
        print(f"  {note}")
    hint = " This could not be mended." if mend else " `ana doctor --repair` mends what can be mended."
    print(found.verdict + (hint if found.faults else ""))


def _examined(handles: "FolderHandles") -> Findings:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("looked at {task.completed} records"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        return examine(handles.backend, lambda more: bar.update(task, advance=more))


def _diagnosis(handles: "FolderHandles", found: Findings, damaged: dict[str, str]) -> Diagnosis:
    told = Diagnosis(list(damaged.values()))
    told.faults += found.store
    told.faults += [f"{kind} {row.id} cannot be read." for kind, row in found.unreadable]
    told.faults += found.index
    for change in found.journal:
        said, there = (f"“{short(side.content, 40)}”" if side else "nothing" for side in (change.before, change.after))
        told.faults.append(f"{change.kind} {change.id}: the journal says {said}, the store has {there}.")
    told.notes += [f"These say the same: {', '.join(ids)}." for ids in found.duplicates]
    told.notes += [f"{name} belongs to nothing." for name in found.orphans]
    if "threads.sqlite" not in damaged:
        told.notes += _about_conversations(handles.settings, told.counts)
    return Diagnosis(told.faults, told.notes, {"item": found.counts.get("item", 0)} | _lines(found) | told.counts)


def _lines(found: Findings) -> dict[str, int]:
    return {"context line": found.counts.get("line", 0)}


def _about_conversations(settings: Settings, counts: dict[str, int]) -> list[str]:
    from graph.checkpoints import thread_ids

    threads = thread_ids(settings.ana_data_dir / "threads.sqlite")
    files = sorted(settings.traces_dir.glob("*.jsonl"))
    counts |= {"conversation": len(threads), "trace": len(files)}
    orphans = [file.name for file in files if file.stem not in threads]
    notes = [f"The trace {name} is of a conversation that is not there." for name in orphans]
    return notes + [f"{file.name}: {n} lines cannot be read." for file in files if (n := count_broken_lines(file))]


def _damaged_files(path: Path) -> dict[str, str]:
    """What is wrong with each file beside Chroma."""
    told = {name: _database_problem(path / name) for name in DATABASES} | {NAMES: _json_problem(path / NAMES)}
    return {name: f"{name} is damaged: {problem}." for name, problem in told.items() if problem}


def _database_problem(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path, timeout=10)) as db:
            said = str(db.execute("PRAGMA quick_check").fetchone()[0])
            db.execute("SELECT name FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as exc:
        return str(exc)
    return None if said == "ok" else said


def _json_problem(path: Path) -> str | None:
    if not path.exists():
        return None
    try:
        json.loads(path.read_text())
    except (OSError, ValueError) as exc:
        return str(exc)
    return None
