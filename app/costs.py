"""Costs of models, by day and model, from the traces."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ana.spending.total import read_bills, recorded_cost
from ana.workspace import Workspace

EVER = datetime.min.replace(tzinfo=UTC)


@dataclass
class DayCost:
    """The cost of one model on one of the person's days. An answer that was made twice counts twice, because both were
    paid for.

    Args:
        cached_tokens: The part of the input that the provider had in its cache.
        cost_usd: The cost as far as it is known; None if it is unknown.
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


def add_up(workspace: Workspace, begin: datetime = EVER) -> tuple[list[DayCost], dict[str, int]]:
    """Return the cost of each model on each day, the oldest first, and by thread the unreadable lines of traces.

    Args:
        begin: The moment from which turns count.
    """
    clock = workspace.make_clock()
    days: dict[tuple[str, str], DayCost] = {}
    damaged: dict[str, int] = {}
    for name, text in workspace.open_spending(clock).iter_accounts():
        records = read_bills(text)
        if unreadable := len(text.splitlines()) - len(records):
            damaged[name] = unreadable
        for record in records:
            is_online = record.get("provider") != "offline"  # the reader's tokens are nobody's
            if is_online and datetime.fromisoformat(record["ts"]).astimezone(UTC) >= begin:
                key = clock.day(record["ts"]).isoformat(), record["model"]
                days.setdefault(key, DayCost(*key)).add(record["usage"], recorded_cost(record, workspace.settings))
    return [days[key] for key in sorted(days)], damaged
