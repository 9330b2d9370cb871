"""Questions about what is due, as against texts that only mention a day; and what of a text may be meant otherwise."""

import re
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from ana.output import quote
from ana.time.dates import spell_day
from ana.time.when.days import Days
from ana.time.when.grammar import Level
from ana.time.when.reader import drop_mentions, read
from ana.time.when.tokens import LONGEST

_CUE_WORDS = (
    "due deadline deadlines agenda schedule scheduled calendar task tasks todo todos plan plans planned have doing "
    "happening upcoming overdue missed"
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
    "through to from with s up coming going still left look looks like past to-do to-dos and now pls wats far looking "
    "it next week day else saved kept every or you so more "
)
_CUES = frozenset(_CUE_WORDS.split())
_FILLERS = _CUES | frozenset(_FILLER_WORDS.split())
_PAST = re.compile(r"\b(?:did|was|were|had|happened)\b", re.IGNORECASE)
_OVERDUE = re.compile(r"\b(?:overdue|past\s+due)\b", re.IGNORECASE)
_STEPS = {"week": relativedelta(weeks=1), "month": relativedelta(months=1), "year": relativedelta(years=1)}
HALF_A_YEAR = 183


def read_due_question(text: str, today: date) -> tuple[date, date] | None:
    """Return the days a text such as "what's due Tuesday" asks about, if it asks what is due then and nothing else.

    "by Friday" counts from today, "before Friday" up to the day before; "overdue" is everything until yesterday.
    """
    if len(text) > LONGEST:
        return None
    text = text.replace("’", "'")
    mentions = _list_asked(text, today)
    asks = not _CUES.isdisjoint(_words(text)) or _PHRASES.search(text)
    if not asks or not has_only_fillers(text, mentions):
        return None
    if _OVERDUE.search(text):
        return None if mentions else (date.min, today - timedelta(days=1))
    if len(mentions) != 1 or mentions[0].last == date.max:
        return None
    first = today if mentions[0].first == date.min else mentions[0].first
    return (first, mentions[0].last) if mentions[0].last >= first else None


def find_named_days(text: str, today: date) -> list[Days]:
    """Return the days a question names, if it asks for more than what is due.

    "until Friday", "by", "before", "after" and "since" open a stretch to one side, "from Monday to Wednesday" is one
    stretch, and a month may stand by itself. A day without a year is the one nearest to today, half a year to either
    side.
    """
    return [
        _put_back(each) if each.step == "year" and (each.first - today).days > HALF_A_YEAR else each
        for each in _list_asked(text, today)
    ]


def _list_asked(text: str, today: date) -> list[Days]:
    """Return the mentions of a question; of one about the past, a day that is not pinned down is the latest such."""
    is_past = _PAST.search(text) is not None
    days = read(text, today, most=Level.ASKED).days
    return [_put_back(day) if is_past and day.last >= today else day for day in days]


def _put_back(mention: Days) -> Days:
    """Return the days of a mention a week, a month or a year earlier, unless they are pinned down."""
    step = _STEPS.get(mention.step, relativedelta())
    open_ends = (date.min, date.max)
    first, last = (day if day in open_ends else day - step for day in (mention.first, mention.last))
    return mention._replace(first=first, last=last)


def has_only_fillers(text: str, days: list[Days]) -> bool:
    """Return whether a text has only words that a question about what is due may have beside these days."""
    return _FILLERS.issuperset(_words(drop_mentions(text, days)))


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def tell_doubts(text: str, today: date) -> str:
    """Return sentences about the days of a text that may not be meant as they are read; empty without one."""
    reading = read(text, today)
    named = " or ".join(map(quote, reading.impossible))
    impossible = f" There is no {named} in any calendar, so it is not used as a date." if named else ""
    twofold = [(day, day.other) for day in reading.days if day.other]
    if len(twofold) != 1:
        return impossible
    day, other = twofold[0]
    return f" {quote(day.text)} can mean {spell_day(day.first)}, as I read it, or {spell_day(other)}.{impossible}"
