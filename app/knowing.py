"""What is known about the person, with where it comes from."""

from ana.handles import DataHandles
from ana.language import spell_day
from ana.memory.changes import Cause
from app.show.text import shorten


def explain_lines(handles: DataHandles) -> dict[int, tuple[str, str, str]]:
    """Return for each line of Global Context its text, the day it was written, and the words it came from."""
    explained, origins, year = {}, handles.memory.origins("line"), handles.clock.now().year
    for number, text in handles.memory.lines().items():
        origin = origins.get(str(number))
        day = spell_day(handles.clock.day(origin.ts), year) if origin else ""
        explained[number] = (text, day, _quote(handles, origin.cause) if origin else "")
    return explained


def _quote(handles: DataHandles, cause: Cause | None) -> str:
    if cause is None:  # no turn wrote it
        return "(your own edit)"
    turn = next((r for r in handles.traces.read(cause.thread) if r["id"] == cause.turn), None)
    return f"“{shorten(turn['question'], 60)}”" if turn else "(that conversation was deleted)"
