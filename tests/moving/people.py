"""People whose folders are moved: what each of them has, of every kind, and what is to be the same afterwards."""

import atexit
import functools
import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr

from ana.handles import open_data
from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.memory.undo import undo
from ana.moving.move import Move
from ana.notes import write_value
from ana.own_files import OWN_NOTES
from ana.people.roster import Entry, FolderRoster
from ana.reminders.ledger import RingKey
from ana.settings import load_settings
from ana.spending.day import DayNote, parse_day
from ana.time.clock import Clock
from ana.transfer.exporter import export_lines
from ana.workspace import Workspace, open_workspace
from ana.workspace.personal import save_settings
from evals.postgres import WORKER
from tests.conftest import BERLIN, WEDNESDAY, folders
from tests.memory.conformance import put
from tests.postgres.server import database, server
from tests.threads.conformance import ONE, STAMP, TWO, say
from tests.threads.test_stores_agree import tell as tell_threads

RING = RingKey("abcdefgh", "2026-01-07T09:00:00+00:00")
ODD = RingKey('an "id" of \U0001f514', "2026-01-08T09:00:00+00:00")


def new_person(path: Path, **more: str) -> Workspace:
    """Return the workspace of somebody who is known to nobody else."""
    return open_workspace(load_settings(folders(path, **more)), f"ann-{secrets.token_hex(6)}")


def make_move(workspace: Workspace) -> Move:
    return Move(workspace, database())


def fill_rest(workspace: Workspace) -> None:
    """Leave something of everything that is neither an item nor a conversation."""
    traces, ledger = workspace.open_traces(), workspace.open_ledger()
    record = {"question": "odd \0 \ud800", "thread_id": ONE, "id": "turn-1", "ts": STAMP}
    traces.put_back(ONE, f"{json.dumps(record)}\n\nhalf a \0 line \x85")
    ledger.note_delivered("here", RING)
    ledger.note_failed("there", ODD, WEDNESDAY, "it was “away”")
    write_value(workspace.note("spending.json"), DayNote("2026-01-07", 0.1 + 0.2, 0.25))
    workspace.storage.add_bills(['{"ts": 1}', '{"ts": 2}'])
    save_settings(workspace, {"ana_timezone": "Asia/Tokyo", "ana_daily_budget_usd": "2.5"})
    workspace.get_calendar_key()
    workspace.note("push-key").write("a key\nof lines")
    for name in ("calendars", "grants"):
        workspace.note(name).write("[]")
    enter(workspace)


def enter(workspace: Workspace) -> None:
    """Write a person into the list of people."""
    with FolderRoster(replace(workspace, person="owner")).change() as listed:
        listed[workspace.person] = Entry(("digest",), "code", 1.5)


def fill_history(memory: Memory) -> None:
    """Leave a journal that has gaps, and at its end something erased."""
    memory.create("Buy milk", {"type": "task", "due_date": "2026-01-08"}, Cause("thread/a/0", ONE, "t0"))
    gone = memory.create("Old", {"n": [1, None, {"a": "ü"}]}, Cause("thread/b/0", ONE, "t1")).id
    put(memory, "odd \udc80 text\0\u2028", {"größe": "\x00", "none": [None], "big": 10**30, "repeats": "FREQ=DAILY"})
    for text in ("Prefers tea", "Lives in Köln", "Has a dog"):
        memory.append_line(text, Cause(f"thread/{text}", TWO, "t2", "assistant Friend"))
    memory.update(gone, "Older", {"n": -0.0})
    memory.delete(gone)
    memory.delete_line(2)
    undo(memory, "t0")
    memory.create("Milk of Anna", {"n": 1, "odd": "x"}, Cause("", "", "import-1", "import"))
    memory.create("Call Anna", {"remind": "2026-01-09T09:00"}, Cause("thread/c/0", ONE, "t3"))
    last = memory.create("Never mind", None, Cause("thread/d/0", ONE, "t4")).id
    memory.delete(last)
    memory.backend.erase([("item", gone), ("item", last)])


def fill(workspace: Workspace) -> None:
    """Leave something of everything."""
    with memory_in(workspace) as memory:
        fill_history(memory)
    fill_threads(workspace)
    fill_rest(workspace)


@functools.cache
def _lived_in() -> Path:
    """A folder with something of everything, for this process: it is copied sooner than it is filled."""
    stack = ExitStack()
    atexit.register(stack.close)
    workspace = new_person(Path(stack.enter_context(TemporaryDirectory())))
    fill(workspace)
    return workspace.folder


def new_person_with_everything(path: Path) -> Workspace:
    """Return the workspace of somebody who is known to nobody else and has something of everything, in a folder."""
    workspace = new_person(path)
    shutil.copytree(_lived_in(), workspace.folder)
    workspace.note("calendar-key").remove()  # a key is one person's
    workspace.get_calendar_key()
    enter(workspace)
    return workspace


def fill_threads(workspace: Workspace) -> None:
    store = workspace.open_thread_store()
    say(store, ONE, "hello", "run-1")
    say(store, TWO, "ask")
    store.set_names({ONE: "at \0 home"})
    store.set_last(TWO)


@contextmanager
def memory_in(workspace: Workspace) -> Iterator[Memory]:
    """Open what a person has in their folder, at a moment that does not pass."""
    with open_data(workspace, "a test") as handles:
        yield Memory(handles.memory.backend, Clock(BERLIN, lambda: WEDNESDAY + timedelta(0)))


def tell(workspace: Workspace) -> dict[str, Any]:
    """Return all that is known of a person, through the doors that everybody uses."""
    store, traces, ledger = workspace.open_thread_store(), workspace.open_traces(), workspace.open_ledger()
    with open_data(workspace, "a test") as handles:
        backend = handles.memory.backend
        return {
            "export": b"".join(export_lines(backend)),
            "journal": backend.entries(),
            "next": (backend.next_line_number(), backend.position(), backend.deletions(), backend.turns()),
            "threads": tell_threads(store) | {"last": store.last(), "traces": [t.trace for t in store.list_trash()]},
            "records": {id: [*traces.iter_attempts(id)] for id in traces.ids()},
            "open": [ledger.list_open(address, [RING, ODD]) for address in ("here", "there")],
            "failing": ledger.get_failing("there"),
            "spent": (parse_day(workspace.note("spending.json").read()), workspace.storage.read_bills()),
            "settings": workspace.storage.read_settings(),
            "notes": [workspace.note(name).read() for name in OWN_NOTES],
        }


def in_database(workspace: Workspace) -> Workspace:
    """Return a workspace of the same person whose state is in the database."""
    return workspace.change(ana_database_url=SecretStr(f"{server()} user={WORKER}"))
