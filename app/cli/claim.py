"""`ana claim`: make text by others the person's own words."""

from typing import Annotated

import typer

from ana.handles import open_data
from ana.memory.changes import make_edit
from ana.memory.others import claim_turn, is_from
from app.show.text import pluralize, say
from app.startup import spell_user, start


def claim(
    names: Annotated[list[str] | None, typer.Argument(help='Ids of items, or lines, such as "line 3".')] = None,
    source: Annotated[str | None, typer.Option(help="All items from this source: others, import, paste.")] = None,
    turn: Annotated[str | None, typer.Option(help="Everything that this turn wrote, such as an import.")] = None,
) -> None:
    """Mark text as your own words. `ana items --source others` lists items with text by others."""
    if not (names or source or turn):
        raise typer.BadParameter("Name items, or a --source, or a --turn.")
    by, workspace = make_edit(), start()
    with open_data(workspace, "ana claim") as handles:
        memory = handles.memory
        changes = claim_turn(memory, turn, by) if turn else []
        listed = [item.id for item in memory.items() if is_from(item, source)] if source else []
        changes += memory.claim([*(names or ()), *listed], by)
    say(f"{pluralize(len(changes), 'record')} {'is' if len(changes) == 1 else 'are'} now your own words.")
    if changes:
        say(f"To undo: ana undo{spell_user(workspace)}")
