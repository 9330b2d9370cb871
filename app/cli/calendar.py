"""`ana calendar`: the address that calendar programs subscribe to."""

import http.client
import socket
from contextlib import closing
from typing import Annotated
from urllib.parse import urlsplit

import typer

from ana.output import tell, write_line
from ana.urls import find_site
from app.serving import LOCAL, PORT, find_port
from app.startup import start

SECONDS = 2.0
"""Seconds for a server to respond."""


def calendar(
    new_key: Annotated[bool, typer.Option("--new-key", help="Change the key and revoke the old address.")] = False,
    url: Annotated[
        str | None, typer.Option(help="The server's public address; default: the first of ANA_HOSTS.")
    ] = None,
) -> None:
    """Show the address at which calendar programs read your open dated items while `ana serve` runs."""
    workspace = start()
    place = f"/calendar.ics?key={workspace.get_calendar_key(change=new_key)}"
    port = find_port(workspace)
    known = url or find_site(workspace.settings.ana_public_url, workspace.settings.ana_hosts)
    address = (known or f"http://{LOCAL}:{port}").rstrip("/") + place
    write_line(address)
    tell("It is available there now." if _is_served(address) else "It is not available now; start `ana serve`.")
    if known is None and (own := _find_own_address()):
        elsewhere = f"http://{own}:{port}{place}"
        command = "ana serve --host 0.0.0.0" + (f" --port {port}" if port != PORT else "")
        how = "" if _is_served(elsewhere) else f", once `{command}` runs (docs/people.md)"
        tell(f"A phone in the same network can use {elsewhere}{how}.")
    tell("Anybody who has the address can read these dates; --new-key revokes it.")


def _is_served(address: str) -> bool:
    """Return whether a calendar is available at an address."""
    url = urlsplit(address)
    make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    try:
        with closing(make(str(url.hostname), url.port, timeout=SECONDS)) as connection:
            connection.request("HEAD", f"{url.path}?{url.query}")
            return connection.getresponse().status == 200
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _find_own_address() -> str | None:
    """Return this machine's address in its network, or None, without sending anything."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))  # an address that is nobody's: where it would be sent from is asked
            own = str(probe.getsockname()[0])
    except OSError:
        return None
    return None if own.startswith("127.") else own
