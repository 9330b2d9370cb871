"""Messages that consist of nothing but a yes or a no in words, a fixed list in each language."""

import re
from typing import Literal

from ana.phrases import fold

_YES = (
    "y|yes|yeah|yep|yup|ok|okay|sure|please do|go ahead|do (?:it|that)|approved?|of course|absolutely|definitely"
    "|ja|jawohl|klar|gerne?|mach(?: (?:das|es|mal|ruhig))*|naturlich|genau|si|vale|claro(?: que si)?|por supuesto"
    "|adelante|hazlo|oui|ouais|d ?accord|vas y|allez y|bien sur"
    "|はい|うん|ええ|いいよ|いいです|お願いします|お願い|もちろん"
)
_NO = (
    "n|no|nope|no way|don ?t(?: do (?:it|that))?|do not|reject(?:ed)?|nein|lieber nicht|lass es|non|surtout pas"
    "|no lo hagas|mejor no|いいえ|いや|やめて|結構です"
)
_STOP = "wait|stop|hold on|warte|halt|espera|un momento|attends|attendez|待って"
_COURTESY = "please|thanks|thank you|then|bitte|danke|dann|por favor|gracias|merci|s il (?:te|vous) plait|ください"
_ALL = (
    "(?:all|both) of (?:it|them|that)|(?:it|them|that) all|all|both|alles?|beide|todos?|tout(?:es)?|全部"
    "|(?:delete|remove|change|move) (?:it|them|that|those|all)|losch(?:e|t)? (?:es|sie|das|die|alles?)"
    "|borra(?:l[oa]s?)|supprime(?:z)? (?:le|la|les|tout)"
)
"""What may stand beside a yes: it decides on the whole request."""

LONGEST = 200
"""Characters of a short reply; a longer message is none."""


def _compile(core: str, beside: str) -> re.Pattern[str]:
    """Return a pattern for some words of a class, with other words of it beside them."""
    one, other = fold(core), fold(beside)
    gap = "(?: |(?<=[\u3041-\u9fff]))"  # Japanese writes none
    return re.compile(rf"(?:(?:{other}){gap})*(?:{one})(?:{gap}(?:{one}|{other}))*")


_IS_YES, _IS_NO = _compile(_YES, f"{_COURTESY}|{_ALL}"), _compile(_NO, _COURTESY)
_BEGINS_WITH_NO = re.compile(rf"(?:{fold(_NO)}|{fold(_STOP)})(?!\w)")


def read_short_reply(text: str) -> Literal["approve", "reject"] | None:
    """Return the decision if a message is nothing but a yes or a no; None for any other message."""
    if len(text) > LONGEST or "?" in fold(text):
        return None
    words = _list_words(text)
    if _IS_YES.fullmatch(words):
        return "approve"
    return "reject" if _IS_NO.fullmatch(words) else None


def begins_with_no(text: str) -> bool:
    """Return whether a message begins with a no, or with a word to stop, whatever follows."""
    return bool(_BEGINS_WITH_NO.match(_list_words(text[:LONGEST])))


def _list_words(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))
