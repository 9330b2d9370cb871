"""What model calls cost in tokens."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage

from graph.state import Usage
from nodes.history import tokens


def used(usage: Usage, reply: AIMessage, messages: Sequence[AnyMessage]) -> Usage:
    """The tokens so far with those of one more call; a provider that tells none is estimated, and marked so.

    Args:
        usage: So far.
        reply: What the model answered.
        messages: What it was sent.
    """
    told = reply.usage_metadata
    return Usage(
        input_tokens=usage["input_tokens"] + (told["input_tokens"] if told else sum(map(tokens, messages))),
        output_tokens=usage["output_tokens"] + (told["output_tokens"] if told else tokens(reply)),
        estimated=usage["estimated"] or told is None,
    )
