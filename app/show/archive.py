"""The contents of a backup in words."""

from ana.archive.archive import Manifest
from app.show.text import pluralize

COUNTED = {"items": "item", "lines": "line", "journal": "change", "turns": "turn"}
"""Parts to mention, and their contents."""


def tell_parts(manifest: Manifest) -> str:
    """Return the contents of a backup in words."""
    counted = [pluralize(manifest.parts[part].rows, what) for part, what in COUNTED.items()]
    return f"{', '.join(counted[:-1])} and {counted[-1]}"
