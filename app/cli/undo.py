"""`ana undo`: undo a whole turn."""

from typing import Annotated

import typer

from ana.handles import open_data
from app.startup import spell_user, start
from app.undo import undo_turn


def undo(
    turn: Annotated[str | None, typer.Option(help="The turn; default: the last one that made a change.")] = None,
    force: Annotated[bool, typer.Option(help="Also undo records that have been changed since.")] = False,
) -> None:
    """Undo a whole turn, for items and Global Context. You can undo this as well."""
    workspace = start()
    with open_data(workspace, "ana undo") as handles:
        undone = undo_turn(handles.memory, turn, override=force, user=spell_user(workspace))
    if not undone:
        raise typer.Exit(1)
