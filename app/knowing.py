"""The lines of Global Context, each with its day and the words that it comes from."""

from ana.handles import DataHandles
from ana.memory.changes import Entry
from ana.memory.sources import is_others
from ana.output import quote
from ana.time.dates import show_day
from ana.translation import _
from app.show.items import name_source


def explain_lines(handles: DataHandles) -> dict[int, tuple[str, str, str]]:
    """Return for each line of Global Context its text, the day it was written, and the words it came from."""
    explained, year = {}, handles.clock.now().year
    written = {entry.change.id: entry for entry in handles.memory.backend.latest("line")}
    for number, text in handles.memory.lines().items():
        entry = written.get(str(number))
        day = show_day(handles.clock.day(entry.ts), year) if entry else ""
        explained[number] = (text, day, _quote(handles, entry) if entry else "")
    return explained


def _quote(handles: DataHandles, entry: Entry) -> str:
    if entry.change.after and is_others(entry.change.after.source):
        return _("(from {source})").format(source=name_source(entry.change.after.source))
    if not entry.key:  # no turn wrote it
        return _("(your own edit)")
    turn = next((r for r in handles.traces.read(entry.thread) if r["id"] == entry.turn), None)
    return quote(turn["question"], 60) if turn else _("(its conversation is not here)")
