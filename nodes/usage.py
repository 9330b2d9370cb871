"""The tokens that model calls cost, and what they add to the day's spending."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage

from ana.handles import Handles
from ana.models.prices import cost
from ana.models.providers import model_name
from ana.spending import Spending
from graph.state import Usage
from nodes.history import estimate_tokens


def add_usage(usage: Usage, reply: AIMessage, messages: Sequence[AnyMessage]) -> Usage:
    """Return the tokens so far and those of one more call, estimated and marked so if the provider reports none.

    Args:
        usage: So far.
        reply: The model's reply.
        messages: The messages it was sent.
    """
    reported = reply.usage_metadata
    total = Usage(
        input_tokens=usage["input_tokens"]
        + (reported["input_tokens"] if reported else sum(map(estimate_tokens, messages))),
        output_tokens=usage["output_tokens"] + (reported["output_tokens"] if reported else estimate_tokens(reply)),
        estimated=usage["estimated"] or reported is None,
    )
    details = reported.get("input_token_details") if reported else None
    if cached := usage.get("cached_tokens", 0) + ((details or {}).get("cache_read") or 0):
        total["cached_tokens"] = cached
    return total


def charge(handles: Handles, before: Usage, after: Usage, model: str | None = None) -> None:
    """Note what a call cost, so that the day's sum has it even if the turn never ends.

    Args:
        handles: For the prices and the day.
        before: The turn's tokens before the call.
        after: And after it.
        model: Another model's name, if the run chose one.
    """
    name = model or model_name(handles.settings)
    spent = (cost(after, name, handles.settings) or 0.0) - (cost(before, name, handles.settings) or 0.0)
    if spent > 0:
        open_spending(handles).add(spent)


def open_spending(handles: Handles) -> Spending:
    """Return the running total that the model's cost counts in."""
    return handles.spending or Spending(handles.settings, handles.clock, handles.traces)
