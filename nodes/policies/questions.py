"""Tests of what a message in plain English asks for: to store something, a computed number, the present time.

They are strict: a message that does not clearly ask for it does not ask for it.
"""

import re


def any_of(*patterns: str) -> re.Pattern[str]:
    """Join patterns into one that ignores case."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


_SENTENCE = re.compile(r"(?<=[.?!。？！])\s+(?=[^\W\d_]|[\"“'¿¡])|(?<=[^\W\d][.?!])\s+(?=\d)|\n+")
_FILLER = r"(?:(?:please|hey|hi|ana|also|and|then|ok(?:ay)?|so|now|(?:can|could|would|will) you)[,\s]+)*"
_ORDER = re.compile(
    rf"^{_FILLER}(?:i need you to |i want you to |make sure to )?"
    r"(?:add(?! (?:up )?\d)|create|remind|note|save|store|remember|record|log|(?:re)?schedule|put|jot|write|keep"
    r"|track|"
    r"call|book|buy|pay|mark|move|update|change|set|complete|finish|cross|tick|delete|erase|remove|drop|forget|clear|"
    r"rename|cancel|postpone|archive)\b",
    re.IGNORECASE,
)


def split_sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, with straight apostrophes."""
    parts = _SENTENCE.split(text.replace("’", "'").replace("‘", "'"))
    return [part.strip() for part in parts if part.strip()]


def is_order(sentence: str) -> bool:
    """Whether a sentence tells the assistant to store, change or delete something."""
    return bool(_ORDER.search(sentence))


def _drop_orders(question: str) -> list[str]:
    """Return the sentences that do not tell the assistant to store or change something."""
    return [s for s in split_sentences(question) if not is_order(s)]


# ---- a computed number

