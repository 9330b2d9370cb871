"""`ana move`: move people's data from the data folder to the database of ANA_DATABASE_URL, or back."""

from typing import Annotated, Literal

import typer

from ana.errors import ConfigError, UserError
from ana.settings import load_settings
from ana.workspace import Workspace, open_workspace
from app.show.confirm import require_consent
from app.show.progress import show_progress
from app.show.text import say
from app.startup import prepare


def move(
    to: Annotated[Literal["database", "folder"], typer.Argument(help="The target.")],
    user: Annotated[str | None, typer.Option(metavar="NAME", help="Only this person; default: everybody.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed outside a terminal.")] = False,
) -> None:
    """Move people's data to the database of ANA_DATABASE_URL, or back to the data folder; nothing is deleted."""
    settings = load_settings()
    if settings.ana_database_url is None:
        raise ConfigError("ANA_DATABASE_URL is not set.", "Set it to the database that you want to use.")
    # the owner's in a folder: in the database it may be closed to everybody
    owner = open_workspace(settings.model_copy(update={"ana_database_url": None}))
    prepare(owner)
    database = Workspace(settings).rows.database  # which says if its driver is not installed
    from ana.moving.move import open_moves
    from app.show.archive import tell_parts

    moves = open_moves(database, owner, to)
    if user is not None and user not in moves:
        raise UserError(f"{user!r:.80} has nothing to move.", "`ana users list` lists everybody.")
    moves = {name: each for name, each in moves.items() if user in (None, name)}
    if not moves:
        say(f"There is nothing to move to the {to}.")
        return
    require_consent(f"Move the data of {' and '.join(moves)} to the {to}?", yes=yes, done="moved")
    for name, each in moves.items():
        with show_progress("moving") as progress:
            moved = each.run(to, progress)
        if moved:
            say(f"{name}: {tell_parts(moved)} are in the {to} and match the source.")
        else:
            say(f"{name}: everything is already in the {to}.")
