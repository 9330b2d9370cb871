"""Sources: where a write comes from, and the content and each property of a record.

The important distinction is between the person and others. This module knows records only as JSON, so that databases
can use it.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ana.translation import _, mark_text
from ana.values import Json, Properties

PERSON = "person"
IMPORT = mark_text("import")
PASTE = mark_text("paste")
SUGGESTED = mark_text("suggested")
"""What a model made while a text of others was in view, in words that the person had not typed."""

LONGEST_NAME = 60
"""Characters of the name in a source."""

Record: TypeAlias = dict[str, Any]
"""A record as JSON."""

_SOURCE = re.compile(rf"person|import|paste|suggested|(?:calendar|assistant|tool)(?: \S.{{,{LONGEST_NAME - 1}}})?")
KINDS = mark_text(("calendar", "assistant", "tool"))
"""Of the other sources, which have a name."""

_ASSISTANT = re.compile(r"mcp-(.+)-\w+")


def name_assistant(name: str) -> str:
    """Return the source of texts by another assistant."""
    return _name("assistant", name)


def name_calendar(name: str) -> str:
    """Return the source of entries of a followed calendar."""
    return _name("calendar", name)


def is_followed(source: str) -> bool:
    """Return whether a source is a followed calendar, so that its entries must be changed there."""
    return source.startswith("calendar ")


def name_tool(name: str) -> str:
    """Return the source of results of a tool of the person's own."""
    return _name("tool", name)


def is_others(source: str) -> bool:
    """Return whether a source is not the person."""
    return source != PERSON


def read_source(source: object) -> str:
    """Return a source that somebody else may have written. Raises ValueError if it is not a source."""
    if not isinstance(source, str) or not _SOURCE.fullmatch(source) or not source.isprintable():
        raise ValueError(f"{str(source)[:20]!r} is not a source")
    return source


def weigh(known: str, source: str) -> str:
    """Return the less trusted of two sources: others before the person, and of two others the later one, `source`."""
    return source if is_others(source) else known


@dataclass(frozen=True)
class Sources:
    """The sources of a record's content and properties; only properties that are not the person's are named."""

    content: str = PERSON
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def least_trusted(self) -> str:
        """Return the last source that is not the person; else the person."""
        return next((s for s in reversed([self.content, *self.properties.values()]) if is_others(s)), PERSON)

    def to_json(self) -> dict[str, Json]:
        return {"content": self.content, "properties": dict(self.properties)}

    @classmethod
    def from_json(cls, record: object) -> "Sources":
        """Return the sources from the result of `to_json`. Raises ValueError for anything else."""
        if not isinstance(record, dict) or record.keys() != {"content", "properties"}:
            raise ValueError("its sources are not those of content and properties")
        parts = record["properties"] if isinstance(record["properties"], dict) else {"": None}
        return cls(
            read_source(record["content"]), {n: each for n, s in parts.items() if is_others(each := read_source(s))}
        )


ALL_MINE = Sources()
"""Of a record that is the person's as a whole."""


def tell_all(source: str, properties: Collection[str]) -> Sources:
    """Return the sources of a record with a single source."""
    return Sources(source, dict.fromkeys(properties, source) if is_others(source) else {})


def tell_part(known: str, old: Json, new: Json, change: object, source: str) -> str:
    """Return the source of a text or a value after a write.

    Args:
        known: Its source before.
        old: The old value; None if there was none.
        new: The new value.
        change: The write's own value or operation for it; None if the write does not mention it: a value that code
            moves on by itself keeps its source.
        source: The source of the write.
    """
    if new == old or (change is None and old is not None):
        return known
    # a rule in words is stored in another form; what is no plain value was merged into the old one
    is_inside = change not in (None, new) and not isinstance(change, str | int | float)
    return weigh(known, source) if is_inside else source


def tell_properties(
    known: Mapping[str, str], old: Properties, new: Properties, changes: Mapping[str, object], source: str
) -> dict[str, str]:
    """Return the sources of the properties that are by others, after a write; arguments as of `tell_part`."""
    sources = {
        name: tell_part(known.get(name, PERSON), old.get(name), value, changes.get(name), source)
        for name, value in new.items()
    }
    others = {name: each for name, each in sources.items() if is_others(each)}
    return dict(sorted(others.items(), key=lambda part: known.get(part[0]) != part[1]))  # what is new comes last


def describe_claim(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Return the author of a record's text after a claim; nothing if the author did not change."""
    if ("sources" in old) == ("sources" in new):
        return []
    return [_("no longer your own words") if "sources" in new else _("now your own words")]


def _name(kind: str, name: str) -> str:
    return f"{kind} {' '.join(''.join(c if c.isprintable() else ' ' for c in name).split())[:LONGEST_NAME]}".rstrip()


# ---- of what was written before they were kept


def find_source(turn: str) -> str:
    """Return the source of a turn, as far as its name shows it."""
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
            sources = tell_all(find_source(turn), after["properties"])
        else:
            sources = _tell(self._find(before), before, after, find_source(turn))
        self._known[_name_state(after)] = sources

    def complete(self, record: Record) -> Record:
        """Return a record with the sources of that state."""
        sources = self._find(record)
        return record | ({"sources": sources.to_json()} if is_others(sources.least_trusted) else {})

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
    """Return the new value if it replaces the old one; if it still contains the old one, return an operation."""
    is_inside = isinstance(old, str) and isinstance(new, str) and old.strip() and old in new
    if isinstance(old, list) and isinstance(new, list):
        is_inside = any(each in new for each in old)
    return {"$inside": None} if is_inside else new
