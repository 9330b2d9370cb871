"""`ana undo`: undo a whole turn."""

from typing import Annotated

import typer

from ana.handles import open_data
from app.startup import spell_user, start
from app.undo import find_last_undo, undo_turn


def undo(
    turn: Annotated[str | None, typer.Option(help="The turn; default: the last one that made a change.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Also undo records that have been changed since.")] = False,
    redo: Annotated[bool, typer.Option("--redo", help="Bring back what was undone last.")] = False,
) -> None:
    """Undo a whole turn, for items and Global Context; --redo brings it back."""
    if redo and turn:
        raise typer.BadParameter("Give either --redo or --turn.")
    workspace = start()
    with open_data(workspace, "ana undo") as handles:
        turn = find_last_undo(handles.memory) if redo else turn
        undone = undo_turn(handles.memory, turn, override=force, user=spell_user(workspace))
    if not undone:
        raise typer.Exit(1)