_NUMBER = r"[$€£]?\d+(?:,\d{3})*(?:\.\d+)?"
NO_QUANTITY = any_of(
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
_RUN_ENDS = re.compile(
    r"$|[?:;=]|(?:in|as|to|and|is|rounded|exactly|please|equals?|make|for (?:me|us))\b", re.IGNORECASE
)
_MAY_BE_NO_SUM = any_of(
    r"(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|[12]\d|3[01])",  # a day: 1/13
    r"\d+-\d+",  # a range: 2-3
    r"\d+ ?x ?\d+",  # a size: 2x4
    r"\d+!",  # an exclamation
)
_BARE = re.compile(
    r"(?:(?:so|and|ok(?:ay)?|quick)[,:]? )?(?P<run>[^=?a-wyz]+)(?P<equals>=|is\b|equals\b)?[\s?]*", re.IGNORECASE
)
_ASKS = re.compile(
    r"\b(?:what(?:'s|s| is| are| does| would be)?|i need|how much(?: is| are|'s| does)?|comput(?:e|ing)|calculate"
    r"|calc|"
    r"evaluate|solve|work out|figure out|(?:tell|give) me|know|value of|result of|answer to)"
    r"(?: the (?:exact )?(?:result|value|answer) (?:of|to|for))?[\s:]+",
    re.IGNORECASE,
)
_WORDED = any_of(
    rf"{_NUMBER} (?:times|plus|minus|multiplied by|divided by|modulo|mod|to the power of) {_NUMBER}",
    rf"\b{_NUMBER} ?(?:%|percent) (?:of|off|tip on|discount on) (?:the )?{_NUMBER}",
    rf"\b(?:split|divide|share) (?:the )?(?:bill of )?{_NUMBER}(?: (?:euros?|dollars?|bucks|eur|usd|pounds?))?"
    rf" (?:between|among|by|across|into|with|evenly|equally|\w+ ways)\b",
    rf"\bmultiply {_NUMBER} (?:by|with) {_NUMBER}",
    rf"\bsubtract {_NUMBER} from {_NUMBER}",
    rf"\badd (?:up )?{_NUMBER}(?:(?:, and |, | and | to ){_NUMBER})+[.?]?$",
    rf"\b(?:sum|product|average|mean|difference|median) (?:of|between) {_NUMBER}",
    rf"\b(?:square|cube) root of {_NUMBER}|\bfactorial of \d",
    rf"\b(?:half|a third|a quarter|twice|double|triple) (?:of )?{_NUMBER}",
    rf"\bhow many (?:second|minute|hour|day|week|month)s (?:are |are there )?in {_NUMBER} \w+\?$",
    rf"{_NUMBER} (?:squared|cubed|factorial)\b",
)
_TOTAL = any_of(r"\bwhat(?:'s|s| is| would be| will be| are) the (?:grand |overall )?(?:total|sum)\b(?! number)")
_HOW_MUCH = any_of(r"\bhow much\b(?! did)", r"\bhow many\b(?!.*\b(?:do i have|are there|have i|did i)\b)")
_RATE = any_of(
    r"\b(?:if|each|per|every|daily|weekly|monthly|yearly|annually|hourly)\b",
    r"\ban? (?:hour|day|week|month|year|piece|person)\b",
    r"\bat [$€£]?\d",
)
_QUANTITY = re.compile(rf"(?<![\w.]){_NUMBER}(?!\w)")


def asks_for_number(question: str) -> bool:
    """Whether a message asks for a number that has to be calculated, not looked up."""
    # Dates, phone numbers and versions hold digits and signs, but nobody wants them calculated.
    asked = [NO_QUANTITY.sub("#", s) for s in _drop_orders(question)]
    if any(_asks_expression(s) or _is_sum(s) or _asks_in_words(s) for s in asked):
        return True
    return len(_QUANTITY.findall(NO_QUANTITY.sub("#", question))) > 1 and any(
        _TOTAL.search(s) or (_HOW_MUCH.search(s) and _RATE.search(" ".join(asked))) for s in asked
    )


def _asks_expression(sentence: str) -> bool:
    """Whether a sentence asks for an expression: What's 9! / (3!*3!*3!)?"""
    runs = (_RUN.match(sentence, ask.end()) for ask in _ASKS.finditer(sentence))
    return any(run and _OPERATION.search(run[0]) and _RUN_ENDS.match(sentence, run.end()) for run in runs)


def _is_sum(sentence: str) -> bool:
    """Whether a sentence is an expression and nothing else: 12 * 8 = ?"""
    bare = _BARE.fullmatch(sentence)
    if bare is None or not _OPERATION.search(bare["run"]):
        return False
    return bool(bare["equals"]) or not _MAY_BE_NO_SUM.fullmatch(bare["run"].strip(" ."))


def _asks_in_words(sentence: str) -> bool:
    """Whether a sentence asks for a calculation in words: How much is 12 times 8?"""
    words = re.sub(rf"^{_FILLER}", "", sentence, flags=re.IGNORECASE)
    asks = sentence.endswith("?") or _ASKS.search(sentence)
    return bool(_WORDED.search(words) if asks else _WORDED.match(words))


# ---- the present time

_NOW = r"(?: (?:right now|now|currently|at the moment|today|here|please|in utc|utc))*"
_PLACE = r"(?:,? (?:in|over in) (?!(?:the|my|your|our)\b)[\w /]+)?"
_MOMENT = (
    r"(?:current |exact |present |local |utc |today'?s )?(?:date|time|day|weekday)(?: and (?:the )?(?:date|time"
    r"|day))?"
)
_ASKS_CLOCK = re.compile(
    rf"(?:\bwhat(?:'s|s| is) (?:the )?{_MOMENT}"
    rf"|\b(?:tell|give) me (?:the |what )?{_MOMENT}(?: is it| it is)?"
    rf"|\b(?:what|which) (?:time|date|day|hour|month|year|weekday|day of the week)(?: and (?:time|date|day))?"
    r" (?:is it|it is|is today|is now)"
    r"|\b(?:do you have|have you got|got) the time"
    rf"|^(?:{_FILLER})(?:the )?{_MOMENT}"
    r"|\bis (?:today \w+day|it \w+day today)"
    r"|\bwhat(?:'s|s| is) today)"
    rf"{_NOW}{_PLACE}{_NOW}\s*(?:$|[?.!;]|,(?! \w+,? and\b)|and what\b)",
    re.IGNORECASE,
)


def asks_clock(question: str) -> bool:
    """Whether a message asks for the present time or date."""
    return any(_ASKS_CLOCK.search(s) for s in _drop_orders(question))
