"""Who told it: where writes come from, and the content and each property of a record."""

from ana.memory.sources.parts import (
    ALL_MINE,
    IMPORT,
    PASTE,
    PERSON,
    SUGGESTED,
    Sources,
    describe_claim,
    is_others,
    name_assistant,
    name_calendar,
    name_tool,
    read_source,
    tell_all,
    tell_part,
    tell_properties,
)

__all__ = [
    "ALL_MINE",
    "IMPORT",
    "PASTE",
    "PERSON",
    "SUGGESTED",
    "Sources",
    "describe_claim",
    "is_others",
    "name_assistant",
    "name_calendar",
    "name_tool",
    "read_source",
    "tell_all",
    "tell_part",
    "tell_properties",
]
