"""Find what a draft answer states, and what it claims to have written in this turn.

A claim is plain English in the first person ("I've added it"), without a subject ("Added to your list") or in the
passive ("has been saved"). Negations, offers, conditions, reports about the past and quotations are not claims.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nodes.policies.questions import any_of, split_sentences
from nodes.policies.texts import QUOTED

_STORING = frozenset({"create_item", "update_item", "append_context", "replace_context", "undo"})
_DELETING = frozenset({"delete_item", "delete_context", "undo"})
_REMOVING = _DELETING | {"update_item", "replace_context"}


@dataclass(frozen=True)
class Claim:
    """A write that a draft says was made.

    Args:
        words: The clause that says so.
        action: The write, as a participle such as "deleted".
        tools: The tools that can do it; one of them is enough.
    """

    words: str
    action: str
    tools: frozenset[str]


@dataclass(frozen=True)
class _ClaimKind:
    action: str
    tools: frozenset[str]
    plain: re.Pattern[str]
    after_order: re.Pattern[str]


# ---- statements

_DECLINED = any_of(
    r"\b(?:can't|cannot|can not|couldn't|unable|won't|didn't|don't|not able|unsure)\b",
    r"\bi(?:'m| am) not\b",
    r"\b(?:would|will|'d|'ll) need to\b",
)


def makes_statement(draft: str, pattern: re.Pattern[str]) -> bool:
    """Whether a sentence of the draft that neither asks back nor declines matches the pattern."""
    stated = (s for s in split_sentences(draft) if not s.endswith(("?", "？")) and not _DECLINED.search(s))
    return any(pattern.search(s) for s in stated)


# ---- claims; VERB stands for the verbs of a kind

_STORED = (
    r"added(?! (?:(?:it|them|those|these|that) )?up\b)|saved|stored|created|recorded|noted|logged|scheduled|"
    r"memori[sz]ed|jotted (?:(?:it|that|this) )?down|"
    r"updated|changed(?! my mind)|modified|edited|renamed|moved(?! on)|rescheduled|postponed|marked|corrected"
    r"|adjusted|"
    r"replaced|prioriti[sz]ed|tagged|completed (?:it|that|the task|your task)"
)
_REMOVED = r"removed|cleared|cancell?ed|discarded|archived|(?:crossed|checked|ticked) (?:(?:it|that|them) )?off"
_UNDONE = r"undone|reverted|reversed|restored|taken (?:(?:it|that|this|them|everything|all) )*back"
_ACK = (
    r"(?:(?:ok(?:ay)?|sure(?: thing)?|all right|alright|great|perfect|got it|yes|yep|done|all done|thanks|thank you|"
    r"of course|certainly|absolutely|no problem|understood|also|then)[,!.:\s]+)*"
)
_I = r"\b(?:i|we)"
_ADVERB = r"(?:(?:just|now|also|successfully|gone ahead and|went ahead and) )*"
_THING = r"(?:task|item|note|reminder|entry|event|appointment|idea|preference|context|line|due date|list)s?"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NO_REPORT = (  # not: Added on Monday. Noted in the report. Deleted items stay in the trash. I changed nothing.
    r"(?! (?:(?:it|this|that|them) )?(?:on (?!your)|at |in (?!your)|by |last |yesterday|today|this \w+:|so far"
    r"|since))"
    r"(?! (?:tasks|items|notes|lines|entries|things|list|version|plan|summary|value|nothing|none|neither|no)\b)"
    rf"(?! this (?:week|month|year)|:? *{_WEEKDAY}|: *\d)"
)
_PLAIN = (
    rf"{_I}(?:'ve| have) {_ADVERB}VERB\b(?! (?:nothing|none|neither|no)\b)",
    rf"{_I} {_ADVERB}VERB\b{_NO_REPORT}",
    rf"{_I}(?:'ve| have)? (?:(?!you\b|that\b|which\b)[\w'“”]+ ){{1,8}}?and (?:then |also )?VERB"
    r" (?:it|that|this|them|the|your|an?|both)\b",
    rf"^{_ACK}{_ADVERB}VERB\b{_NO_REPORT}",
    rf"^{_ACK}(?:the |your |a )?(?:new )?{_THING} (?:“” )?{_ADVERB}VERB\b{_NO_REPORT}",
    rf"(?:\bhas|\bhave|'s|'ve) {_ADVERB}been {_ADVERB}VERB\b(?! (?:\w+ times|once|twice|since|by (?!me)))",
    rf"(?:\bis|\bare|'s|'re) (?:now {_ADVERB}VERB\b|{_ADVERB}VERB now[.!]*$)",
)
_AFTER_ORDER = (rf"(?:\bis|\bare|\bwas|\bwere|'s|'re) {_ADVERB}VERB(?: successfully| now| for you)?[.!]*$",)
_YOURS = r"(?:on|in) your (?:[\w-]+ )?(?:list|notes|tasks|calendar)"
_STORED_OTHERWISE = (
    r"\bi(?:'ll| will) (?:remember|note) (?:that|this|it|you)\b(?!.*\b(?:if|once|when|unless)\b)",
    rf"(?:\bis|\bare|'s|'re) (?:now {_YOURS}|{_YOURS} now)\b",
    r"\bi(?:'ve| have)? (?:made|taken) (?:a )?note\b",
    rf"\bi(?:'ve| have)? {_ADVERB}(?:set (?:an?|the|it|that|up|your)|put (?:it|that|this|them) (?:on|in|down)) ",
    rf"^{_ACK}(?:the |your |a )?reminder (?:is |has been )?set\b",
    r"\b(?:that's|it's|duly) noted[.!]*$",
)
_UNDONE_OTHERWISE = (rf"{_I} (?:took (?:(?:it|that|this|them|everything|all) )*back|undid)\b",)
_REMOVED_OTHERWISE = (r"\bi(?:'ve| have)? (?:forgot|forgotten) (?:it|that|this)[.!]*$",)


def _make_kind(action: str, tools: frozenset[str], verbs: str, *otherwise: str) -> _ClaimKind:
    plain, after = ([row.replace("VERB", f"(?:{verbs})") for row in rows] for rows in (_PLAIN, _AFTER_ORDER))
    return _ClaimKind(action, tools, any_of(*plain, *otherwise), any_of(*after))


_KINDS = (
    _make_kind("stored or changed", _STORING, _STORED, *_STORED_OTHERWISE),
    _make_kind("deleted", _DELETING, "deleted|erased"),
    _make_kind("removed", _REMOVING, _REMOVED, *_REMOVED_OTHERWISE),
    _make_kind("undone", _STORING | _DELETING, _UNDONE, *_UNDONE_OTHERWISE),
    _ClaimKind(
        "done", _STORING | _DELETING, any_of(r"(?!)"), any_of(rf"^{_ACK}(?:all )?done[.!]*$", r"\byou're all set\b")
    ),
)

# ---- clauses that are worded like a claim and are not one

_HEDGED_BEFORE = any_of(
    r"\b(?:not|never|nothing|none|neither|nor|cannot|without|failed|unable)\b|n't\b|\bno\b(?! (?:problem|worries))",
    r"\b(?:if|once|when|whenever|after|before|until|unless|whether|as soon as|in case)\b",
    r"\b(?:would|could|should|may|might|must|seems?|appears?|perhaps|maybe|probably)\b",
    r"\b(?:what|whatever|everything|anything|all|which|(?:item|task|note|line|thing|entr|reminder)\w*)"
    r"(?: that| which)? (?:i|we)\b",
    r"\w (?:that|which|who) (?:has|have|is|are|was|were)\b|\bwhat(?:'s| has| have| is| was)\b",
    r"\byou (?:said|wrote|told|asked)\b|\b(?:have|did|had|do|shall|can) i\b",
)
_LONG_AGO = re.compile(r"\b(?:yesterday|earlier|ago|previously|last (?:week|month|year|night|time))\W*$", re.IGNORECASE)
_COMPOSED = re.compile(  # a text that stands in the answer itself is not a write
    r"(?:created|changed|updated|edited) (?:an?|the) (?:[\w-]+ ){0,2}?"
    r"(?:plan|summary|draft|outline|overview|table|poem|story|message|email|reply|version|example|text)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^[^,]*\?$|^(?:shall|should|would|do|does|did|can|could|may|is|are|was|were|has|have|what|which|when|who|why"
    r"|how|"
    r"want|or)\b.*\?$",
    re.IGNORECASE,
)
_DECORATION = re.compile(r"\*\*|__|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+ *")
_NUMBERED = re.compile(r"^\s*\d+[.)]\s+", re.MULTILINE)
_CLAUSE = re.compile(r"(?<!:)\s+[-–—]+\s+|\s*—\s*|;\s*|(?=,? (?:but|so|yet) |, and )")


def find_claims(draft: str, after_order: bool) -> Iterator[Claim]:
    """Yield the writes that a draft says were made.

    Args:
        draft: The answer.
        after_order: Whether it answers an order, where "Done." and "It is deleted." are claims too.
    """
    # By clauses, because a hedge in one ("I can't see it,") says nothing about the next ("but I've added it").
    for clause in _split_clauses(draft):
        for kind in _KINDS:
            rows = (kind.plain, kind.after_order) if after_order else (kind.plain,)
            if any(_makes_claim(clause, row) for row in rows):
                yield Claim(clause.strip(" ,"), kind.action, kind.tools)


def _split_clauses(draft: str) -> list[str]:
    # Quotations go first: a stored text that reads "I've added it" is not the assistant's own claim.
    text = _NUMBERED.sub("- ", _DECORATION.sub("", QUOTED.sub("“”", draft)))
    return [clause for sentence in split_sentences(text) for clause in _CLAUSE.split(sentence) if clause]


def _makes_claim(clause: str, row: re.Pattern[str]) -> bool:
    if _QUESTION.search(clause) or _LONG_AGO.search(clause) or _COMPOSED.search(clause):
        return False
    # A hedge after the verb does not take a claim back: "I've added it; tell me if that is not right."
    return any(not _HEDGED_BEFORE.search(clause[: m.end()]) for m in row.finditer(clause))
