"""A person's message at a door, with its pasted parts if the door knows them."""

from dataclasses import dataclass

LONG_INPUT = 200
"""Characters of what is piped in; a longer text was written by a program or by somebody else."""


@dataclass(frozen=True)
class UserMessage:
    """A message.

    Args:
        text: All of it.
        pasted: The parts of the text that were not typed; None if the door cannot tell.
    """

    text: str
    pasted: tuple[str, ...] | None = ()


def read_piped(text: str) -> UserMessage:
    """Return the text that was piped in; it counts as pasted if it is long."""
    return UserMessage(text, (text,) if len(text) > LONG_INPUT else ())
