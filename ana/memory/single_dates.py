"""The single dates that are exceptions to a rule of repetition: left out, added, moved."""

from datetime import date

from ana.time.dates import day_of
from ana.time.repeats import ALSO
from ana.values import Json, Properties

SINGLE = ("except", ALSO, "moved")
"""The properties that have them."""


def list_days(value: Json) -> list[str]:
    """Return the dates of such a property; for moved dates, the original dates."""
    return [str(each) for each in value] if isinstance(value, list | dict) else []


def list_values(value: Json) -> list[Json]:
    """Return all values in such a property that should be dates."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else [value]


def read_moves(value: Json) -> Properties:
    """Return the dates of such a property, each with its new date if it is moved."""
    if isinstance(value, dict):
        return value
    return {str(day): None for day in list_values(value)}


def merge_moved(old: Properties, new: Properties) -> Properties:
    """Return new properties that keep earlier moves beside the new ones, with single dates as lists."""
    moved, before = new.get("moved"), old.get("moved")
    merged = new | {name: [new[name]] for name in ("except", ALSO) if isinstance(new.get(name), str)}
    if isinstance(moved, dict):
        both = (before if isinstance(before, dict) else {}) | moved
        merged["moved"] = {key: value for key, value in both.items() if value is not None}
    return merged


def end_added(properties: Properties) -> Properties:
    """Return the properties without dates that were added after the last day."""
    until, also = day_of(properties.get("until")), list_days(properties.get(ALSO))
    rest = [each for each in also if not until or (day_of(each) or until) <= until]
    return drop_nulls(properties | {ALSO: [*rest] or None}) if len(rest) < len(also) else properties


def drop_past(properties: Properties, day: date) -> Properties:
    """Return the properties without exceptions and moves before a day, which no longer change a date."""
    rest, exceptions, moved = dict(properties), properties.get("except"), properties.get("moved")
    if isinstance(exceptions, list):
        rest["except"] = [each for each in exceptions if (day_of(each) or day) >= day] or None
    if isinstance(moved, dict):
        rest["moved"] = {at: to for at, to in moved.items() if any((day_of(e) or day) >= day for e in (at, to))} or None
    return rest


def drop_nulls(properties: Properties) -> Properties:
    """Return the properties that are not null."""
    return {key: value for key, value in properties.items() if value is not None}
