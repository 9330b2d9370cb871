"""What a Global Context line may be."""

from ana.errors import ToolError

LINE = 500
"""How many characters a line may have."""


def to_one_line(content: str) -> str:
    """Content as a single printable line, so that it cannot break out of its place in the prompt.

    Raises:
        ToolError: Nothing is left, or it is too long.
    """
    text = "".join(c for c in " ".join(content.split()) if c.isprintable())
    if not text:
        raise ToolError("A Global Context line cannot be empty.", "Say what was learned about the user.")
    if len(text) > LINE:
        raise ToolError(
            f"A Global Context line has at most {LINE} characters; this one has {len(text)}.",
            "Keep what matters, or store the rest as an item.",
        )
    return text
