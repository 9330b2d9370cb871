"""`ana users`: the people who may sign in, and what they sign in with."""

import io
from typing import Annotated

import typer

from ana.errors import UserError
from ana.output import tell, write_line
from ana.people import People
from ana.urls import find_site, is_http
from app.show.confirm import require_consent
from app.startup import start

users = typer.Typer(help="People who may sign in to `ana serve`.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Small letters, digits, - and _.")]


@users.command("list")
def list_people() -> None:
    """List everybody, a name on each line, the owner first."""
    for name in People(start().settings).names():
        write_line(name)


@users.command("add")
def add_person(name: Name) -> None:
    """Add a person, with a folder of their own, and print their token."""
    _show_token(name, People(start().settings).add(name))


@users.command("token")
def renew_token(name: Name) -> None:
    """Print a new token of a person; the old one ends, and every device of theirs is signed out."""
    _show_token(name, People(start().settings).renew(name))


@users.command("link")
def show_link(
    name: Name,
    url: Annotated[
        str | None, typer.Option(help="Where the server is reached; default: the first of ANA_HOSTS.")
    ] = None,
) -> None:
    """Show a QR code with which a person's phone signs in; for one use, within five minutes."""
    import segno

    workspace = start()
    base = url or find_site(workspace.settings.ana_public_url, workspace.settings.ana_hosts) or ""
    if not is_http(base):
        raise UserError("The link needs the address of the server.", "Write it as --url https://ana.example.org.")
    # in the fragment, which no browser sends: no proxy and no log sees it
    link = f"{base.rstrip('/')}/app/sign-in#code={People(workspace.settings).make_code(name)}"
    drawn = io.StringIO()
    segno.make(link, micro=False).terminal(out=drawn, compact=True)
    for line in drawn.getvalue().splitlines():
        write_line(line)
    write_line(link)
    tell(f"It signs one device in as {name}, within five minutes.")


@users.command("remove")
def remove_person(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; needed where nobody can be asked.")] = False,
) -> None:
    """End a person's tokens, and put what they have aside, with a backup of it."""
    settings = start().settings
    require_consent(f"Remove {name}, and put everything of theirs aside?", yes=yes, done="removed")
    tell(f"Removed {name}. What they had is in {People(settings).remove(name)}.")


def _show_token(name: str, token: str) -> None:
    write_line(token)
    tell(f"This is {name}'s token, shown this once. Programs send it as `Authorization: Bearer TOKEN`.")
