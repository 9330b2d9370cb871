"""The cost of model calls: their tokens, and their part of the day's budget."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage

from ana.handles import Handles
from ana.models.base import REASONING
from ana.models.prices import FREE_OF_CHARGE, cost, find_price
from ana.models.providers import model_name
from ana.settings import Settings
from ana.spending.total import Spending
from ana.tracing.schema import Tokens
from nodes.history import estimate_tokens


class Ask(Protocol):
    """Makes a call, and fills a list with the pieces of the reply as they arrive."""

    def __call__(self, *, received: list[AIMessageChunk]) -> AIMessage: ...


def no_usage() -> Tokens:
    """Return the tokens of no call."""
    return Tokens(input_tokens=0, output_tokens=0, estimated=False)


@dataclass(frozen=True)
class Purse:
    """Pays for the calls of a model: from the budget and the prices in the settings, and the day's total."""

    settings: Settings
    spending: Spending
    model: str

    def pay(self, ask: Ask, messages: Sequence[AnyMessage], usage: Tokens) -> tuple[AIMessage, Tokens]:
        """Make a call if the day's budget has room for it, and count its cost.

        Args:
            ask: Makes the call: `complete` with its arguments.
            usage: The tokens so far; returned with the reply, its own included.

        Raises:
            BudgetReached: The budget is spent; no call is made.
        """
        sent = sum(map(estimate_tokens, messages))
        received: list[AIMessageChunk] = []
        with self._reserve(sent):
            try:
                reply = ask(received=received)
            except BaseException:
                if received:
                    self._count_broken(_join_chunks(received), sent)
                raise
            after = add_usage(usage, reply, sent)
            self.spending.add(self._price(after) - self._price(usage))
        return reply, after

    def _reserve(self, sent: int) -> AbstractContextManager[None]:
        if find_price(self.model, self.settings) == FREE_OF_CHARGE:
            return nullcontext()
        least = Tokens(input_tokens=sent, output_tokens=self.settings.max_tokens or 0, estimated=True)
        return self.spending.reserve(cost(least, self.model, self.settings))

    def _count_broken(self, part: AIMessage, sent: int) -> None:
        """Count a call that broke off, by the text that had arrived, because the provider charges for it too."""
        usage = add_usage(no_usage(), part, sent)
        self.spending.add(self._price(usage))
        usd = cost(usage, self.model, self.settings)
        self.spending.keep({"model": self.model, "provider": self.settings.provider, "usage": usage, "cost_usd": usd})

    def _price(self, usage: Tokens) -> float:
        return cost(usage, self.model, self.settings) or 0.0


def open_purse(handles: Handles, model: str | None = None) -> Purse:
    """Return the purse that pays for a turn's calls; `model` names another one, if the run chose it."""
    return Purse(handles.settings, handles.spending, model or model_name(handles.settings))


def add_usage(usage: Tokens, reply: AIMessage, sent: int) -> Tokens:
    """Add the tokens of one more call; if the provider reports none, they are estimated and marked as estimates.

    Args:
        sent: The estimated tokens of the messages that were sent.
    """
    reported = reply.usage_metadata
    # every call reads and writes something: a provider that says otherwise has not counted
    read = max(reported["input_tokens"], 0) if reported else 0
    written = max(reported["output_tokens"], 0) if reported else 0
    total = Tokens(
        input_tokens=usage["input_tokens"] + (read or sent),
        output_tokens=usage["output_tokens"] + (written or _estimate_written(reply)),
        estimated=usage["estimated"] or not (read and written),
    )
    details = reported.get("input_token_details") if reported else None
    cached = min(max((details or {}).get("cache_read") or 0, 0), read)
    if cached := usage.get("cached_tokens", 0) + cached:
        total["cached_tokens"] = cached
    return total


def _estimate_written(reply: AIMessage) -> int:
    thought = AIMessage(reply.additional_kwargs.get(REASONING, ""))
    return estimate_tokens(reply) + (estimate_tokens(thought) if thought.text else 0)


def _join_chunks(received: Sequence[AIMessageChunk]) -> AIMessage:
    """Return one message with all text that has arrived, and the last usage that was reported."""
    calls = (part["args"] or "" for chunk in received for part in chunk.tool_call_chunks)
    reported = next((chunk.usage_metadata for chunk in reversed(received) if chunk.usage_metadata), None)
    thought = (chunk.additional_kwargs.get(REASONING, "") for chunk in received)
    return AIMessage("".join([*thought, *(chunk.text for chunk in received), *calls]), usage_metadata=reported)
