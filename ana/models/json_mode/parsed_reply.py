"""What a reply comes to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_EXAMPLE = re.compile(r'^You: \{.*"content": "([^"]+)"', re.MULTILINE)
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class ParsedReply:
    """A call, an answer, or what is wrong with the reply.

    Args:
        tool: The tool's name.
        args: Its arguments: while a call is being read as they were sent, in the end by name, and fitting the schema.
        answer: The text for the person.
        error: Why nothing can be done, in words the model can act on.
    """

    tool: str | None = None
    args: Any = None
    answer: str | None = None
    error: str = ""


def refuse_example(decision: ParsedReply, instructions: str, said: Iterable[str]) -> ParsedReply:
    """Return the decision, or a refusal if it writes just what an example writes and the person spoke of nothing alike.

    Very weak models would store a worked example as the person's.

    Args:
        decision: What a reply came to.
        instructions: How to decide, with the examples.
        said: What the person said in this conversation.
    """
    content = decision.args.get("content") if decision.args else None
    if content not in read_examples(instructions) or _find_words(content) & set().union(*map(_find_words, said)):
        return decision
    return ParsedReply(
        error=f"{content!r} is from the examples; the person did not speak of it. Decide about their message."
    )


def read_examples(instructions: str) -> list[str]:
    """Return the contents that the examples of the instructions write."""
    return _EXAMPLE.findall(instructions)


def _find_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
