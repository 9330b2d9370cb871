"""`ana calendar`: the address that calendar programs subscribe to."""

import http.client
import socket
from contextlib import closing
from typing import Annotated
from urllib.parse import urlsplit

import typer

from ana.output import tell, write_line
from ana.urls import find_site
from app.serving import LOCAL
from app.startup import start

PORT = 2024
SECONDS = 2.0
"""How long a server may take to say that it is there."""


def calendar(
    new_key: Annotated[bool, typer.Option("--new-key", help="Change the key: the address until now ends.")] = False,
    url: Annotated[
        str | None, typer.Option(help="Where the server is reached; default: the first of ANA_HOSTS.")
    ] = None,
) -> None:
    """Show the address at which calendar programs read what has a date and is not done, while `ana serve` runs."""
    workspace = start()
    place = f"/calendar.ics?key={workspace.get_calendar_key(change=new_key)}"
    known = url or find_site(workspace.settings.ana_public_url, workspace.settings.ana_hosts)
    address = (known or f"http://{LOCAL}:{PORT}").rstrip("/") + place
    write_line(address)
    tell("It is served there now." if _is_served(address) else "Nothing serves it there now; `ana serve` does.")
    if known is None and (own := _find_own_address()):
        elsewhere = f"http://{own}:{PORT}{place}"
        how = "" if _is_served(elsewhere) else ", once `ana serve --host 0.0.0.0` runs (docs/people.md)"
        tell(f"A phone in the same network reads {elsewhere}{how}.")
    tell("Whoever has it can read these dates; --new-key ends it.")


def _is_served(address: str) -> bool:
    """Return whether a calendar is read at an address."""
    url = urlsplit(address)
    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    try:
        with closing(make(str(url.hostname), url.port, timeout=SECONDS)) as connection:
            connection.request("HEAD", f"{url.path}?{url.query}")
            return connection.getresponse().status == 200
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _find_own_address() -> str | None:
    """Return this machine's address in its network, None without one; nothing is sent to find it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's: where it would be sent from is asked
            own = str(probe.getsockname()[0])
    except OSError:
        return None
    return None if own.startswith("127.") else own
