"""`ana undo`: take a whole turn back."""

from typing import Annotated

import typer

from ana.handles import open_data
from app.startup import spell_user, start
from app.undo import undo_turn


def undo(
    turn: Annotated[str | None, typer.Option(help="The turn; default: the last one that changed something.")] = None,
    force: Annotated[bool, typer.Option(help="Restore also what something else has changed since.")] = False,
) -> None:
    """Take a whole turn back, items and Global Context alike. This can itself be taken back."""
    workspace = start()
    with open_data(workspace, "ana undo") as handles:
        undone = undo_turn(handles.memory, turn, override=force, user=spell_user(workspace))
    if not undone:
        raise typer.Exit(1)
