"""A backup of a folder or a database, brought into either: everything is the same, or nothing has changed."""

import secrets
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ana.archive.backup import back_up
from ana.archive.restore import restore
from ana.backends.chroma.care.files import copy_files
from ana.errors import ConfigError, StoreBroken, StoreBusy, UserError
from ana.handles import open_data
from ana.moving.move import Move
from ana.people import People
from ana.postgres.database import WRITE
from ana.settings import load_settings
from ana.spending.day import DayNote
from ana.tables import Statement
from ana.workspace import Workspace, open_workspace
from tests.conftest import folders
from tests.moving.people import in_database, memory_in, new_person, new_person_with_everything, tell
from tests.postgres.server import database
from tests.threads.conformance import ONE, say

Place = Callable[[Workspace], Workspace]


@pytest.fixture
def ann(tmp_path: Path) -> Workspace:
    """Somebody who has something of everything, in a folder."""
    return new_person_with_everything(tmp_path)


def in_folder(workspace: Workspace) -> Workspace:
    return workspace


def write(workspace: Workspace, to: Path) -> Path:
    with open_data(workspace, "a test") as handles:
        back_up(handles, to)
    return to


def write_earlier(workspace: Workspace, to: Path) -> Path:
    """Write a backup as an earlier version did."""
    with open_data(workspace, "a test") as handles, handles.upkeep.hold_closed():
        copy_files(workspace.folder, workspace.traces_folder, copied := to.with_suffix(""), workspace.person)
    with zipfile.ZipFile(to, "w") as archive:
        for file in filter(Path.is_file, copied.rglob("*")):
            archive.write(file, str(file.relative_to(copied)))
    return to


def bring_back(workspace: Workspace, backup: Path, source: str | None = None) -> str:
    with workspace.open_locks().own_all("a test"), open_data(workspace, "a test") as handles:
        return restore(handles, backup, source, lambda *_: None)[0]


def new_place(ann: Workspace, path: Path) -> Workspace:
    """Return a workspace of the same person in another folder."""
    return open_workspace(load_settings(folders(path)), ann.person)


@pytest.mark.parametrize("written", [write, write_earlier])
def test_a_backup_of_a_folder_comes_into_a_database_and_from_there_into_a_folder(
    ann: Workspace, tmp_path: Path, written: Callable[[Workspace, Path], Path]
) -> None:
    before = tell(ann)
    there = in_database(ann)
    bring_back(there, written(ann, tmp_path / "a.zip"))
    assert tell(in_database(ann)) == before
    assert People(there.settings).find_by_calendar_key(ann.get_calendar_key()) is None, "nobody of that name is listed"
    other = new_place(ann, tmp_path / "other")
    bring_back(other, write(in_database(ann), tmp_path / "b.zip"))
    assert tell(other) == before
    with zipfile.ZipFile(tmp_path / "a.zip") as first, zipfile.ZipFile(write(other, tmp_path / "c.zip")) as last:
        names = {*last.namelist()} - {"backup.json", "items.f32", "items.jsonl", "lines.f32", "lines.jsonl"}
        assert written is write_earlier or all(first.read(name) == last.read(name) for name in names)


@pytest.mark.parametrize("place", [in_folder, in_database])
def test_what_came_later_is_kept_beside_and_comes_back(ann: Workspace, tmp_path: Path, place: Place) -> None:
    if place is in_database:
        Move(ann, database()).run("database", lambda *_: None)
    before, backup = tell(place(ann)), write(place(ann), tmp_path / "a.zip")
    with memory_in(place(ann)) as memory:
        memory.create("Later")
    say(place(ann).open_thread_store(), ONE, "later")
    number = database().find_person(ann.person) if place is in_database else 0
    aside = bring_back(place(ann), backup)
    assert tell(place(ann)) == before
    if place is in_folder:
        bring_back(ann, Path(aside))
    else:
        assert aside.startswith(f"the database, as '{ann.person} ")
        gone = pytest.raises(StoreBroken, match="The person was removed")
        with gone, database().transaction(number, WRITE) as session:
            session.ask("SELECT 1")  # as of a process that has known the person for long
        with database().connect() as connection:
            for change in (("gone away", ann.person), (ann.person, aside.split("'")[1])):
                connection.execute("UPDATE people SET name = $1 WHERE name = $2", change)
            connection.execute("DELETE FROM people WHERE name = 'gone away'")
    with memory_in(place(ann)) as memory:
        assert "Later" in [item.content for item in memory.items()]


@pytest.mark.parametrize("place", [in_folder, in_database])
def test_keys_and_what_was_spent_and_rang_since_stay(ann: Workspace, tmp_path: Path, place: Place) -> None:
    backup = write(ann, tmp_path / "a.zip")
    bring_back(place(ann), backup)
    workspace = place(ann)
    key = workspace.get_calendar_key(change=True)
    rung = tell(workspace)["open"]
    workspace.storage.add_bills(['{"ts": 3}'])
    spent = tell(workspace)["spent"]
    bring_back(workspace, backup)
    told = tell(place(ann))
    assert (place(ann).get_calendar_key(), told["open"], told["spent"]) == (key, rung, spent)


def test_nothing_between_another_person_and_the_world_comes_over(ann: Workspace, tmp_path: Path) -> None:
    before, backup = tell(ann), write(ann, tmp_path / "a.zip")
    for place in (in_folder, in_database):
        ben = place(new_person(tmp_path / secrets.token_hex(4)))
        with pytest.raises(UserError, match=f"is a backup of what '{ann.person}' has"):
            bring_back(ben, backup)
        bring_back(ben, backup, ann.person)
        told = tell(place(ben))
        assert [told[name] for name in ("export", "threads", "records")] == [
            before[name] for name in ("export", "threads", "records")
        ]
        assert not any(told["notes"])
        note, lines = told["spent"]
        assert (told["settings"], told["failing"], note or DayNote("", 0), lines) == (None, None, DayNote("", 0), "")


def test_a_restore_waits_for_nobody_who_waits_for_an_answer(ann: Workspace, tmp_path: Path) -> None:
    backup = write(ann, tmp_path / "a.zip")
    bring_back(in_database(ann), backup)
    before, rows = tell(in_database(ann)), in_database(ann).rows
    wait = "INSERT INTO runs (id, thread, lane, asked, size, is_kept) VALUES ('run', ?, 0, '{}', 2, true)"
    rows.change(Statement(wait, [ONE]))
    with pytest.raises(StoreBusy, match="waits for its answer"):
        bring_back(in_database(ann), backup)
    rows.change(Statement("UPDATE runs SET done = true"))
    with in_database(ann).open_ledger().deliver_alone(), pytest.raises(StoreBusy, match="delivers their reminders"):
        bring_back(in_database(ann), backup)
    assert tell(in_database(ann)) == before


@pytest.mark.parametrize("place", [in_folder, in_database])
def test_what_does_not_arrive_changes_nothing(
    ann: Workspace, tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = write(ann, tmp_path / "a.zip")
    bring_back(place(ann), backup)
    before = tell(place(ann))
    monkeypatch.setattr("ana.archive.place.Place.write", lambda *_: None)
    with pytest.raises(StoreBroken, match="differs from the source: checkpoints, writes"):
        bring_back(place(ann), backup)
    assert tell(place(ann)) == before


def test_a_folder_that_was_moved_away_is_not_restored_into(ann: Workspace, tmp_path: Path) -> None:
    backup = write(ann, tmp_path / "a.zip")
    Move(ann, database()).run("database", lambda *_: None)
    with pytest.raises(ConfigError, match="was moved to a database"):
        bring_back(ann, backup)
