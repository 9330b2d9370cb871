"""`ana trash`: deleted items, to be brought back or purged."""

from typing import Annotated

import typer

from ana.handles import open_data_folder
from ana.memory.receipts import make_receipt
from ana.output import tell
from ana.settings import Settings
from app.cli.ages import moment_before
from app.show.tables import show_table
from app.show.text import describe_change, pluralize, say, shorten
from app.startup import start

HELP = "Deleted items: list them, bring one back, forget old ones permanently."
trash = typer.Typer(help=HELP)


@trash.callback(invoke_without_command=True, help=HELP)
def _default(
    context: typer.Context,
    purge: Annotated[bool, typer.Option("--purge", help="Forget permanently what is older than --older-than.")] = False,
    older_than: Annotated[str, typer.Option(help="An age: 30d, 4w.")] = "30d",
) -> None:
    if context.invoked_subcommand is not None:
        return
    if purge:
        count = purge_trash(start(), older_than)
        tell(f"Forgotten by the journal: {pluralize(count, 'item')}. What was said about them stays.")
    else:
        show_trash(start())


@trash.command("list")
def list_trash() -> None:
    """List deleted items, the one deleted last first."""
    show_trash(start())


@trash.command("restore")
def restore_item(item: Annotated[str, typer.Argument(help="The item's id.")]) -> None:
    """Bring a deleted item back."""
    from ana.memory.trash import restore

    with open_data_folder(start(), "ana trash") as handles:
        say(f"  {describe_change(make_receipt(restore(handles.memory, item)))}")


def show_trash(settings: Settings) -> None:
    """Print the deleted items, the one deleted last first."""
    from ana.memory.trash import list_deleted

    with open_data_folder(settings, "ana trash") as handles:
        gone = list_deleted(handles.memory)
    rows = [(each.item.id, shorten(each.item.content, 160), each.ts[:16].replace("T", " ")) for each in gone]
    if rows:
        show_table(("id", "content", "deleted (UTC)"), rows, fixed=("id", "deleted (UTC)"), first=1)
    else:
        say("The trash is empty.")


def purge_trash(settings: Settings, older_than: str) -> int:
    """Forget permanently what was deleted longer ago than an age such as 30d. Return how many items that were.

    Raises:
        UserError: That is not an age.
    """
    from ana.memory.trash import purge

    with open_data_folder(settings, "ana trash") as handles:
        before = moment_before(older_than, handles.clock)
        return len(purge(handles.memory, before.isoformat(timespec="microseconds")))
