"""Policies: small pure checks of a draft answer against what really happened.

A policy that is not sure reports nothing, because a false alarm costs the person two more model calls and an answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nodes.claims import Claim, find_claims, makes_statement
from nodes.questions import any_of, asks_clock, asks_for_number, is_order, split_sentences


@dataclass(frozen=True)
class Evidence:
    """One turn, as the policies see it.

    Args:
        question: The person's message.
        draft: The assistant's draft answer.
        tools: The tools that ran successfully in this turn.
    """

    question: str
    draft: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Violation:
    """The policy that a draft breaks.

    Args:
        policy: The policy's name.
        reason: Tells the model the mistake and what to do.
        fallback: Tells the person, if the model does not correct it.
    """

    policy: str
    reason: str
    fallback: str


_NUMBER = any_of(
    r"\d",
    r"\b(?:is|equals|makes) (?:exactly |about )?(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|a hundred|a thousand)\b",
)
_MOMENT = any_of(
    r"\d",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"\b(?:noon|midnight|o'clock|half past|quarter (?:past|to))\b",
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
)


def arithmetic_needs_calculator(e: Evidence) -> Violation | None:
    """Require that a number that was asked for comes from the calculator."""
    if "calculator" in e.tools or not asks_for_number(e.question) or not makes_statement(e.draft, _NUMBER):
        return None
    return Violation(
        "arithmetic",
        "It gives a computed number, but calculator did not run this turn. Call calculator, then answer from it.",
        "I did not manage to calculate that reliably. Please ask again.",
    )


def clock_needs_now(e: Evidence) -> Violation | None:
    """Require that the present time or date comes from the clock; the one in the prompt is older than the answer."""
    if "now" in e.tools or not asks_clock(e.question) or not makes_statement(e.draft, _MOMENT):
        return None
    return Violation(
        "clock",
        "It tells the present time or date, but now did not run this turn. Call now, then answer from it.",
        "I did not manage to read the clock. Please ask again.",
    )


def claimed_write_needs_receipt(e: Evidence) -> Violation | None:
    """Require that a tool of this turn did what the answer says was stored, changed or deleted."""
    # One unproved claim is enough: the person would rely on it.
    found = find_claims(e.draft, after_order=_is_about_a_write(e))
    return next((_missing_receipt(claim) for claim in found if not claim.tools.intersection(e.tools)), None)


def _is_about_a_write(e: Evidence) -> bool:
    """Whether the message is an order, or a statement on which no tool ran."""
    # The answer "Done." claims a write then; after a question or a calculation it does not.
    ordered = any(is_order(sentence) for sentence in split_sentences(e.question))
    return ordered or not (e.tools or e.question.strip().endswith("?"))


def _missing_receipt(claim: Claim) -> Violation:
    return Violation(
        "claimed_write",
        f'It says "{claim.words}", but no tool call of this turn did that. '
        f"Call the tool that does it ({', '.join(sorted(claim.tools))}), or do not say that it was {claim.action}.",
        f"That was not {claim.action}. Please tell me again what you would like.",
    )


POLICIES: tuple[Callable[[Evidence], Violation | None], ...] = (
    arithmetic_needs_calculator,
    clock_needs_now,
    claimed_write_needs_receipt,
)


def first_violation(e: Evidence) -> Violation | None:
    """Return the first violation of a draft, or None."""
    return next((violation for policy in POLICIES if (violation := policy(e))), None)
