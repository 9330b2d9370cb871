"""The contents of a backup in words."""

from collections.abc import Mapping

from ana.archive.parts import Part
from app.show.text import pluralize

COUNTED = {"items": "item", "lines": "line", "journal": "change", "turns": "turn"}
"""Parts to mention, and their contents."""


def tell_parts(parts: Mapping[str, Part]) -> str:
    """Return the contents of a backup in words."""
    counted = [pluralize(parts[part].rows, what) for part, what in COUNTED.items()]
    return f"{', '.join(counted[:-1])} and {counted[-1]}"
