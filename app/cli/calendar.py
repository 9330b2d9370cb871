"""`ana calendar`: the address that calendar programs subscribe to."""

from typing import Annotated

import typer

from ana.output import tell, write_line
from app.startup import start


def calendar(
    new_key: Annotated[bool, typer.Option("--new-key", help="Change the key: the address until now ends.")] = False,
) -> None:
    """Show the address at which calendar programs read what has a date and is not done, while `ana serve` runs."""
    key = start().calendar_key(change=new_key)
    write_line(f"http://127.0.0.1:2024/calendar.ics?key={key}")
    tell("Whoever has it can read your dates; --new-key ends it. Put your server's name in place of 127.0.0.1:2024.")
