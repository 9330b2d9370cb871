"""What counts what a person spends on models. A note in a folder, made of the traces, is one answer."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from ana.models.prices import cost
from ana.settings import Settings

LEDGER_KEYS = ("model", "provider", "usage", "cost_usd")
"""What is kept of a turn that leaves no trace."""


@dataclass(frozen=True)
class Account:
    """What was paid for in a thread, or in the ledger of turns that leave no trace, and how many lines are unreadable.

    The records are every attempt at a turn, also those that others replaced, for all were paid for.
    """

    name: str
    records: list[dict[str, Any]]
    unreadable: int


class Spending(Protocol):
    """The running total of the person's day, in all conversations and programs, and what it is made of."""

    def today(self) -> float:
        """Return what was spent today, in USD."""

    def add(self, usd: float) -> None:
        """Add the cost of a call. If it cannot be noted, a turn goes on all the same."""

    def reserve(self, usd: float | None) -> AbstractContextManager[None]:
        """Keep a part of the day's budget while a call is made. What the call cost is added before it is let go.

        What a call costs is known only after it. It is expected to cost what the costliest of the day did, and the
        first one of a day all that is left, so that it runs alone. A call for which there is room only if those that
        run now cost less than expected waits for them; one that runs alone may take the day over the budget.

        Args:
            usd: What the call costs at least, as far as that is known; None where its price is not, and nothing can be
                reserved.

        Raises:
            BudgetReached: The budget is spent, or still held by other calls when the turn has had its ANA_TURN_SECONDS.
            TurnStopped: The present run was stopped.
        """

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep what turns cost that leave no trace, LEDGER_KEYS of each; `add` has counted it."""

    def iter_accounts(self, since: float = 0.0) -> Iterator[Account]:
        """Yield what was paid for, by thread; only what was written to since a moment, in seconds."""


class NoSpending(Spending):
    """The total of turns that nobody pays for: what they are answered with was paid for before, or is a script's."""

    def today(self) -> float:
        return 0.0

    def add(self, usd: float) -> None:
        pass

    def reserve(self, usd: float | None) -> AbstractContextManager[None]:
        return nullcontext()

    def keep(self, records: Iterable[Mapping[str, Any]]) -> None:
        pass

    def iter_accounts(self, since: float = 0.0) -> Iterator[Account]:
        return iter(())


def recorded_cost(record: Mapping[str, Any], settings: Settings) -> float | None:
    """Return what a turn cost: as its record says, or by the price that is known by now; None if none is."""
    # before prices were known by themselves, a record said 0 for a model that was paid for
    if record.get("cost_usd"):
        return float(record["cost_usd"])
    provider = record.get("provider", "offline")
    return cost(record["usage"], record["model"], settings.model_copy(update={"llm_provider": provider}))
