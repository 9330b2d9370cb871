"""What a model without native tool calls decided, read from its words."""

from ana.models.decisions.checked import Tools
from ana.models.decisions.chosen import chosen
from ana.models.decisions.kinds import Decision
from ana.models.decisions.pieces import Piece, Scanner
from ana.models.decisions.text import uncovered
from ana.models.decisions.written import yaml_decisions

__all__ = ["Decision", "Tools", "decide"]


def decide(reply: str, tools: Tools) -> Decision:
    """Read a reply. Any text at all is a call that fits its tool's schema, an answer, or an error in words.

    Args:
        reply: Exactly what the model sent.
        tools: What it may call.
    """
    text = uncovered(reply)
    written = yaml_decisions(text, tools.known)
    if written:
        return chosen(text, [Piece("said", 0, len(text), tuple(written))], tools)
    return chosen(text, Scanner(text, tools.known).scan(), tools)
