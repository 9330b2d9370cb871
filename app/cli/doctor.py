"""`ana doctor`: check all stored data, and repair it."""

from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.progress import SpinnerColumn, TextColumn

from ana.errors import FileUnreadable, StoreBroken, UserError
from ana.files import find_damage
from ana.handles import DataHandles, open_data
from ana.memory.changes import Change, Kind, find_disagreements
from ana.memory.receipts import quote_record
from ana.models.parameters import REFUSED, describe_refused
from ana.notes import read_note
from ana.output import tell, write_json, write_line
from ana.settings import PROJECT
from ana.threads.folder import NAMES, THREADS
from ana.time.repeats import ALSO, read_repeat
from ana.workspace import Workspace
from ana.workspace.private import find_exposed
from app.embedder import describe_missing_embedder, suggest_embedder
from app.reminding import describe_failing
from app.services import describe as describe_service
from app.serving import refuse_while_serving
from app.show.progress import make_bar
from app.show.text import pluralize
from app.startup import start

if TYPE_CHECKING:
    from ana.backends.chroma.care.examine import Findings


KINDS: dict[Kind, str] = {"item": "item", "line": "context line"}
"""Names of the kinds of records."""


def doctor(
    repair: Annotated[bool, typer.Option("--repair", help="Repair problems; damaged files are set aside.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check that all stored data is readable, can be found and agrees with the journal. Exit code 1 if not."""
    diagnosis = diagnose(start(), repair=repair)
    if json_:
        write_json(diagnosis.to_json())
    else:
        show_diagnosis(diagnosis, repaired=repair)
    if diagnosis.faults:
        raise typer.Exit(1)


@dataclass
class Diagnosis:
    """The state of a data folder.

    Args:
        faults: Problems, one sentence each.
        notes: Harmless observations.
        counts: The number of each kind of thing.
        claim: What was verified for every record.
    """

    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    claim: str = "readable, found by its own vector and in agreement with the journal"

    @property
    def verdict(self) -> str:
        """Return everything in one line."""
        if self.faults:
            return f"{pluralize(len(self.faults), 'fault')}."
        counts = ", ".join(pluralize(count, kind) for kind, count in self.counts.items())
        return f"All is well: {counts}; every record is {self.claim}."

    def to_json(self) -> dict[str, Any]:
        return {"sound": not self.faults, "faults": self.faults, "notes": self.notes, "counts": self.counts}


def diagnose(workspace: Workspace, *, repair: bool = False) -> Diagnosis:
    """Examine everything, showing progress on standard error.

    Args:
        repair: Whether to repair first; the diagnosis then lists remaining problems.
    """
    if workspace.has_database:
        return _diagnose_rows(workspace, repair=repair)
    owned = workspace.open_locks().own_all("ana doctor") if repair else nullcontext()
    with owned, open_data(workspace, "ana doctor") as handles, handles.upkeep.hold_closed():
        unusable = handles.upkeep.find_damage()
        damaged = unusable | _damaged_files(handles.upkeep.path)
        if repair and THREADS in damaged:
            refuse_while_serving(workspace, "repair")
        if repair and damaged:
            for name in damaged:
                tell(f"{name} is set aside in {handles.upkeep.set_aside(name)}.")
            damaged = {}
        elif unusable:
            return Diagnosis(faults=list(damaged.values()))
        findings = _examine(handles)
        if repair and not findings.is_sound:
            handles.upkeep.repair(findings)
            findings = _examine(handles)
        return _summarize(handles, findings, damaged)


def _diagnose_rows(workspace: Workspace, *, repair: bool) -> Diagnosis:
    """Compare a person's records in the database with the journal; the database server looks after its files."""
    if repair:
        raise UserError("ana does not repair a database.", "Restore a dump of it: docs/operating.md.")
    diagnosis = Diagnosis(claim="readable and in agreement with the journal")
    with open_data(workspace, "ana doctor") as handles:
        backend = handles.memory.backend
        for kind, name in KINDS.items():
            with backend.reading():
                changes = find_disagreements(kind, backend.scan(kind), backend.latest(kind))
                diagnosis.counts[name] = backend.count(kind)
            diagnosis.faults += map(_describe_disagreement, changes)
        diagnosis.notes += [*_describe_outside(workspace), *_name_unread_rules(handles)]
    conversations = _examine_conversations(workspace)
    diagnosis.notes += conversations.notes
    diagnosis.counts |= conversations.counts
    return diagnosis


def show_diagnosis(diagnosis: Diagnosis, *, repaired: bool) -> None:
    """Print a diagnosis for people."""
    for fault in diagnosis.faults:
        write_line(f"- {fault}")
    for note in diagnosis.notes:
        write_line(f"  {note}")
    hint = " This could not be repaired." if repaired else " `ana doctor --repair` repairs what can be repaired."
    write_line(diagnosis.verdict + (hint if diagnosis.faults else ""))


def _examine(handles: DataHandles) -> "Findings":
    with make_bar(SpinnerColumn(), TextColumn("examined {task.completed} records")) as bar:
        task = bar.add_task("", total=None)
        return handles.upkeep.examine(lambda more: bar.update(task, advance=more))


def _summarize(handles: DataHandles, findings: "Findings", damaged: dict[str, str]) -> Diagnosis:
    faults = [*damaged.values(), *findings.store]
    faults += [f"{kind} {id} cannot be read." for kind, id in findings.unreadable]
    faults += findings.index
    faults += map(_describe_disagreement, findings.journal)
    notes = [f"These say the same: {', '.join(ids)}." for ids in findings.duplicates]
    notes += [f"Item {id} was stored by another program; ana reads it as it is." for id in findings.foreign]
    notes += [f"{name} does not belong to anything." for name in findings.orphans]
    exposed = find_exposed(handles.workspace)
    notes += [f"{path} can be read by others, and only its owner can change that." for path in exposed]

    notes += _describe_outside(handles.workspace)
    notes += [line] if (line := suggest_embedder(handles.workspace)) else []
    notes += _name_unread_rules(handles) if not faults else []
    faults += [line] if (line := describe_missing_embedder(handles.workspace)) else []
    counts = {name: findings.counts.get(kind, 0) for kind, name in KINDS.items()}
    if THREADS not in damaged:
        conversations = _examine_conversations(handles.workspace)
        notes += conversations.notes
        counts |= conversations.counts
    return Diagnosis(faults, notes, counts)


def _describe_outside(workspace: Workspace) -> list[str]:
    """Return a sentence on what the system runs, and on each external service that does not work as configured."""
    runs = [line] if (line := describe_service()) else []
    return [*runs, *describe_failing(workspace), *describe_refused(workspace.note(REFUSED).read())]


def _describe_disagreement(change: Change) -> str:
    recorded, stored = quote_record(change.before), quote_record(change.after)
    return f"{change.kind} {change.id}: the journal says {recorded}, the store has {stored}."


def _name_unread_rules(handles: DataHandles) -> list[str]:
    """Return a sentence for each item with an unreadable rule of repetition."""
    zone = handles.clock.zone
    unread = (
        item
        for item in handles.memory.items()
        if item.properties.get("repeats") and read_repeat({**item.properties, ALSO: None}, zone) is None
    )
    return [f"Item {item.id} is repeated, but its rule or its date cannot be read." for item in unread]


def _examine_conversations(workspace: Workspace) -> Diagnosis:
    store, traces = workspace.open_thread_store(), workspace.open_traces()
    threads, recorded = store.ids(), traces.ids()
    known = {*threads, *store.names()}  # another assistant's conversation has a name and no checkpoint
    notes = [
        f"The trace {id}.jsonl belongs to a conversation that does not exist." for id in recorded if id not in known
    ]
    lines = {id: len(traces.read_text(id).splitlines()) for id in recorded}
    broken = {id: count - sum(1 for _ in traces.iter_attempts(id)) for id, count in lines.items()}
    notes += [f"{id}.jsonl: {count} lines cannot be read." for id, count in broken.items() if count]
    old = PROJECT / "traces"  # where an early version kept all of them
    if old != workspace.traces_folder and (odd := [id for id in threads if (old / f"{id}.jsonl").exists()]):
        notes.append(f"{old} holds {pluralize(len(odd), 'trace')} of conversations that are here; move them here too.")
    return Diagnosis(notes=notes, counts={"conversation": len(threads), "trace": len(recorded)})


def _damaged_files(path: Path) -> dict[str, str]:
    """Return a sentence for each damaged file of conversations."""
    problem = find_damage(path / THREADS)
    damaged = {THREADS: f"{THREADS} is damaged: {problem}."} if problem else {}
    try:
        read_note(path / NAMES, dict[str, str])
    except FileUnreadable:
        raise
    except StoreBroken as exc:
        damaged[NAMES] = exc.message
    return damaged
