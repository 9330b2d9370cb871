"""Whose things are moved."""

from dataclasses import replace

from ana.backends.chroma.care.format import read_move
from ana.keys import OWNER
from ana.moving.database import list_away, list_people
from ana.moving.move import Direction, Move
from ana.people.postgres import PostgresRoster
from ana.postgres.database import Database
from ana.workspace import Workspace, open_workspace
from ana.workspace.private import holds_data


def open_moves(database: Database, owner: Workspace, to: Direction) -> dict[str, Move]:
    """Return the moves of all people who have data at the old place, the owner's first."""
    with_folder = [*([OWNER] if holds_data(owner) else []), *owner.list_people()]
    if to == "database":
        names = with_folder
    else:  # of whom a move was cut short, the database says nothing any more
        arriving = [name for name in with_folder if _is_arriving(replace(owner, person=name))]
        here = {*list_people(database), *PostgresRoster(database).load()} - list_away(database)
        names = [*here, *arriving]
    ordered = sorted({*names}, key=lambda name: (name != OWNER, name))
    return {name: Move(open_workspace(owner.settings, name), database) for name in ordered}


def _is_arriving(workspace: Workspace) -> bool:
    note = read_move(workspace.folder)
    return note is not None and note.to == "folder"
