"""All policies, in the order in which a draft is sent back for them."""

from collections.abc import Callable, Collection

from nodes.policies.citations import citations_exist
from nodes.policies.clock import clock_is_read
from nodes.policies.dates import days_fit
from nodes.policies.evidence import Evidence, Violation, cut_long
from nodes.policies.numbers import numbers_are_traced
from nodes.policies.outcomes import OUTCOME, outcomes_are_told
from nodes.policies.outside import OUTSIDE, PROMISED, acts_are_possible, promises_are_kept
from nodes.policies.writes import CLAIMED, FAILED, writes_are_told

ONCE = frozenset({CLAIMED, FAILED, OUTCOME, OUTSIDE, PROMISED})
"""A draft is sent back once for these: the receipt contradicts it, and what a model says twice may be right."""

Policy = Callable[[Evidence], Violation | None]
POLICIES: tuple[Policy, ...] = (
    numbers_are_traced,
    clock_is_read,
    days_fit,
    acts_are_possible,
    promises_are_kept,
    outcomes_are_told,
    writes_are_told,
    citations_exist,
)


TRACING: frozenset[Policy] = frozenset({numbers_are_traced, clock_is_read, outcomes_are_told, citations_exist})
"""These go through all that the turn has seen, and say nothing where that is very long."""


def first_violation(e: Evidence, corrected: Collection[str] = ()) -> Violation | None:
    """Return the first violation of a draft, or None.

    Args:
        e: The turn.
        corrected: The policies for which drafts of this turn were sent back already.
    """
    e = cut_long(e)
    known = ONCE.intersection(corrected) | ({CLAIMED} if {OUTSIDE, PROMISED}.intersection(corrected) else set())
    policies = (policy for policy in POLICIES if not (e.is_long and policy in TRACING))
    found = (violation for policy in policies if (violation := policy(e)))
    return next((each for each in found if each.policy not in known), None)
