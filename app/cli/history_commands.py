"""The commands that look back and take back: history, undo, trash."""

import json
import sys
from typing import Annotated

import typer

from app.show.text import counted
from app.startup import started

history_cli = typer.Typer()
trash_cli = typer.Typer(help="Deleted items: list them, bring one back, forget old ones for ever.")


@history_cli.command()
def history(
    item: Annotated[str | None, typer.Option(help="Only what was done to this item, or to this line's number.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Only from this day on: 2026-01-13, or in words: last Monday.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 100,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """What was changed, when, and in which turn, the newest first."""
    from ana.memory.receipts import receipt
    from app.cli.history import entries, show_entries

    found = entries(started(), item, since, limit)
    if json_:
        for entry in found:
            told = {"ts": entry.ts, "thread": entry.thread, "turn": entry.turn} | receipt(entry.change)
            print(json.dumps(told, ensure_ascii=False))
    else:
        show_entries(found)


@history_cli.command()
def undo(
    turn: Annotated[str | None, typer.Option(help="The turn; default: the last one that changed something.")] = None,
    force: Annotated[bool, typer.Option(help="Put back also what something else changed since.")] = False,
) -> None:
    """Take a whole turn back, items and Global Context alike. What took it back can be taken back too."""
    from app.cli.history import undone

    if not undone(started(), turn, force):
        raise typer.Exit(1)


@trash_cli.callback(invoke_without_command=True)
def trash(
    context: typer.Context,
    purge: Annotated[bool, typer.Option("--purge", help="Forget for ever what is older than --older-than.")] = False,
    older_than: Annotated[str, typer.Option(help="An age: 30d, 4w.")] = "30d",
) -> None:
    """Deleted items: list them, bring one back, forget old ones for ever."""
    from app.cli.trash import purge as forget
    from app.cli.trash import show_trash

    if context.invoked_subcommand is not None:
        return
    if purge:
        count = forget(started(), older_than)
        print(f"Forgotten by the journal: {counted(count, 'item')}. What was said about them stays.", file=sys.stderr)
    else:
        show_trash(started())


@trash_cli.command("list")
def trash_list() -> None:
    """What was deleted, the last first."""
    from app.cli.trash import show_trash

    show_trash(started())


@trash_cli.command("restore")
def trash_restore(item: Annotated[str, typer.Argument(help="The item's id.")]) -> None:
    """Bring a deleted item back."""
    from app.cli.trash import restore

    restore(started(), item)
