"""All policies, in the order in which a draft is sent back for them."""

from collections.abc import Callable
from dataclasses import replace

from nodes.policies.citations import citations_exist
from nodes.policies.claimed_days import claimed_days_are_written
from nodes.policies.claims import changes_are_counted, claimed_write_needs_receipt
from nodes.policies.clock import clock_is_read
from nodes.policies.dates import days_fit
from nodes.policies.evidence import Evidence, Violation
from nodes.policies.failures import failed_writes_are_told
from nodes.policies.numbers import numbers_are_traced

MOST_CHARACTERS = 10_000
"""So much of a draft, and of a message, is read: what follows in a longer one is a document."""

POLICIES: tuple[Callable[[Evidence], Violation | None], ...] = (
    numbers_are_traced,
    clock_is_read,
    days_fit,
    claimed_write_needs_receipt,
    failed_writes_are_told,
    claimed_days_are_written,
    changes_are_counted,
    citations_exist,
)


def first_violation(e: Evidence) -> Violation | None:
    """Return the first violation of a draft, or None."""
    if len(e.draft) > MOST_CHARACTERS or len(e.question) > MOST_CHARACTERS:
        e = replace(e, draft=e.draft[:MOST_CHARACTERS], question=e.question[:MOST_CHARACTERS])
    return next((violation for policy in POLICIES if (violation := policy(e))), None)
