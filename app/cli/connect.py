"""`ana connect`: add ana to another assistant's settings; list who is connected."""

import os
from typing import Annotated

import typer

from ana.errors import UserError
from ana.handles import open_data
from ana.output import write_line
from ana.workspace import Workspace
from app.assistants import RIGHTS, list_rights, list_written
from app.connecting import CLIENTS, make_entry, read_entry, show_entry, try_start, write_entry
from app.show.confirm import require_consent
from app.show.text import say
from app.startup import spell_user, start


def connect(
    client: Annotated[str, typer.Argument(help=f"One of {', '.join(CLIENTS)}. Without: list who is connected.")] = "",
    show: Annotated[bool, typer.Option("--show", help="Only print the entry for its settings.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write it without asking.")] = False,
) -> None:
    """Let another assistant use your items: show the entry for its settings, and add it after your yes.

    Then ana is started once to check that it responds. Without a name: list who is connected and wrote last.
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
        say(f"{chosen.title} already has this entry, in {chosen.find()}.")
    else:
        say(f"This will be added to {chosen.find()}; everything else in it stays:")
        write_line(show_entry(chosen, entry))
        require_consent("Write it?", yes=yes, done="written")
        say(f"Written to {write_entry(chosen, entry)}.")
    if fault := try_start(entry):
        raise UserError(f"{chosen.title} could not start it: {fault.rstrip('.')}.", "`ana doctor` checks why.")
    say(f"It starts and responds. Restart {chosen.title} to use it.")


def _list_connected(workspace: Workspace) -> None:
    """Print which programs have ana in their settings, and who has written."""
    for name, client in CLIENTS.items():
        try:
            say(f"{name}: {f'connected, in {client.find()}' if read_entry(client) else 'not connected'}.")
        except UserError as exc:
            say(f"{name}: {exc.message}")
    with open_data(workspace, "ana connect") as handles:
        last = {each.name: each.day for each in reversed(list_written(handles.memory, handles.clock))}
        for name, right in list_rights(workspace, last).items():
            say(f"{name} {RIGHTS[right]}" + (f"; it last wrote on {last[name]}." if name in last else "."))
