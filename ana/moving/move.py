"""A move: everything is copied to the other side and compared; only then the one side is given up, the other one used.

Whoever dies meanwhile leaves the side whole that is moved, and nobody uses the other one. The next move begins again,
or does what was left: notes on both sides carry a move's id. Nothing of what was moved is ever deleted.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal

from ana.archive.backup import open_side
from ana.archive.database import open_person, replace_person
from ana.archive.restore import open_folder
from ana.archive.side import Part, Side, compare, copy, digest_all
from ana.backends.chroma.care.exchange import prepare_exchange
from ana.backends.chroma.care.files import SETTINGS, list_files
from ana.backends.chroma.care.format import NAME as FORMAT_NOTE
from ana.backends.chroma.care.format import MoveNote, read_move, write_move
from ana.errors import StoreBusy, UserError
from ana.handles import DataHandles, choose_embedder, open_data
from ana.keys import OWNER
from ana.moving import database as rows
from ana.own_files import OWN_NOTES
from ana.people.postgres import PostgresRoster
from ana.people.roster import FolderRoster, Roster
from ana.postgres.database import Database
from ana.postgres.session import Session
from ana.settings import PersonalSettings
from ana.stopping import Progress
from ana.threads.ports import PATIENCE
from ana.workspace import Workspace, is_fixed
from ana.workspace.personal import save_settings

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

    def run(self, to: Direction, progress: Progress) -> Mapping[str, Part] | None:
        """Move everything, or finish what was cut short, and return its parts; None if it is there already.

        Raises:
            UserError: The folder is in use, or there is something of this person where it goes.
            StoreBroken: What arrived is not what was there; nothing was changed.
            ConfigError: There is nothing where it comes from.
        """
        with self._own_folder(), open_data(self._workspace, PROGRAM) as handles, handles.upkeep.hold_closed():
            return (self._to_database if to == "database" else self._to_folder)(handles, progress)

    def _to_database(self, handles: DataHandles, progress: Progress) -> Mapping[str, Part] | None:
        note, parts = read_move(self._folder), None
        if note is None or not self._is_in_database(note):
            self._refuse_unless_whole(note)
            write_move(self._folder, None)
            note = _make_note("database")
            with (
                open_side(handles) as source,
                replace_person(self._database, self._name, is_new=True) as (session, *_),
            ):
                with self._open_side(session, source.store.embedder_name) as target:
                    parts = _bring(source, target, progress)
                session.add(_MOVED, note.id)
                _copy_sign_in(self._here, self._there, self._name)
                # nobody uses the folder from here on, whether the database has it or not
                write_move(self._folder, note)
        write_move(self._folder, replace(note, done=True))
        return parts

    def _to_folder(self, handles: DataHandles, progress: Progress) -> Mapping[str, Part] | None:
        note, parts, upkeep = read_move(self._folder), None, handles.upkeep
        if note is None or not self._is_in_folder(note):
            self._refuse_own(note)
            note, traces = _make_note("folder"), self._workspace.traces_folder
            if self._holds_something():
                upkeep.keep_copy("move", traces)
            if self._name != OWNER:
                (self._folder / SETTINGS).unlink(missing_ok=True)  # those of the database count
            with (
                rows.depart(self._database, self._database.find_person(self._name), note.id) as session,
                self._open_side(session) as source,
                prepare_exchange(self._folder, traces) as new,
            ):
                with open_folder(self._workspace, new, source.store.embedder_name) as target:
                    parts = _bring(source, target, progress, but=["settings"] if self._name == OWNER else [])
                _copy_sign_in(self._there, self._here, self._name)
                self._save_owners(session)
                write_move(self._folder, note)  # until this is gone nobody finishes the exchange
        upkeep.finish_exchange()
        write_move(self._folder, None)
        return parts

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
        """Raise UserError if a move would replace something of the person's that exists only in this folder."""
        if self._holds_something() and not self._has_only_copies(note):
            raise UserError(
                f"The data folder {self._folder} has something of {self._name!r} already; nothing was changed.",
                "Name another ANA_DATA_DIR, or bring that into the database: `ana move database`.",
            )

    def _has_only_copies(self, note: MoveNote | None) -> bool:
        """Return whether everything in a folder is in the database too, because a move has left or brought it."""
        if note is None:
            return False
        was_moved_out = note.done or self._is_in_database(note)
        is_move_cut_short = note.to == "folder"  # the note is removed when the move ends
        return was_moved_out or is_move_cut_short

    @contextmanager
    def _own_folder(self) -> Iterator[None]:
        """Keep everybody else from beginning a turn, and from delivering reminders."""
        ledger = self._workspace.open_ledger()
        with self._workspace.open_locks().own_all(PROGRAM, self._patience), ledger.deliver_alone() as is_alone:
            if not is_alone():
                raise StoreBusy(f"A program delivers the reminders of {self._folder}.", "Stop that program.")
            yield

    def _open_side(self, session: Session, bound: str | None = None) -> AbstractContextManager[Side]:
        return open_person(self._database, session, self._name, choose_embedder(self._workspace, bound))

    def _holds_something(self) -> bool:
        """Return whether a folder has something of the person's: what opening it makes is nothing."""
        files = list_files(self._folder, self._workspace.traces_folder, self._name)
        return any(file.name not in (FORMAT_NOTE, SETTINGS, *OWN_NOTES) for _, file in files)

    def _save_owners(self, session: Session) -> None:
        """Write what the owner has set into .env, where it is of one whose state is in a folder."""
        for (fields,) in session.ask("SELECT fields FROM settings") if self._name == OWNER else ():
            own = {name: value for name, value in fields.items() if name in PersonalSettings.model_fields}
            values = {name: "" if value is None else str(value) for name, value in own.items()}
            save_settings(self._workspace, {name: value for name, value in values.items() if not is_fixed(name)})


def _bring(source: Side, target: Side, progress: Progress, but: Iterable[str] = ()) -> Mapping[str, Part]:
    """Copy everything to an empty place, and return its parts. Arguments and errors as of `compare`."""
    with source.alone():
        copy(source, target, progress)
        compare(parts := digest_all(source), target, but)
    return parts


def _copy_sign_in(source: Roster, target: Roster, name: str) -> None:
    """Let a person in with what lets them in now: a token that has ended must not open the other side."""
    if entry := source.load().get(name):
        with target.change() as listed:
            listed[name] = entry


def _make_note(to: Direction) -> MoveNote:
    return MoveNote(secrets.token_hex(8), to, datetime.now(UTC).isoformat(timespec="seconds"))
