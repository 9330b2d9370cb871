"""`ana users`: the people who may sign in, and their tokens."""

from typing import Annotated

import typer

from ana.errors import UserError
from ana.output import tell, write_line
from ana.people import People
from ana.urls import find_site, is_http
from app.reaching import draw_code
from app.show.confirm import require_consent
from app.startup import start

users = typer.Typer(help="People who may sign in to `ana serve`.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Small letters, digits, - and _.")]


@users.command("list")
def list_people() -> None:
    """List everybody, one name per line, the owner first."""
    for name in People(start().settings).names():
        write_line(name)


@users.command("add")
def add_person(name: Name) -> None:
    """Add a person, with a folder of their own, and print their token."""
    _show_token(name, People(start().settings).add(name))


@users.command("token")
def renew_token(name: Name) -> None:
    """Print a new token for a person; the old one is revoked, and their devices are signed out."""
    _show_token(name, People(start().settings).renew(name))


@users.command("link")
def show_link(
    name: Name,
    url: Annotated[
        str | None, typer.Option(help="The server's public address; default: the first of ANA_HOSTS.")
    ] = None,
) -> None:
    """Show a QR code that signs a person's phone in; it works once, within five minutes."""
    workspace = start()
    base = url or find_site(workspace.settings.ana_public_url, workspace.settings.ana_hosts) or ""
    if not is_http(base):
        raise UserError("The link needs the address of the server.", "Write it as --url https://ana.example.org.")
    # in the fragment, which no browser sends: no proxy and no log sees it
    link = f"{base.rstrip('/')}/app/sign-in#code={People(workspace.settings).make_code(name)}"
    for line in draw_code(link).splitlines():
        write_line(line)
    write_line(link)
    tell(f"It signs one device in as {name}, within five minutes.")


@users.command("remove")
def remove_person(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed outside a terminal.")] = False,
) -> None:
    """Revoke a person's tokens, and set their data aside, with a backup."""
    settings = start().settings
    require_consent(f"Remove {name}, and set their data aside?", yes=yes, done="removed")
    tell(f"Removed {name}. Their data is in {People(settings).remove(name)}.")


def _show_token(name: str, token: str) -> None:
    write_line(token)
    tell(f"This is {name}'s token; it is shown only once. Programs send it as `Authorization: Bearer TOKEN`.")
