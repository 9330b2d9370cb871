"""Questions for what is due, told from texts that only mention a day."""

import re
from datetime import date, timedelta

from ana.when.mentions import Mention, stretches
from ana.when.words import Days

_CUE_WORDS = (
    "due deadline deadlines agenda schedule scheduled calendar task tasks todo todos plan plans planned have "
    "happening upcoming overdue"
)
_PHRASES = re.compile(
    r"\bwhat(?:'s|s|\s+is)?\s+(?:going\s+|coming\s+)?(?:on|up|for)\b|\bto[ -]dos?\b|\bcoming\s+up\b|\bpast\s+due\b"
    r"|\b(?:should|must|shall)\s+(?:i|we)\s+do\b|\blooks?\b",
    re.IGNORECASE,
)
_FILLER_WORDS = (
    "what whats which how many much is are was were am be will do does must should shall need can could would "
    "i we me us my our there this that these those the a an any anything something everything all thing things stuff "
    "item items show list tell give get got has see find display please hey hi on for of in at by until till before "
    "through to from with s up coming going still left look looks like past to-do to-dos and"
)
_CUES = frozenset(_CUE_WORDS.split())
_FILLERS = _CUES | frozenset(_FILLER_WORDS.split())
_UP_TO = re.compile(r"\b(by|until|till|through|before)\s+(?:the\s+)?$", re.IGNORECASE)
_OVERDUE = re.compile(r"\b(?:overdue|past\s+due)\b", re.IGNORECASE)


def due_question(text: str, today: date) -> Days | None:
    """The days a text asks about, when it asks for what is due then and for nothing besides.

    "by Friday" counts from today, "before Friday" up to the day before; "overdue" is everything until yesterday.

    Args:
        text: A query, such as "what's due Tuesday".
        today: The person's today.
    """
    text = text.replace("’", "'")
    mentions = stretches(text, today)
    if not _asks(text) or not _only_fillers(text, mentions):
        return None
    if _OVERDUE.search(text):
        return None if mentions else (date.min, today - timedelta(days=1))
    return _range(text, mentions[0], today) if len(mentions) == 1 else None


def _asks(text: str) -> bool:
    return not _CUES.isdisjoint(_words(text)) or _PHRASES.search(text) is not None


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def _only_fillers(text: str, mentions: list[Mention]) -> bool:
    for mention in reversed(mentions):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return _FILLERS.issuperset(_words(text))


def _range(text: str, mention: Mention, today: date) -> Days | None:
    limit = _UP_TO.search(text[: mention.start])
    if limit is None:
        return mention.first, mention.last
    last = mention.first - timedelta(days=1) if limit[1].lower() == "before" else mention.last
    return (today, last) if last >= today else None
