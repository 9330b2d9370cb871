"""`ana connect`: ana's store for another assistant, written into its settings; and who is connected."""

import os
from typing import Annotated

import typer

from ana.errors import UserError
from ana.output import write_line
from ana.workspace import Workspace
from app.assistants import RIGHTS, list_rights, list_written
from app.connecting import CLIENTS, make_entry, read_entry, show_entry, try_start, write_entry
from app.show.confirm import require_consent
from app.show.text import say
from app.startup import spell_user, start


def connect(
    client: Annotated[str, typer.Argument(help=f"Which: {', '.join(CLIENTS)}. None: who is connected.")] = "",
    show: Annotated[bool, typer.Option("--show", help="Only print what is to stand in its settings.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write it without a question.")] = False,
) -> None:
    """Let another assistant use what is kept here: its settings are shown, and after a yes written beside the others.

    Then it is started once, to see that it answers. Without a name: who is connected, and who wrote last.
    """
    workspace = start()
    if not client:
        _list_connected(workspace)
        return
    if client not in CLIENTS:
        raise UserError(
            f"There is no assistant {client!r:.40} here.", f"There are {', '.join(CLIENTS)}; docs/mcp.md has others."
        )
    chosen = CLIENTS[client]
    entry = make_entry(chosen, spell_user(workspace), os.environ.get("ANA_DATA_DIR", ""))
    if show:
        write_line(show_entry(chosen, entry))
        return
    if read_entry(chosen) == entry:
        say(f"{chosen.title} has it already, in {chosen.find()}.")
    else:
        say(f"This is to stand in {chosen.find()}, beside what stands there:")
        write_line(show_entry(chosen, entry))
        require_consent("Write it?", yes=yes, done="written")
        say(f"Written to {write_entry(chosen, entry)}.")
    if fault := try_start(entry):
        raise UserError(f"{chosen.title} would start it in vain: {fault.rstrip('.')}.", "`ana doctor` looks.")
    say(f"It starts and answers. Restart {chosen.title} to use it.")


def _list_connected(workspace: Workspace) -> None:
    """Print which programs have it in their settings, and who has written."""
    from ana.handles import open_data

    for name, client in CLIENTS.items():
        try:
            say(f"{name}: {f'connected, in {client.find()}' if read_entry(client) else 'not connected'}.")
        except UserError as exc:
            say(f"{name}: {exc.message}")
    with open_data(workspace, "ana connect") as handles:
        last = {each.name: each.day for each in reversed(list_written(handles.memory, handles.clock))}
        for name, right in list_rights(workspace, last).items():
            say(f"{name} {RIGHTS[right]}" + (f"; it last wrote on {last[name]}." if name in last else "."))
