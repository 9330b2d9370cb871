"""`ana cost`: what models cost, by day and model, from the traces."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from ana.output import tell, write_json
from ana.workspace import Workspace
from app.cli.ages import moment_before
from app.show.tables import show_table
from app.show.text import pluralize, say
from app.startup import start

HEADERS = ("day", "model", "turns", "tokens in", "of them cached", "tokens out", "USD")


@dataclass
class DayCost:
    """What one model cost on one of the person's days. An answer that was made again counts again: it was paid for.

    Args:
        cached_tokens: Of the input, what the provider had in its cache.
        cost_usd: What is known of the cost; None if nothing is.
    """

    day: str
    model: str
    turns: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    unpriced_turns: int = 0

    def add(self, usage: dict[str, Any], usd: float | None) -> None:
        """Add a turn."""
        self.turns += 1
        self.input_tokens += usage["input_tokens"]
        self.cached_tokens += usage.get("cached_tokens", 0)
        self.output_tokens += usage["output_tokens"]
        self.unpriced_turns += usd is None
        if usd is not None:
            self.cost_usd = round((self.cost_usd or 0.0) + usd, 6)

    def to_row(self) -> tuple[str, ...]:
        tokens = (f"{count:,}" for count in (self.input_tokens, self.cached_tokens, self.output_tokens))
        beside = f" and {pluralize(self.unpriced_turns, 'turn')}" if self.unpriced_turns else ""
        cost = "not known" if self.cost_usd is None else f"{self.cost_usd:.4f}{beside}"
        return (self.day, self.model, str(self.turns), *tokens, cost)


def cost(
    since: Annotated[str | None, typer.Option(help="Only turns of this age or younger: 7d, 4w.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what models cost, by day and model: in the conversations that are still there, and in `ana eval`."""
    days, damaged = add_up(start(), since)
    total = round(sum(day.cost_usd or 0.0 for day in days), 6)
    if as_json:
        rows = [asdict(day) for day in days]
        write_json({"days": rows, "total_usd": total, "damaged_lines": sum(damaged.values()), "damaged": damaged})
    elif days:
        show_table(HEADERS, [day.to_row() for day in days], fixed=("day",))
        unpriced = sum(day.unpriced_turns for day in days)
        without = f", without {pluralize(unpriced, 'turn')} of models whose price is not known" if unpriced else ""
        say(f"${total:.4f} in all{without}.")
    else:
        say("No model was asked." if since is None else f"No model was asked in the last {since}.")
    for thread, count in damaged.items():
        be = "is" if count == 1 else "are"
        tell(f"{pluralize(count, 'line')} of the trace {thread} cannot be read and {be} not counted.")


def add_up(workspace: Workspace, since: str | None) -> tuple[list[DayCost], dict[str, int]]:
    """Return what each model cost on each day, the oldest first, and the traces' lines that cannot be read, by thread.

    Raises:
        UserError: `since` is not an age, such as 7d.
    """
    from ana.spending.port import recorded_cost

    clock = workspace.make_clock()
    begin = moment_before(since, clock) if since else datetime.min.replace(tzinfo=UTC)
    days: dict[tuple[str, str], DayCost] = {}
    damaged: dict[str, int] = {}
    for account in workspace.open_spending(clock).iter_accounts():
        if account.unreadable:
            damaged[account.name] = account.unreadable
        for record in account.records:
            asked = record.get("provider") != "offline"  # the reader's tokens are nobody's
            if asked and datetime.fromisoformat(record["ts"]).astimezone(UTC) >= begin:
                key = clock.day(record["ts"]).isoformat(), record["model"]
                days.setdefault(key, DayCost(*key)).add(record["usage"], recorded_cost(record, workspace.settings))
    return [days[key] for key in sorted(days)], damaged
