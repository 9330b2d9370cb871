"""From a reply to a decision."""

from ana.models.json_mode.choose import choose_decision
from ana.models.json_mode.decision import Decision
from ana.models.json_mode.segments import Scanner, Segment
from ana.models.json_mode.unwrap import unwrap_reply
from ana.models.json_mode.yaml_reply import read_yaml_decisions
from ana.models.tool_schema import Tools


def read_decision(reply: str, tools: Tools) -> Decision:
    """Read any text at all as a call that fits its tool's schema, an answer, or an error in words.

    Args:
        reply: Exactly what the model sent.
        tools: The tools it may call.
    """
    text = unwrap_reply(reply)
    candidates = read_yaml_decisions(text, tools.resolve_name)
    if candidates:
        return choose_decision(text, [Segment("decision", 0, len(text), tuple(candidates))], tools)
    return choose_decision(text, Scanner(text, tools.resolve_name).scan(), tools)
