"""What a draft answer may not do: small pure checks of what it says against what really happened.

They read English and look for plain cases. A check that is unsure keeps quiet, because a wrong alarm costs the person two
more model calls and an answer.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


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


def _table(*rows: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row})" for row in rows), re.IGNORECASE)


# ---- shared: sentences, orders, and what a draft states

_SENTENCE = re.compile(r"(?<=[.?!。？！])\s+(?=[^\W\d_]|[\"“'¿¡])|\n+")
_FILLER = r"(?:(?:please|hey|hi|ana|also|and|then|ok(?:ay)?|so|now|(?:can|could|would|will) you)[,\s]+)*"
_ORDER = re.compile(
    rf"^{_FILLER}(?:i need you to |i want you to |make sure to )?"
    r"(?:add(?! (?:up )?\d)|create|remind|note|save|store|remember|record|log|schedule|reschedule|put|jot|write|keep|track|"
    r"call|book|buy|pay|mark|move|update|change|set|delete|erase|remove|forget|clear|rename|cancel|postpone|archive)\b",
    re.IGNORECASE,
)
_DECLINED = _table(
    r"\b(?:can't|cannot|can not|couldn't|unable|won't|didn't|don't|not able|unsure)\b",
    r"\bi(?:'m| am) not\b",
    r"\b(?:would|will|'d|'ll) need to\b",
)


def _sentences(text: str) -> list[str]:
    parts = _SENTENCE.split(text.replace("’", "'").replace("‘", "'"))
    return [part.strip() for part in parts if part.strip()]


def _is_order(sentence: str) -> bool:
    return bool(_ORDER.search(sentence))


def _asked(question: str) -> list[str]:
    """The sentences that are no order to store or change something."""
    return [s for s in _sentences(question) if not _is_order(s)]


def _states(draft: str, what: re.Pattern[str]) -> bool:
    """Whether a sentence that neither asks back nor declines holds it."""
    stated = (s for s in _sentences(draft) if not s.endswith(("?", "？")) and not _DECLINED.search(s))
    return any(what.search(s) for s in stated)


# ---- arithmetic

_NUMBER = r"[$€£]?\d+(?:,\d{3})*(?:\.\d+)?"
_NO_QUANTITY = _table(
    r"\b\d{4}-\d{1,2}-\d{1,2}(?:T[\d:]+)?",  # 2026-01-13
    r"\b\d{1,2}/\d{1,2}/\d{2,4}\b",
    r"\bv?\d+\.\d+\.\d+(?:\.\d+)*\b",  # 3.11.2, 13.01.2026
    r"\b\d{1,2}:\d{2}(?::\d{2})?\b",
    r"(?<![\d)!] )(?<![\d)!])\+\d[\d ()/-]{6,}\d",  # +49 170 1234567
    r"(?:\(\d{3}\) ?|\b\d{3}[-. ])?\b\d{3}-\d{4}\b",
    r"\b24/7\b",
    r"\b(?:in|of|since|until|by|year) (?:19|20)\d\d\b",
)
_RUN = re.compile(r"[-−(\d$€£.][-\d\s.,()+*/×÷−^%!$€£x]*")
_OPERATION = re.compile(r"[\d)!%]\s*(?:\*\*|//|[-−+*/×÷^x]|%(?=\s*[\d(]))\s*[-−$€£(]*[\d.]|\d\s*!")
_RUN_ENDS = re.compile(r"$|[?:;=]|(?:in|as|to|and|rounded|exactly|please|equals?|make)\b", re.IGNORECASE)
_MAY_BE_NO_SUM = _table(
    r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])",  # a day: 1/13
    r"\d+-\d+",  # a range: 2-3
    r"\d+ ?x ?\d+",  # a size: 2x4
    r"\d+!",  # an exclamation
)
_BARE = re.compile(r"(?:so |and |ok(?:ay)?,? )?(?P<run>[^=?a-wyz]+)(?P<equals>=|is\b|equals\b)?[\s?]*", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:what(?:'s|s| is| are| does| would be)|how much(?: is| are|'s| does)?|comput(?:e|ing)|calculate|calc|evaluate|"
    r"solve|work out|figure out|(?:tell|give) me|know|value of|result of|answer to)"
    r"(?: the (?:exact )?(?:result|value|answer) (?:of|to|for))?[\s:]+",
    re.IGNORECASE,
)
_WORDED = _table(
    rf"{_NUMBER} (?:times|plus|minus|multiplied by|divided by|modulo|mod|to the power of) {_NUMBER}",
    rf"\b{_NUMBER} ?(?:%|percent) (?:of|off|tip on|discount on) (?:the )?{_NUMBER}",
    rf"\b(?:split|divide|share) (?:the )?(?:bill of )?{_NUMBER}(?: (?:euros?|dollars?|bucks|eur|usd|pounds?))?"
    rf" (?:between|among|by|across|into|with|evenly|equally|\w+ ways)\b",
    rf"\bmultiply {_NUMBER} (?:by|with) {_NUMBER}",
    rf"\bsubtract {_NUMBER} from {_NUMBER}",
    rf"\badd (?:up )?{_NUMBER}(?:(?:, and |, | and | to ){_NUMBER})+[.?]?$",
    rf"\b(?:sum|product|average|mean|difference|median) (?:of|between) {_NUMBER}",
    rf"\b(?:square|cube) root of {_NUMBER}|\bfactorial of \d",
    rf"{_NUMBER} (?:squared|cubed|factorial)\b",
)
_TOTAL = _table(r"\bwhat(?:'s|s| is| would be| will be| are) the (?:grand |overall )?(?:total|sum)\b(?! number)")
_HOW_MUCH = _table(r"\bhow much\b", r"\bhow many\b(?!.*\b(?:do i have|are there|have i|did i)\b)")
_RATE = _table(
    r"\b(?:if|each|per|every|daily|weekly|monthly|yearly|annually|hourly)\b",
    r"\ban? (?:hour|day|week|month|year|piece|person)\b",
    r"\bat [$€£]?\d",
)
_QUANTITY = re.compile(rf"(?<![\w.]){_NUMBER}(?!\w)")
_GIVES_NUMBER = _table(
    r"\d",
    r"\b(?:is|equals|makes) (?:exactly |about )?(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|a hundred|a thousand)\b",
)


def arithmetic_needs_calculator(e: Evidence) -> Violation | None:
    """A number that was asked for comes from the calculator, not from the model's head."""
    if "calculator" in e.tools or not _asks_for_number(e.question) or not _states(e.draft, _GIVES_NUMBER):
        return None
    return Violation(
        "arithmetic",
        "It gives a computed number, but calculator did not run in this turn. Call calculator, then answer from its result.",
        "I did not manage to calculate that reliably. Please ask again.",
    )


