"""From a reply to a decision."""

from ana.models.json_mode.choose import chosen
from ana.models.json_mode.decision import Decision
from ana.models.json_mode.segments import Piece, Scanner
from ana.models.json_mode.unwrap import uncovered
from ana.models.json_mode.yaml_reply import yaml_decisions
from ana.models.tool_schema import Tools


def read_decision(reply: str, tools: Tools) -> Decision:
    """Read any text at all as a call that fits its tool's schema, an answer, or an error in words.

    Args:
        reply: Exactly what the model sent.
        tools: What it may call.
    """
    text = uncovered(reply)
    written = yaml_decisions(text, tools.resolve_name)
    if written:
        return chosen(text, [Piece("said", 0, len(text), tuple(written))], tools)
    return chosen(text, Scanner(text, tools.resolve_name).scan(), tools)
