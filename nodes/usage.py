"""The tokens that model calls cost."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage

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
    return Usage(
        input_tokens=usage["input_tokens"]
        + (reported["input_tokens"] if reported else sum(map(estimate_tokens, messages))),
        output_tokens=usage["output_tokens"] + (reported["output_tokens"] if reported else estimate_tokens(reply)),
        estimated=usage["estimated"] or reported is None,
    )
