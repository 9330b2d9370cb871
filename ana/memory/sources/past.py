"""Sources of what was written before they were kept, worked out from the names of the turns that wrote it."""

import json
import re
from typing import Any, TypeAlias

from ana.memory.sources.parts import (
    ALL_MINE,
    IMPORT,
    PERSON,
    Sources,
    is_others,
    name_assistant,
    tell_all,
    tell_part,
    tell_properties,
)
from ana.values import Json

Record: TypeAlias = dict[str, Any]
"""A record as JSON."""

_ASSISTANT = re.compile(r"mcp-(.+)-\w+")


def find_source(turn: str) -> str:
    """Return who told what a turn wrote."""
    if turn.startswith("import-"):
        return IMPORT
    match = _ASSISTANT.fullmatch(turn)
    return name_assistant(match[1]) if match else PERSON


class PastStates:
    """The states that one record has had, each with its sources."""

    def __init__(self) -> None:
        self._known: dict[str, Sources] = {}

    def add(self, turn: str, before: Record | None, after: Record | None) -> None:
        """Add a write to those before it."""
        if after is None or _name_state(after) in self._known:  # what comes back has the sources that it had
            return
        if before is None:
            told = tell_all(find_source(turn), after["properties"])
        else:
            told = _tell(self._find(before), before, after, find_source(turn))
        self._known[_name_state(after)] = told

    def complete(self, record: Record) -> Record:
        """Return a record with the sources of that state."""
        told = self._find(record)
        return record | ({"sources": told.to_json()} if is_others(told.least_trusted) else {})

    def _find(self, record: Record) -> Sources:
        return self._known.get(_name_state(record), ALL_MINE)


def _name_state(record: Record) -> str:
    return json.dumps({name: value for name, value in record.items() if name != "sources"}, sort_keys=True)


def _tell(known: Sources, before: Record, after: Record, source: str) -> Sources:
    old, new = before["properties"], after["properties"]
    text = _guess_change(before["content"], after["content"])
    changes = {name: _guess_change(old.get(name), value) for name, value in new.items()}
    return Sources(
        tell_part(known.content, before["content"], after["content"], text, source),
        tell_properties(known.properties, old, new, changes, source),
    )


def _guess_change(old: Json, new: Json) -> Json:
    """Return the new value if it takes the place of the old one; else, if that is still in it, what no value is."""
    is_inside = isinstance(old, str) and isinstance(new, str) and old.strip() and old in new
    if isinstance(old, list) and isinstance(new, list):
        is_inside = any(each in new for each in old)
    return {"$inside": None} if is_inside else new
