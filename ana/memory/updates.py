"""The item that results from a write: merged properties, a repeated item moved on, and the source of each part."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import tzinfo

from ana.errors import ToolError
from ana.memory.item import Item, merge_properties
from ana.memory.operations import Operation, apply_to
from ana.memory.repeating import Revision
from ana.memory.single_dates import SINGLE, list_days
from ana.memory.sources import Sources, is_followed, tell_all, tell_part, tell_properties
from ana.memory.travel import find_own_zone, name_zone, settle_zone
from ana.time import travel
from ana.time.clock import Clock
from ana.time.repeats import DATE_KEYS, may_repeat
from ana.values import Json, Properties


def make_item(id: str, content: str, properties: Properties, source: str, clock: Clock) -> Item:
    """Return a new item. Raises ToolError if a rule of repetition cannot be read."""
    named, stamp = name_zone(properties, clock.zone, None), clock.stamp()
    own = travel.find_own_zone(named, repeats=may_repeat(named)) or clock.zone
    stored, zone = settle_zone(_revise({}, named, named, clock, own), clock.zone)
    return Item(id, content, stored, stamp, stamp, tell_all(source, stored), zone)


def update_item(
    old: Item,
    content: str | Operation | None,
    properties: Mapping[str, Json | Operation],
    source: str,
    clock: Clock,
) -> Item:
    """Return an item with another content and merged properties. Raises ToolError as `Memory.update` does."""
    properties = _move_along(old.properties, properties)
    changed = {name: apply_to(old.properties.get(name), change) for name, change in properties.items()}
    text = old.content if content is None else str(apply_to(old.content, content))
    merged = name_zone(merge_properties(old.properties, changed), clock.zone, find_own_zone(old))
    own = travel.find_own_zone(merged, old.zone, repeats=may_repeat(merged)) or clock.zone
    stored, zone = settle_zone(_revise(old.properties, merged, changed, clock, own), clock.zone, old)
    text_source = tell_part(old.sources.content, old.content, text, content, source)
    _check_followed(old, text, stored, source)
    sources = Sources(text_source, tell_properties(old.sources.properties, old.properties, stored, properties, source))
    return replace(old, content=text, properties=stored, updated_at=clock.stamp(), sources=sources, zone=zone)


def _move_along(old: Properties, changes: Mapping[str, Json | Operation]) -> Mapping[str, Json | Operation]:
    """Return a change; if a repeated item is moved by a distance, its end and single dates move along."""
    shift = next((each for key, each in changes.items() if key in DATE_KEYS and isinstance(each, Operation)), None)
    if shift is None or not may_repeat(old):
        return changes
    along: dict[str, Json | Operation] = {key: shift.move(old[key]) for key in ("until", *SINGLE) if old.get(key)}
    if isinstance(moved := along.get("moved"), dict):  # what was moved before is kept where nothing says otherwise
        along["moved"] = dict.fromkeys(list_days(old["moved"])) | moved
    return {**along, **changes}


def _check_followed(old: Item, text: str, stored: Properties, source: str) -> None:
    """Raise ToolError if a change is to a part that comes from a calendar, because its next reading would reverse the
    change.
    """
    calendar = old.sources.content
    if not is_followed(calendar) or source == calendar:
        return
    names = [name for name, origin in old.sources.properties.items() if origin == calendar]
    if text != old.content or any(stored.get(name) != old.properties.get(name) for name in names):
        raise ToolError(
            f"This is an entry of the {calendar}, which is read again every hour: it is changed there, not here.",
            "What is noted beside it stays: a property of another name, such as note; or an item of its own.",
        )


def _revise(old: Properties, new: Properties, changes: Mapping[str, Json], clock: Clock, zone: tzinfo) -> Properties:
    if not changes or not may_repeat(new):
        return new
    return Revision(old, changes, clock.now().astimezone(zone), zone).apply(new)
