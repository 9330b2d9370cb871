"""Questions about what is due, as against texts that only mention a day; and both readings of "next Friday"."""

import re
from dataclasses import replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from ana.output import quote
from ana.time.dates import spell_day
from ana.time.when.mentions import Mention, drop_mentions, find_impossible, find_stretches, resolve
from ana.time.when.single import put_month_first
from ana.time.when.words import ANY_WEEKDAY, LONGEST, Days, find_before, shift_day

_CUE_WORDS = (
    "due deadline deadlines agenda schedule scheduled calendar task tasks todo todos plan plans planned have doing "
    "happening upcoming overdue missed steht fällig termine aufgaben habe hab ai tengo ho fare faire hacer tun machen"
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
    "was wann ich an zu ist sind muss meine am im noch es gibt für que qu est-ce j je à au le la les mes est dois qué "
    "el los mis para debo hay che cosa devo il i"
)
_CUES = frozenset(_CUE_WORDS.split())
_FILLERS = _CUES | frozenset(_FILLER_WORDS.split())
_SIDE = re.compile(r"\b(by|until|till|through|up\s+to|before|after|since)\s+(?:the\s+)?$", re.IGNORECASE)
HALF_A_YEAR = 183
_NEXT = re.compile(rf"next\s+{ANY_WEEKDAY}\.?", re.IGNORECASE)
_OVERDUE = re.compile(r"\b(?:overdue|past\s+due)\b", re.IGNORECASE)


def read_due_question(text: str, today: date) -> Days | None:
    """Return the days a text such as "what's due Tuesday" asks about, if it asks what is due then and nothing else.

    "by Friday" counts from today, "before Friday" up to the day before; "overdue" is everything until yesterday.
    """
    if len(text) > LONGEST:
        return None
    text = text.replace("’", "'")
    mentions = find_stretches(text, today)
    asks = not _CUES.isdisjoint(_words(text)) or _PHRASES.search(text)
    if not asks or not has_only_fillers(text, mentions):
        return None
    if _OVERDUE.search(text):
        return None if mentions else (date.min, today - timedelta(days=1))
    if len(mentions) != 1:
        return None
    asked = _open_side(text, mentions[0])
    first = today if asked.first == date.min else asked.first
    return (first, asked.last) if asked.last >= first else None


def find_named_days(text: str, today: date, *, months: bool = False) -> list[Mention]:
    """Return the days a question names, if it asks for more than what is due.

    "until Friday", "by", "before", "after" and "since" open a stretch to one side. A day without a year is the one
    nearest to today, half a year to either side.

    Args:
        months: As for `find_stretches`; good for ranking, too little for a filter.
    """
    return [_open_side(text, _move_near(mention, today)) for mention in find_stretches(text, today, months=months)]


def _open_side(text: str, mention: Mention) -> Mention:
    side = find_before(_SIDE, text, mention.start)
    if side is None:
        return mention
    word, day = side[1].lower(), timedelta(days=1)
    ends = {
        "before": (date.min, shift_day(mention.first, -day)),
        "after": (shift_day(mention.last, day), date.max),
        "since": (mention.first, date.max),
    }
    first, last = ends.get(word, (date.min, mention.last))
    return replace(mention, start=side.start(), first=first, last=last, text=text[side.start() : mention.end])


def _move_near(mention: Mention, today: date) -> Mention:
    far = (mention.first - today).days > HALF_A_YEAR
    if not far or re.search(r"\d{4}|\b(?:next|in|within|year)\b", mention.text, re.IGNORECASE):
        return mention
    year = relativedelta(years=-1)
    return replace(mention, first=shift_day(mention.first, year), last=shift_day(mention.last, year))


def has_only_fillers(text: str, days: list[Mention]) -> bool:
    """Return whether a text has only words that a question about what is due may have beside these days."""
    return _FILLERS.issuperset(_words(drop_mentions(text, days)))


def _words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def find_other_reading(mention: Mention, today: date) -> date | None:
    """Return the other day that people mean by "next Friday"; None for phrases that have one reading.

    On a Friday it has one: in a week.
    """
    ahead = (mention.first - today).days
    if not _NEXT.fullmatch(mention.text) or ahead % 7 == 0:
        return None
    return mention.first + timedelta(weeks=1 if ahead < 7 else -1)


def tell_doubts(text: str, today: date) -> str:
    """Return sentences about the days of a text that may not be meant as they are read; empty without one."""
    named = [quote(text[start:end]) for start, end in find_impossible(put_month_first(text), today)]
    impossible = f" There is no {' or '.join(named)} in any calendar, so it is not used as a date." if named else ""
    return tell_other_reading(text, today) + impossible


def tell_other_reading(text: str, today: date) -> str:
    """Return a sentence with both readings of the one phrase in a text that has two; empty without one, or several."""
    twofold = [(said, other) for said in resolve(text, today) if (other := find_other_reading(said, today))]
    if len(twofold) != 1:
        return ""
    said, other = twofold[0]
    return f" {quote(said.text)} can mean {spell_day(said.first)}, as I read it, or {spell_day(other)}."
