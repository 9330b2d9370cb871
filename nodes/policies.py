"""What a draft answer may not do: small pure checks of what it says against what really happened.

A check that is unsure keeps quiet, because a wrong alarm costs the person two more model calls and an answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nodes.claims import Claim, claims, states
from nodes.questions import asks_clock, asks_for_number, is_order, sentences, table


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
    """What is wrong with a draft.

    Args:
        policy: The policy's name.
        reason: For the model: what was wrong, and what to do.
        fallback: For the person, where the model cannot mend it.
    """

    policy: str
    reason: str
    fallback: str


_NUMBER = table(
    r"\d",
    r"\b(?:is|equals|makes) (?:exactly |about )?(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|a hundred|a thousand)\b",
)
_MOMENT = table(
    r"\d",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"\b(?:noon|midnight|o'clock|half past|quarter (?:past|to))\b",
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
)


def arithmetic_needs_calculator(e: Evidence) -> Violation | None:
    """A number that was asked for comes from the calculator, not from the model's head."""
    if "calculator" in e.tools or not asks_for_number(e.question) or not states(e.draft, _NUMBER):
        return None
    return Violation(
        "arithmetic",
        "It gives a computed number, but calculator did not run this turn. Call calculator, then answer from it.",
        "I did not manage to calculate that reliably. Please ask again.",
    )


def clock_needs_now(e: Evidence) -> Violation | None:
    """The present time or date comes from the clock, not from the prompt, which is older than the answer."""
    if "now" in e.tools or not asks_clock(e.question) or not states(e.draft, _MOMENT):
        return None
    return Violation(
        "clock",
        "It tells the present time or date, but now did not run this turn. Call now, then answer from it.",
        "I did not manage to read the clock. Please ask again.",
    )


def claimed_write_needs_receipt(e: Evidence) -> Violation | None:
    """What an answer says was stored, changed or deleted was so by a tool in this turn."""
    found = claims(e.draft, after_order=_is_about_a_write(e))
    return next((_unreceipted(claim) for claim in found if not claim.tools.intersection(e.tools)), None)


def _is_about_a_write(e: Evidence) -> bool:
    """An order, or a statement on which no tool ran: behind these a bare "Done." says that something was written."""
    ordered = any(is_order(sentence) for sentence in sentences(e.question))
    return ordered or not (e.tools or e.question.strip().endswith("?"))


def _unreceipted(claim: Claim) -> Violation:
    return Violation(
        "claimed_write",
        f'It says "{claim.words}", but no tool call of this turn did that. '
        f"Call the tool that does it ({', '.join(sorted(claim.tools))}), or do not say that it was {claim.deed}.",
        f"That was not {claim.deed}. Please tell me once more what you would like.",
    )


POLICIES: tuple[Callable[[Evidence], Violation | None], ...] = (
    arithmetic_needs_calculator,
    clock_needs_now,
    claimed_write_needs_receipt,
)


def first_violation(e: Evidence) -> Violation | None:
    """The first policy that a draft breaks."""
    return next((violation for policy in POLICIES if (violation := policy(e))), None)
