"""`ana items`: list items in a table."""

from typing import Annotated

import typer

from ana.errors import ToolError
from ana.handles import open_data
from ana.memory.others import find_from
from ana.output import write_json
from ana.values import Json, read_json
from app.show.items import localize_matches, matches_to_json, show_matches
from app.startup import start


def items(
    words: Annotated[list[str] | None, typer.Argument(help="What the items are about; default: all, by date.")] = None,
    where: Annotated[str | None, typer.Option(help='A filter as JSON, such as \'{"status": "active"}\'.')] = None,
    source: Annotated[str | None, typer.Option(help="Only from this source: others, import, paste, person.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Show why each was found.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="Maximum number.")] = 20,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List items in a table: find them by meaning, by words or by property."""
    text = " ".join(words or ()) or None
    try:
        wanted: dict[str, Json] | None = read_json(where) if where else None
    except ValueError as exc:
        hint = 'Write it as --where \'{"status": "active"}\'.'
        raise typer.BadParameter(f"--where is not JSON: {exc}. {hint}") from exc
    try:
        with open_data(start(), "ana items") as handles:
            memory = handles.memory
            matches = find_from(memory, source, text, wanted, limit) if source else memory.find(text, wanted, limit)
            year, zone = handles.clock.now().year, handles.clock.zone
    except ToolError as exc:  # written for a model, but here it is the person who can correct the filter
        raise typer.BadParameter(exc.sentence()) from exc
    if json_:
        write_json(matches_to_json(matches, why))
    else:
        show_matches(localize_matches(matches, zone), why, year=year)
