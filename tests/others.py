"""A text of others in view, so that what takes something away asks on the default dial."""

from ana.memory.changes import Cause
from ana.memory.memory import Memory
from ana.memory.sources import IMPORT

TEXT = "The choir meets on the first Monday of a month"
ASKS = f"This deletes, and an imported text was read: “{TEXT}”."
"""Why a delete asks then."""


def let_others_speak(memory: Memory) -> None:
    """Add a line to Global Context that was imported: every prompt has it."""
    memory.append_line(TEXT, Cause("", "", "import-others", IMPORT))
