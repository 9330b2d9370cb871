"""All policies, in the order in which a draft is sent back for them."""

from collections.abc import Callable, Collection
from dataclasses import replace

from nodes.policies.citations import citations_exist
from nodes.policies.clock import clock_is_read
from nodes.policies.dates import days_fit
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.outcomes import OUTCOME, outcomes_are_told
from nodes.policies.outside import OUTSIDE, PROMISED, acts_are_possible, promises_are_kept
from nodes.policies.writes import CLAIMED, FAILED, writes_are_told

MOST_CHARACTERS = 10_000
"""So much of a draft, and of a message, is read: what follows in a longer one is a document."""

ONCE = frozenset({CLAIMED, FAILED, OUTCOME, OUTSIDE, PROMISED})
"""A draft is sent back once for these: the receipt contradicts it, and what a model says twice may be right."""

POLICIES: tuple[Callable[[Evidence], Violation | None], ...] = (
    numbers_are_traced,
    clock_is_read,
    days_fit,
    acts_are_possible,
    promises_are_kept,
    outcomes_are_told,
    writes_are_told,
    citations_exist,
)


def first_violation(e: Evidence, corrected: Collection[str] = ()) -> Violation | None:
    """Return the first violation of a draft, or None.

    Args:
        e: The turn.
        corrected: The policies for which drafts of this turn were sent back already.
    """
    if len(e.draft) > MOST_CHARACTERS or len(e.question) > MOST_CHARACTERS:
        e = replace(e, draft=e.draft[:MOST_CHARACTERS], question=e.question[:MOST_CHARACTERS])
    known = ONCE.intersection(corrected) | ({CLAIMED} if {OUTSIDE, PROMISED}.intersection(corrected) else set())
    found = (violation for policy in POLICIES if (violation := policy(e)))
    return next((each for each in found if each.policy not in known), None)
