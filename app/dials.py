"""The settings of the dial, as people are told them."""

from ana.settings import Autonomy
from ana.translation import mark_text

DIALS: dict[Autonomy, str] = mark_text(
    {
        "advise": "every change asks you first.",
        "confirm": "much at once asks you first, acts outside, and what a text of others in view may have suggested.",
        "act": "only what a text of others in view may have suggested asks you first.",
    }
)
"""What each does."""

NAMES = mark_text(("advise", "confirm", "act"))
"""What they are called."""
