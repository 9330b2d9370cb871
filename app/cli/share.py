"""`ana share`: let another person of the server see one routine or series, and be told when it is not marked."""

from typing import Annotated

import typer

from ana.errors import UserError
from ana.handles import open_data
from ana.output import shorten, tell, write_line
from ana.people.grants import grant, list_grants, revoke
from app.startup import start


def share(
    id: Annotated[str, typer.Argument(metavar="ID", help="The item's id; without it, what is shown to whom.")] = "",
    name: Annotated[str, typer.Argument(help="Who may see it.")] = "",
    end: Annotated[bool, typer.Option("--end", help="Let them see it no more.")] = False,
) -> None:
    """Let another person see a routine or series of yours, or list what they may see.

    They are told, as you are, when it is not marked an hour after it rang.
    """
    with open_data(start(), "ana share") as handles:
        if not id:
            for each in list_grants(handles.workspace):
                item = handles.memory.record("item", each.item)
                write_line(f"{each.item}  {each.viewer}  {shorten(item.content) if item else '(deleted)'}")
        elif not name:
            raise UserError("Say who may see it.", "ana share ID NAME; `ana users list` shows who there is.")
        elif end:
            was_shown = revoke(handles.workspace, id, name)
            tell(f"{name} does not see it any more." if was_shown else f"It was not shown to {name}.")
        else:
            item = handles.memory.get(id)
            grant(handles.workspace, item, name, handles.clock.now())
            tell(
                f"{name}, if there is one here, may see {shorten(item.content)}. `ana share {id} {name} --end` ends it."
            )
