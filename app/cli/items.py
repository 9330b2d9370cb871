"""`ana items`: what is kept, as a table."""

from typing import Annotated

import typer

from ana.errors import ToolError
from ana.handles import open_data_folder
from ana.memory.search.found import Found
from ana.output import write_json
from ana.settings import Settings
from ana.values import Json, read_json
from app.due import Due, find_due
from app.show.items import found_to_json, show_found
from app.startup import start


def items(
    words: Annotated[list[str] | None, typer.Argument(help="What they are about; default: all, by date.")] = None,
    where: Annotated[str | None, typer.Option(help='A filter as JSON, such as \'{"status": "active"}\'.')] = None,
    due: Annotated[Due | None, typer.Option(help="Only open items that are due then.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Tell why each was found.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many at most.")] = 20,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is kept, as a table: found by meaning, by words, by property."""
    try:
        found = find_items(start(), " ".join(words or []), where, due, limit)
    except ToolError as exc:  # written for a model, but here it is the person who can correct the filter
        raise typer.BadParameter(exc.sentence()) from exc
    if json_:
        write_json(found_to_json(found, why))
    else:
        show_found(found, why)


def find_items(settings: Settings, words: str, where: str | None, due: Due | None, limit: int) -> Found:
    """Find items by words and filter, or those that are due.

    Args:
        settings: The settings, with the data folder.
        words: What the items are about; empty for all of them.
        where: A filter as JSON.
        due: Only open items that are overdue, due today or due in the next seven days.
        limit: How many at most.

    Raises:
        ToolError: The filter cannot be used, or not together with `due`.
    """
    if due and (words or where):
        raise ToolError("--due stands alone.", "Put the same condition into --where, or leave the words out.")
    with open_data_folder(settings, "ana items") as handles:
        if due:
            return find_due(handles, due, limit)
        return handles.memory.find(words or None, _parse_filter(where), limit)


def _parse_filter(where: str | None) -> dict[str, Json] | None:
    try:
        parsed: dict[str, Json] | None = read_json(where) if where else None
    except ValueError as exc:
        raise ToolError(f"--where is not JSON: {exc}.", 'Write it as --where \'{"status": "active"}\'.') from exc
    return parsed
