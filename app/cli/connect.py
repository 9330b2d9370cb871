"""`ana connect`: ana's store for another assistant, written into its settings; and who is connected."""

import os
from typing import Annotated, Any

import typer

from ana.errors import UserError
from ana.output import write_line
from ana.workspace import Workspace
from app.assistants import RIGHTS, list_written, read_rights
from app.connecting import CLIENTS, make_entry, read_entry, show_entry, try_start, write_entry
from app.show.confirm import require_consent
from app.show.tables import show_table
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
    found = CLIENTS[client]
    entry = make_entry(found, spell_user(workspace), os.environ.get("ANA_DATA_DIR", ""))
    if show:
        write_line(show_entry(found, entry))
        return
    if read_entry(found) == entry:
        say(f"{found.title} has it already, in {found.find()}.")
    else:
        say(f"This is to stand in {found.find()}, beside what stands there:")
        write_line(show_entry(found, entry))
        require_consent("Write it?", yes=yes, done="written")
        say(f"Written to {write_entry(found, entry)}.")
    if fault := try_start(entry):
        raise UserError(f"{found.title} would start it in vain: {fault.rstrip('.')}.", "`ana doctor` looks.")
    say(f"It starts and answers. Restart {found.title} to use it.")


def _list_connected(workspace: Workspace) -> None:
    """Print which programs have it in their settings, and who has written."""
    from ana.handles import open_data

    rows: list[tuple[Any, ...]] = []
    for name, client in CLIENTS.items():
        try:
            entry = read_entry(client)
        except UserError as exc:
            rows.append((name, f"cannot be read: {exc.message}", ""))
            continue
        rows.append((name, "connected" if entry else "", str(client.find()) if entry else ""))
    show_table(("assistant", "", "settings"), rows, fixed=("assistant",))
    with open_data(workspace, "ana connect") as handles:
        written, rights = list_written(handles.memory, handles.clock), read_rights(workspace)
        for name in dict.fromkeys(each.name for each in written):
            last = next(each for each in written if each.name == name)
            may = f"; it {RIGHTS[rights[name]]}" if name in rights else ""
            say(f"{name} last wrote {handles.clock.minute(last.last)}{may}.")
