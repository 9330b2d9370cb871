"""Items that take place at a time and are past afterwards, unlike tasks that have to be done by then."""

from collections.abc import Mapping

from ana.time.dates import day_of
from ana.values import Json

TAKES_PLACE = (
    "absence",
    "anniversary",
    "appointment",
    "birthday",
    "booking",
    "call",
    "class",
    "concert",
    "conference",
    "course",
    "event",
    "exam",
    "flight",
    "holiday",
    "interview",
    "lecture",
    "lesson",
    "meeting",
    "party",
    "reservation",
    "shift",
    "teaching",
    "training",
    "travel",
    "trip",
    "vacation",
    "visit",
    "wedding",
)
"""The types of what takes place, whichever date property holds its day; in English, as all types are."""

_MOMENTS = ("start_date", "end_date")


def takes_place(properties: Mapping[str, Json]) -> bool:
    """Return whether an item takes place: its type says so, or it has a start or an end and no due_date."""
    kind = properties.get("type")
    if isinstance(kind, str) and kind.lower() in TAKES_PLACE:
        return True
    return "due_date" not in properties and any(day_of(properties.get(name)) for name in _MOMENTS)
