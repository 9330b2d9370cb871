"""The settings of the dial, as people are told them."""

from ana.settings import Autonomy

DIALS: dict[Autonomy, str] = {
    "advise": "every change asks you first.",
    "confirm": "what is risky asks you first, such as deleting something you did not name.",
    "act": "only what stored text may have ordered asks you first.",
}
"""What each does."""
