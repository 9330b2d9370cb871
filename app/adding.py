"""A task in words: "call the bank next tuesday" gets the day that it names, and the rule by which it repeats."""

from datetime import date

from ana.handles import DataHandles
from ana.memory.few_words import describe_property
from ana.output import quote
from ana.time.repeats import find_rule
from ana.time.when import find_single
from ana.translation import _
from ana.values import Properties


def read_task(handles: DataHandles, text: str, day: date) -> Properties:
    """Return the properties of the task that a text describes; if the text names no day, the given day is used."""
    if repeats := find_rule(text):
        return {"type": "task", "status": "active", "repeats": repeats}
    return {"type": "task", "status": "active", "due_date": find_single(text, handles.clock.now()) or str(day)}


def describe_task(handles: DataHandles, text: str, day: date) -> str:
    """Return a description of the task that a text would add."""
    year, properties = handles.clock.now().year, read_task(handles, text, day)
    parts = [describe_property(name, properties[name], year) for name in ("due_date", "repeats") if name in properties]
    return _("{text}: a task, {when}").format(text=quote(text, 60), when=", ".join(parts))
