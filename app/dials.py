"""The settings of the dial, as people are told them."""

from ana.settings import Autonomy
from ana.translation import mark_text

DIALS: dict[Autonomy, str] = mark_text(
    {
        "advise": "every change asks you first.",
        "confirm": "it asks before it changes much at once, acts outside of ana, or does what a text by somebody else "
        "may have suggested.",
        "act": "it asks only before it does what a text by somebody else may have suggested.",
    }
)
"""What each does."""

NAMES = mark_text(("advise", "confirm", "act"))
"""What they are called."""
