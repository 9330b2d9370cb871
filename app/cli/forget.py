"""`ana forget`: remove a message or an item from everything."""

from typing import Annotated

import typer

from ana.errors import UserError
from app.startup import start


def forget(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="A message's id (`ana threads show`), an item's id, or line 3."),
    ] = None,
    with_items: Annotated[bool, typer.Option("--with-items", help="Also items that the messages stored.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed outside a terminal.")] = False,
) -> None:
    """Remove a message with its answer, or an item or line, from everything. This cannot be undone.

    Without a name it finishes an interrupted run.
    """
    from ana.handles import open_handles
    from app.forgetting.erasing import ask_and_forget, finish
    from app.show.text import say
    from app.turn import open_assistant

    with open_assistant(open_handles(start(), "ana forget"), "ana forget") as assistant:
        is_finished = finish(assistant)
        if words:
            ask_and_forget(assistant, " ".join(words), with_items=with_items, yes=yes)
        elif is_finished:
            say("Finished the interrupted forgetting.")
        else:
            raise UserError("Say what to forget.", "`ana threads show` lists messages, `ana items` lists items.")
