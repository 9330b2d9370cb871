"""`ana calendar`: the address that calendar programs subscribe to."""

from typing import Annotated

import typer

from ana.output import tell, write_line
from ana.urls import find_address
from app.serving import LOCAL
from app.startup import start


def calendar(
    new_key: Annotated[bool, typer.Option("--new-key", help="Change the key: the address until now ends.")] = False,
    url: Annotated[
        str | None, typer.Option(help="Where the server is reached; default: the first of ANA_HOSTS.")
    ] = None,
) -> None:
    """Show the address at which calendar programs read what has a date and is not done, while `ana serve` runs."""
    workspace = start()
    base = url or find_address(workspace.settings.ana_hosts) or f"http://{LOCAL}:2024"
    write_line(f"{base.rstrip('/')}/calendar.ics?key={workspace.calendar_key(change=new_key)}")
    tell("Whoever has it can read these dates; --new-key ends it.")
