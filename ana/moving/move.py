"""A move: everything is copied and compared first; only then the one side is given up, and the other one used.

Whoever dies meanwhile leaves the side whole that is moved, and nobody uses the other one. The next move begins again,
or does what was left: notes on both sides carry a move's id. Nothing of what was moved is ever deleted.
"""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from ana.backends.chroma.care.format import MoveNote, read_move, write_move
from ana.backends.postgres.backend import PostgresBackend
from ana.backends.postgres.whole import WholePostgres
from ana.embedders import Embedder
from ana.errors import StoreBusy, UserError
from ana.handles import open_data
from ana.keys import OWNER
from ana.moving import database as rows
from ana.moving.copying import Side, compare, copy, count
from ana.moving.database import DatabaseRows
from ana.moving.folder import PROGRAM, exchange, list_held, open_folder, put_aside
from ana.own_files import ARRIVING
from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster, Roster
from ana.postgres.database import READ, Database
from ana.postgres.session import Session
from ana.progress import Progress
from ana.settings import PersonalSettings
from ana.threads.ports import PATIENCE
from ana.workspace import Workspace, is_fixed
from ana.workspace.personal import save_settings

Direction = Literal["database", "folder"]


class Move:
    """The move of one person.

    Args:
        patience: Seconds to wait for those who work in the folder.
    """

    def __init__(self, workspace: Workspace, database: Database, patience: float = PATIENCE) -> None:
        self._workspace, self._folder, self._name = workspace, workspace.folder, workspace.person
        self._database, self._patience = database, patience
        # the list is the deployment's: of the owner's folder
        self._here, self._there = FolderRoster(replace(workspace, person=OWNER)), PostgresRoster(database)

    def count(self, to: Direction) -> dict[str, int] | None:
        """Return how much there is to move; None if it is there already. Errors as of `run`."""
        note = read_move(self._folder)
        if note and (self._is_in_database(note) if to == "database" else self._is_in_folder(note)):
            return None
        if to == "database":
            self._refuse_unless_whole(note)
            with open_folder(self._workspace) as side:
                return count(side)
        number, embedder = self._database.find_person(self._name), self._workspace.build_embedder()
        with self._database.transaction(number, READ) as session, self._open_side(session, embedder) as side:
            return count(side)

    def run(self, to: Direction, progress: Progress) -> None:
        """Move everything, or finish what was cut short.

        Raises:
            UserError: The folder is in use, or there is something of this person where it goes.
            StoreBroken: What arrived is not what was there; nothing was changed.
            ConfigError: There is nothing where it comes from.
        """
        with self._own_folder():
            (self._to_database if to == "database" else self._to_folder)(progress)

    def _to_database(self, progress: Progress) -> None:
        note = read_move(self._folder)
        if note is None or not self._is_in_database(note):
            self._refuse_unless_whole(note)
            write_move(self._folder, None)
            note = _make_note("database")
            self._copy_to_database(note, progress)
        write_move(self._folder, replace(note, done=True))

    def _copy_to_database(self, note: MoveNote, progress: Progress) -> None:
        number = rows.prepare(self._database, self._name, note.id)
        with open_folder(self._workspace) as source, rows.arrive(self._database, number, note.id) as session:
            with self._open_side(session, source.store.embedder) as target:
                copy(source, target, progress)
                compare(source, target)
            _copy_sign_in(self._here, self._there, self._name)
            write_move(self._folder, note)  # nobody uses the folder from here on, whether the database has it or not

    def _to_folder(self, progress: Progress) -> None:
        staged = self._workspace.move(self._folder / ARRIVING)
        with open_data(self._workspace, PROGRAM) as handles, handles.upkeep.hold_closed():
            note = read_move(self._folder)
            if note is None or not self._is_in_folder(note):
                self._refuse_own(note)
                shutil.rmtree(self._folder / ARRIVING, ignore_errors=True)
                self._copy_to_folder(staged, _make_note("folder"), progress)
            exchange(staged, self._workspace)
            os.sync()
            write_move(self._folder, None)
            shutil.rmtree(self._folder / ARRIVING, ignore_errors=True)

    def _copy_to_folder(self, staged: Workspace, note: MoveNote, progress: Progress) -> None:
        with rows.depart(self._database, self._database.find_person(self._name), note.id) as session:
            with open_folder(staged) as target, self._open_side(session, target.store.embedder) as source:
                copy(source, target, progress)
                compare(source, target)
            _copy_sign_in(self._there, self._here, self._name)
            self._save_owners(session)
            os.sync()
            write_move(self._folder, note)
            put_aside(self._workspace, f"moved-{note.id}")

    def _is_in_database(self, note: MoveNote) -> bool:
        """Return whether a move into the database was made; its note may still have to say so."""
        place = rows.find_place(self._database, self._name)
        return note.to == "database" and place is not None and place.away is None and place.moved == note.id

    def _is_in_folder(self, note: MoveNote) -> bool:
        """Return whether a move into the folder was made; its files may still have to be exchanged."""
        place = rows.find_place(self._database, self._name)
        return note.to == "folder" and place is not None and place.away == note.id

    def _refuse_unless_whole(self, note: MoveNote | None) -> None:
        """Raise UserError if a folder does not have what it had, or never had it."""
        if note and note.to == "folder":
            raise UserError("A move into this data folder was cut short.", "`ana move folder` finishes it.")
        if note and note.done:
            raise UserError(
                f"What was in the data folder {self._folder} was moved to a database on {note.at[:10]}, and is not in"
                " this one.",
                "Set ANA_DATABASE_URL to that one.",
            )

    def _refuse_own(self, note: MoveNote | None) -> None:
        """Raise UserError if a folder has what no move has brought elsewhere."""
        is_elsewhere = note and (note.to == "folder" or note.done or self._is_in_database(note))
        if not is_elsewhere and list_held(self._workspace):
            raise UserError(
                f"The data folder {self._folder} has something of {self._name!r} already; nothing was changed.",
                "Name another ANA_DATA_DIR, or bring that into the database: `ana move database`.",
            )

    @contextmanager
    def _own_folder(self) -> Iterator[None]:
        """Keep everybody else from beginning a turn, and from delivering reminders."""
        ledger = self._workspace.open_ledger()
        with self._workspace.open_locks().own_all(PROGRAM, self._patience), ledger.deliver_alone() as is_alone:
            if not is_alone():
                raise StoreBusy(f"A program delivers the reminders of {self._folder}.", "Stop that program.")
            yield

    @contextmanager
    def _open_side(self, session: Session, embedder: Embedder) -> Iterator[Side]:
        backend = PostgresBackend(self._database, self._name, embedder)
        with backend.bound.bind(session, writes=True):
            yield Side(WholePostgres(backend, session), DatabaseRows(session, self._name))

    def _save_owners(self, session: Session) -> None:
        """Write what the owner has set into .env, where it is of one whose state is in a folder."""
        for (fields,) in session.ask("SELECT fields FROM settings") if self._name == OWNER else ():
            own = {name: value for name, value in fields.items() if name in PersonalSettings.model_fields}
            values = {name: "" if value is None else str(value) for name, value in own.items()}
            save_settings(self._workspace, {name: value for name, value in values.items() if not is_fixed(name)})


def _copy_sign_in(source: Roster, target: Roster, name: str) -> None:
    """Let a person in with what lets them in now: a token that has ended must not open the other side."""
    if entry := source.load().get(name):
        with target.change() as listed:
            listed[name] = entry


def _make_note(to: Direction) -> MoveNote:
    return MoveNote(secrets.token_hex(8), to, datetime.now(UTC).isoformat(timespec="seconds"))
