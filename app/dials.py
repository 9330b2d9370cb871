"""The settings of the dial, as people are told them."""

from ana.settings import Autonomy
from ana.translation import mark_text

DIALS: dict[Autonomy, str] = {
    "advise": mark_text("every change asks you first."),
    "confirm": mark_text(
        "much at once asks you first, acts outside, and what a text of others in view may have suggested."
    ),
    "act": mark_text("only what a text of others in view may have suggested asks you first."),
}
"""What each does."""

NAMES = (mark_text("advise"), mark_text("confirm"), mark_text("act"))
"""What they are called."""
