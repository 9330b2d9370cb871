"""A move: everything is copied to the other side and compared; only then the old side is given up and the new one used.

If the process dies meanwhile, the old side is intact, and nobody uses the new one. The next move begins again, or
completes the rest: notes on both sides contain the move's id. Moved data is never deleted from the old side.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from ana.archive.backup import open_place
from ana.archive.copying import Parts, copy, digest_all
from ana.archive.database import open_person, replace_person
from ana.archive.folder import open_folder
from ana.archive.place import Place
from ana.backends.chroma.care.exchange import prepare_exchange
from ana.backends.chroma.care.files import SETTINGS, list_files
from ana.backends.chroma.care.format import NAME as FORMAT_NOTE
from ana.backends.chroma.care.format import MoveNote, read_move, refuse_moved, write_move
from ana.errors import StoreBusy, UserError
from ana.handles import DataHandles, choose_embedder, open_data
from ana.keys import OWNER
from ana.moving.database import depart, list_people, was_moved
from ana.own_files import OWN_NOTES
from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster, Roster
from ana.postgres.database import Database
from ana.postgres.session import Session
from ana.settings import PersonalSettings
from ana.stopping import Progress
from ana.threads.ports import PATIENCE
from ana.workspace import Workspace, is_fixed, open_workspace
from ana.workspace.personal import save_settings
from ana.workspace.private import holds_data

Direction = Literal["database", "folder"]
PROGRAM = "ana move"

_MOVED = "UPDATE people SET moved = ? WHERE number = current_setting('ana.person')::integer"


class Move:
    """The move of one person.

    Args:
        patience: Seconds to wait for those who work in the folder.
    """

    def __init__(self, workspace: Workspace, database: Database, patience: float = PATIENCE) -> None:
        self._workspace, self._folder, self._name = workspace, workspace.folder, workspace.person
        self._database, self._patience = database, patience
        # the owner's folder has the list of all people, whoever is moved
        self._here, self._there = FolderRoster(replace(workspace, person=OWNER)), PostgresRoster(database)

    def run(self, to: Direction, progress: Progress) -> Parts | None:
        """Move everything, or finish an interrupted move, and return its parts; None if the data is there already.

        Raises:
            UserError: The folder is in use, or the target has data of this person.
            StoreBroken: The copy differs from the source; nothing was changed.
            ConfigError: There is no data at the source.
        """
        with self._own_folder(), open_data(self._workspace, PROGRAM) as handles, handles.upkeep.hold_closed():
            earlier, note, parts = read_move(self._folder), _make_note(to), None
            if earlier and earlier.to == to and self._was_committed(earlier):
                note = earlier
            else:
                carry = self._copy_to_database if to == "database" else self._copy_to_folder
                parts = carry(handles, earlier, note, progress)
            if to == "folder":
                handles.upkeep.finish_exchange()
            write_move(self._folder, replace(note, done=True) if to == "database" else None)
        return parts

    def _copy_to_database(
        self, handles: DataHandles, earlier: MoveNote | None, note: MoveNote, progress: Progress
    ) -> Parts:
        if earlier and (earlier.done or earlier.to == "folder"):
            refuse_moved(self._folder)  # it does not have what it had, or never had it
        write_move(self._folder, None)
        with (
            open_place(handles) as source,
            replace_person(self._database, self._name, is_new=True) as (session, _),
            self._open_person(session, source.embedder_name) as target,
        ):
            copy(source, parts := digest_all(source), target, progress)
            session.add(_MOVED, note.id)
            _copy_sign_in(self._here, self._there, self._name)
            # nobody uses the folder from here on, whether the database has it or not
            write_move(self._folder, note)
        return parts

    def _copy_to_folder(
        self, handles: DataHandles, earlier: MoveNote | None, note: MoveNote, progress: Progress
    ) -> Parts:
        traces, is_owner = self._workspace.traces_folder, self._name == OWNER
        if self._holds_something():
            self._refuse_own(earlier)
            handles.upkeep.keep_copy("move", traces)
        if not is_owner:
            (self._folder / SETTINGS).unlink(missing_ok=True)  # those of the database count
        with (
            depart(self._database, self._database.find_person(self._name), note.id) as session,
            self._open_person(session, None) as source,
            prepare_exchange(self._folder, traces) as new,
        ):
            with open_folder(self._workspace, new, source.embedder_name) as target:
                # the owner's settings are not kept in a folder
                copy(source, parts := digest_all(source), target, progress, {"settings": []} if is_owner else {})
            _copy_sign_in(self._there, self._here, self._name)
            if is_owner:
                self._save_owners(source)
            write_move(self._folder, note)  # until this is gone nobody finishes the exchange
        return parts

    def _was_committed(self, note: MoveNote) -> bool:
        """Return whether the database has noted a move; later steps in the folder may still be missing."""
        return was_moved(self._database, self._name, note.id)

    def _refuse_own(self, note: MoveNote | None) -> None:
        """Raise UserError unless everything in a folder is in the database too, because it comes from an earlier
        move.
        """
        if note is None or not (note.done or note.to == "folder" or self._was_committed(note)):
            raise UserError(
                f"The data folder {self._folder} has something of {self._name!r} already; nothing was changed.",
                "Name another ANA_DATA_DIR, or bring that into the database: `ana move database`.",
            )

    @contextmanager
    def _own_folder(self) -> Iterator[None]:
        """Keep everybody else from beginning turns and from delivering reminders."""
        ledger = self._workspace.open_ledger()
        with self._workspace.open_locks().own_all(PROGRAM, self._patience), ledger.deliver_alone() as is_alone:
            if not is_alone():
                raise StoreBusy(f"A program delivers the reminders of {self._folder}.", "Stop that program.")
            yield

    def _open_person(self, session: Session, bound: str | None) -> AbstractContextManager[Place]:
        embedder = choose_embedder(self._workspace, bound)
        return open_person(self._database, session, self._workspace, embedder)

    def _holds_something(self) -> bool:
        """Return whether a folder has data of the person; files that opening it creates do not count."""
        files = list_files(self._folder, self._workspace.traces_folder, self._name)
        return any(file.name not in (FORMAT_NOTE, SETTINGS, *OWN_NOTES) for _, file in files)

    def _save_owners(self, source: Place) -> None:
        """Write the owner's settings into .env, if the owner's state is in a folder."""
        for (fields,) in source.read("settings"):
            own = {name: value for name, value in json.loads(fields).items() if name in PersonalSettings.model_fields}
            values = {name: "" if value is None else str(value) for name, value in own.items()}
            save_settings(self._workspace, {name: value for name, value in values.items() if not is_fixed(name)})


def _copy_sign_in(source: Roster, target: Roster, name: str) -> None:
    """Copy the person's present sign-in data, because a revoked token must not work on the other side."""
    if entry := source.load().get(name):
        with target.change() as listed:
            listed[name] = entry


def _make_note(to: Direction) -> MoveNote:
    return MoveNote(secrets.token_hex(8), to, datetime.now(UTC).isoformat(timespec="seconds"))


def open_moves(database: Database, owner: Workspace, to: Direction) -> dict[str, Move]:
    """Return the moves of all people who have data at the old place, the owner's first."""
    with_folder = [*([OWNER] if holds_data(owner) else []), *owner.list_people()]
    if to == "database":
        names = with_folder
    else:  # of whom a move was cut short, the database says nothing any more
        arriving = [name for name in with_folder if _is_arriving(replace(owner, person=name))]
        names = [*list_people(database), *arriving]
    ordered = sorted({*names}, key=lambda name: (name != OWNER, name))
    return {name: Move(open_workspace(owner.settings, name), database) for name in ordered}


def _is_arriving(workspace: Workspace) -> bool:
    note = read_move(workspace.folder)
    return note is not None and note.to == "folder"
