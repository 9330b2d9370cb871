"""The form of a Global Context line."""

from ana.errors import ToolError
from ana.text import check_text

LONGEST_LINE = 500
"""How many characters a line may have."""


def to_one_line(content: str) -> str:
    """Return content as one printable line, which cannot break out of the prompt.

    Raises:
        ToolError: It is empty, too long, or no text.
    """
    check_text(content, ToolError)
    text = "".join(c for c in " ".join(content.split()) if c.isprintable())
    if not text:
        raise ToolError("A Global Context line cannot be empty.", "Say what was learned about the user.")
    if len(text) > LONGEST_LINE:
        raise ToolError(
            f"A Global Context line has at most {LONGEST_LINE} characters; this one has {len(text)}.",
            "Keep what matters, or store the rest as an item.",
        )
    return text
