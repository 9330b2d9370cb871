"""The effects of a call: it adds, changes, loses, deletes or teaches, judged by the record before and after; a tool of
the person's own acts or reaches outside, as its metadata says.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from langchain_core.tools import BaseTool

from ana.memory.changes import Change
from ana.memory.item import Item
from ana.memory.routines import is_routine
from ana.time.repeats import RULE_KEYS
from ana.values import Json

Effect: TypeAlias = Literal["adds", "changes", "loses", "deletes", "teaches", "acts", "reaches"]
"""What a call does to a record; `acts` and `reaches` of a tool of the person's own: outside, and to the outside."""

TAUGHT = frozenset({*RULE_KEYS, "repeat_from", "remind"})
"""Properties that make something happen by itself at later times."""


def find_effects(change: Change) -> frozenset[Effect]:
    """Return the effects of a change; none if the record stays as it is."""
    if change.kind == "line":
        return frozenset({"teaches"})
    return frozenset(_iter_effects(change.before, change.after))


def find_effects_of(tool: BaseTool) -> frozenset[Effect]:
    """Return the effects of a tool of the person's own, by its metadata, which uses MCP's annotations.

    It acts outside unless it says that it changes nothing (`readOnlyHint`) or asks by itself (`asksItself`). It reaches
    outside if it says so (`openWorldHint`): an address that it looks up may contain the person's words.
    """
    says = {name for name, value in (tool.metadata or {}).items() if value is True}
    acts: frozenset[Effect] = frozenset() if says & {"readOnlyHint", "asksItself"} else frozenset({"acts"})
    return acts | ({"reaches"} if "openWorldHint" in says else frozenset())


def _iter_effects(old: Item | None, new: Item | None) -> Iterator[Effect]:
    if new is None:
        yield "deletes"
        return
    content, properties = (old.content, old.properties) if old else (None, {})
    if content != new.content:
        yield "adds" if new.content.startswith(content or "") else "loses"
    for name in {**properties, **new.properties}:
        was, now = properties.get(name), new.properties.get(name)
        if was != now:
            yield _compare(was, now)
            if name in TAUGHT:
                yield "teaches"
    if is_routine(new) and (content != new.content or not is_routine(old)):
        yield "teaches"


def _compare(was: Json, now: Json) -> Effect:
    """Return the effect on a value; an empty value that gets one is filled, and removed entries of a list are lost."""
    if was is None or was in ("", [], {}):
        return "adds"
    if now is None:
        return "loses"
    if isinstance(was, list) and isinstance(now, list):
        if any(entry not in now for entry in was):
            return "loses"
        return "adds" if len(now) > len(was) else "changes"
    if isinstance(was, str) and isinstance(now, str) and now.startswith(was):
        return "adds"
    return "changes"
