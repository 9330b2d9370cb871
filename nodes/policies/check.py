"""All policies, in the order in which a draft is sent back for them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from ana.translation import _, mark_text
from nodes.evidence import Evidence, Violation
from nodes.policies.citations import citations_exist
from nodes.policies.clock import clock_is_read
from nodes.policies.equations import equations_are_true
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.results import results_are_unchanged
from nodes.policies.weekdays import weekdays_fit

MOST_CHARACTERS = 10_000
"""So much of a draft, and of a message, is read: what follows in a longer one is a document."""

MOST_NAMED = 6
"""So many mistakes of a draft are named when it is sent back."""

POLICIES: tuple[tuple[str, Callable[[Evidence], Iterator[str]]], ...] = (
    ("arithmetic", results_are_unchanged),
    ("arithmetic", equations_are_true),
    ("arithmetic", numbers_are_traced),
    ("clock", clock_is_read),
    ("dates", weekdays_fit),
    ("citation", citations_exist),
)
"""Each with what it is about; it yields what is wrong in a draft."""

WAYS_OUT = {
    "arithmetic": "Call calculator or look again, then answer from the result; or leave the number out.",
    "clock": "Call now, then answer from it; or leave the present time out.",
    "dates": "Take the date from the calendar or resolve_date; if something was stored with a wrong one, change it.",
    "citation": "Look it up with query_items or in Global Context and cite what is there, or leave it out.",
}
"""What the model is told to do."""

FALLBACKS = {
    "arithmetic": mark_text("I did not manage to calculate that reliably. Please ask again."),
    "clock": mark_text("I did not manage to read the clock. Please ask again."),
    "dates": mark_text("The day I was going to name did not fit its date."),
    "citation": mark_text("I was going to name an entry that I cannot find."),
}
"""What the person is told if the model does not."""


def find_violation(e: Evidence) -> Violation | None:
    """Return the violation of the first policy that a draft breaks, or None.

    It reports all mistakes of that policy at once: a draft is sent back too rarely to report them one by one.
    """
    e = replace(e, draft=e.draft[:MOST_CHARACTERS], question=e.question[:MOST_CHARACTERS])
    for name, policy in POLICIES:
        if wrong := [*dict.fromkeys(policy(e))][:MOST_NAMED]:
            return Violation(name, " ".join([*wrong, WAYS_OUT[name]]), _(FALLBACKS[name]))
    return None