def _asks_for_number(question: str) -> bool:
    asked = [_NO_QUANTITY.sub("#", s) for s in _asked(question)]
    if any(_asks_expression(s) or _is_sum(s) or _asks_in_words(s) for s in asked):
        return True
    return len(_QUANTITY.findall(_NO_QUANTITY.sub("#", question))) > 1 and any(
        _TOTAL.search(s) or (_HOW_MUCH.search(s) and _RATE.search(" ".join(asked))) for s in asked
    )


def _asks_expression(sentence: str) -> bool:
    """What's 9! / (3!*3!*3!)?"""
    runs = (_RUN.match(sentence, ask.end()) for ask in _ASKS.finditer(sentence))
    return any(run and _OPERATION.search(run[0]) and _RUN_ENDS.match(sentence, run.end()) for run in runs)


def _is_sum(sentence: str) -> bool:
    """12 * 8 = ?, and nothing else."""
    bare = _BARE.fullmatch(sentence)
    if bare is None or not _OPERATION.search(bare["run"]):
        return False
    return bool(bare["equals"]) or not _MAY_BE_NO_SUM.fullmatch(bare["run"].strip(" ."))


def _asks_in_words(sentence: str) -> bool:
    """How much is 12 times 8?"""
    words = re.sub(rf"^{_FILLER}", "", sentence, flags=re.IGNORECASE)
    asks = sentence.endswith("?") or _ASKS.search(sentence)
    return bool(_WORDED.search(words) if asks else _WORDED.match(words))


# ---- clock

_NOW = r"(?: (?:right now|now|currently|at the moment|today|here|please|in utc|utc))*"
_PLACE = r"(?:,? (?:in|over in) (?!the\b)[\w /]+)?"
_MOMENT = r"(?:current |exact |present |local |utc |today's )?(?:date|time|day|weekday)(?: and (?:the )?(?:date|time|day))?"
_ASKS_CLOCK = re.compile(
    rf"(?:\bwhat(?:'s|s| is) (?:the )?{_MOMENT}"
    rf"|\b(?:tell|give) me (?:the |what )?{_MOMENT}(?: is it| it is)?"
    rf"|\b(?:what|which) (?:time|date|day|hour|month|year|weekday|day of the week)(?: and (?:time|date|day))?"
    r" (?:is it|it is|is today|is now)"
    rf"|\b(?:do you have|have you got|got) the time"
    rf"|^(?:{_FILLER})(?:the )?{_MOMENT}"
    rf"|\bwhat(?:'s|s| is) today)"
    rf"{_NOW}{_PLACE}{_NOW}\s*(?:$|[?.!,;]|and what\b)",
    re.IGNORECASE,
)
_GIVES_MOMENT = _table(
    r"\d",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"\b(?:noon|midnight|o'clock|half past|quarter (?:past|to))\b",
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
)


def clock_needs_now(e: Evidence) -> Violation | None:
    """The present time or date comes from the clock, not from the prompt: a thread may have waited since."""
    asks = any(_ASKS_CLOCK.search(s) for s in _asked(e.question))
    if "now" in e.tools or not asks or not _states(e.draft, _GIVES_MOMENT):
        return None
    return Violation(
        "clock",
        "It tells the present time or date, but now did not run in this turn. Call now, then answer from its result.",
        "I did not manage to read the clock. Please ask again.",
    )
