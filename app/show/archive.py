"""What a backup holds, in words."""

from ana.archive.archive import Manifest
from app.show.text import pluralize

COUNTED = {"items": "item", "lines": "line", "journal": "change", "turns": "turn"}
"""Parts that are told of, and what they hold."""


def tell_parts(manifest: Manifest) -> str:
    """Return how much a backup holds."""
    counted = [pluralize(manifest.parts[part].rows, what) for part, what in COUNTED.items()]
    return f"{', '.join(counted[:-1])} and {counted[-1]}"
