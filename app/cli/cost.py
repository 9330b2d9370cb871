"""`ana cost`: the cost of models by day and model, from the traces."""

from dataclasses import asdict
from typing import Annotated

import typer

from ana.output import tell, write_json
from app.cli.ages import moment_before
from app.costs import EVER, DayCost, add_up
from app.show.tables import show_table
from app.show.text import pluralize, say
from app.startup import start

HEADERS = ("day", "model", "turns", "tokens in", "of them cached", "tokens out", "USD")


def cost(
    since: Annotated[str | None, typer.Option(help="Only turns of this age or younger: 7d, 4w.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the cost of models by day and model: of existing conversations, and of `ana eval`."""
    workspace = start()
    begin = moment_before(since, workspace.make_clock()) if since else EVER
    days, damaged = add_up(workspace, begin)
    total = round(sum(day.cost_usd or 0.0 for day in days), 6)
    if as_json:
        rows = [asdict(day) for day in days]
        write_json({"days": rows, "total_usd": total, "damaged_lines": sum(damaged.values()), "damaged": damaged})
    elif days:
        show_table(HEADERS, [_to_row(day) for day in days], fixed=("day",))
        unpriced = sum(day.unpriced_turns for day in days)
        without = f", without {pluralize(unpriced, 'turn')} of models with unknown prices" if unpriced else ""
        say(f"${total:.4f} in all{without}.")
    else:
        say("No model was called." if since is None else f"No model was called in the last {since}.")
    for thread, count in damaged.items():
        be = "is" if count == 1 else "are"
        tell(f"{pluralize(count, 'line')} of the trace {thread} cannot be read and {be} not counted.")


def _to_row(day: DayCost) -> tuple[str, ...]:
    tokens = (f"{count:,}" for count in (day.input_tokens, day.cached_tokens, day.output_tokens))
    beside = f" and {pluralize(day.unpriced_turns, 'turn')}" if day.unpriced_turns else ""
    cost = "not known" if day.cost_usd is None else f"{day.cost_usd:.4f}{beside}"
    return (day.day, day.model, str(day.turns), *tokens, cost)
