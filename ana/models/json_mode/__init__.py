"""Models without native tool calls: asked for JSON decisions, which are read from whatever they reply."""

from ana.models.json_mode.decision import Decision
from ana.models.json_mode.reader import read_decision

__all__ = ["Decision", "read_decision"]
