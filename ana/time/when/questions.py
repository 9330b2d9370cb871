"""Telling questions about due items from texts that only mention a day; and doubtful parts of a text."""

import re
from dataclasses import replace
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from ana.output import quote
from ana.time.dates import spell_day
from ana.time.when.grammar import Level
from ana.time.when.mentions import Mention, drop_mentions, find_impossible, list_days, resolve
from ana.time.when.reader import read
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
_SIDE = re.compile(r"\b(by|until|till|through|up\s+to|before|after|since)\s+(?:the\s+)?$", re.IGNORECASE)
_PAST = re.compile(r"\b(?:did|was|were|had|happened)\b", re.IGNORECASE)
_OPENING = re.compile(r"\b(between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:-|–|\b(?:to|until|till|through|thru)\b)\s*(?:the\s+)?", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE)
_OVERDUE = re.compile(r"\b(?:overdue|past\s+due)\b", re.IGNORECASE)
_LED_IN = 40
"""Characters before a mention in which the words that lead to it stand: by the 13th."""

_STEPS = {"week": relativedelta(weeks=1), "month": relativedelta(months=1), "year": relativedelta(years=1)}
HALF_A_YEAR = 183


def read_due_question(text: str, today: date) -> tuple[date, date] | None:
    """Return the days a text such as "what's due Tuesday" asks about, if it only asks what is due then.

    "by Friday" counts from today, "before Friday" up to the day before; "overdue" is everything until yesterday.
    """
    if len(text) > LONGEST:
        return None
    text = text.replace("’", "'")
    mentions = find_stretches(text, today)
    is_question = not _CUES.isdisjoint(_split_words(text)) or _PHRASES.search(text)
    if not is_question or not has_only_fillers(text, mentions):
        return None
    if _OVERDUE.search(text):
        return None if mentions else (date.min, today - timedelta(days=1))
    if len(mentions) != 1:
        return None
    stretch = _open_side(text, mentions[0])
    first = today if stretch.first == date.min else stretch.first
    return (first, stretch.last) if stretch.last >= first else None


def find_named_days(text: str, today: date, *, months: bool = False) -> list[Mention]:
    """Return the days a question names, if it asks for more than what is due.

    "until Friday", "by", "before", "after" and "since" name a stretch that is open on one side. A day without a year is
    the one nearest to today, half a year to either side.

    Args:
        months: As for `find_stretches`; good for ranking, too little for a filter.
    """
    return [_open_side(text, _move_near(mention, today)) for mention in find_stretches(text, today, months=months)]


def find_stretches(text: str, today: date, *, months: bool = False) -> list[Mention]:
    """Return the mentions of a question, which differ from those of a wish in two ways.

    Two days with "to" between them, or "and" after "between", are one stretch; "move it from Monday to Wednesday" names
    two. And if the question is about the past, a day without a fixed date is its latest occurrence: "what did I do on
    December 29", "what was due on Monday".

    Args:
        months: Whether a month counts that is only named: "December things".
    """
    past = _PAST.search(text) is not None
    stretches: list[Mention] = []
    for mention in list_days(text, read(text, today, most=Level.QUESTION if months else Level.FAINT)):
        mention = _shift(mention, -1) if past and mention.last >= today else mention
        whole = _join(text, stretches[-1], mention) if stretches else None
        stretches[-1:] = [whole] if whole else [*stretches[-1:], mention]
    return stretches


def _shift(mention: Mention, times: int) -> Mention:
    """Return the days of a mention, a number of periods earlier or later, unless they are fixed dates."""
    step = _STEPS.get(mention.step)
    if step is None:
        return mention
    return replace(mention, first=shift_day(mention.first, times * step), last=shift_day(mention.last, times * step))


def shift_day(day: date, step: timedelta | relativedelta) -> date:
    """Return a day moved by a distance, or the last or first possible day."""
    try:
        return day + step
    except (ValueError, OverflowError):
        return date.min if day.year < 5000 else date.max


def _join(text: str, first: Mention, last: Mention) -> Mention | None:
    opening = _OPENING.search(text, max(0, first.start - _LED_IN), first.start)
    between = text[first.end : last.start]
    if not (_TO.fullmatch(between) or (opening and opening[1].lower() == "between" and _AND.fullmatch(between))):
        return None
    later = shift_day(last.last, timedelta(days=7)) if last.last < first.first else last.last  # from Monday to Thursday
    start = opening.start() if opening else first.start
    whole = replace(first, start=start, end=last.end, last=later, text=text[start : last.end])
    return whole if later >= first.last else None


def _open_side(text: str, mention: Mention) -> Mention:
    side = _SIDE.search(text, max(0, mention.start - _LED_IN), mention.start)
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
    is_far = (mention.first - today).days > HALF_A_YEAR
    return _shift(mention, -1) if is_far and mention.step == "year" else mention


def has_only_fillers(text: str, days: list[Mention]) -> bool:
    """Return whether a text has, beside these days, only words of a question about due items."""
    return _FILLERS.issuperset(_split_words(drop_mentions(text, days)))


def _split_words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def tell_doubts(text: str, today: date) -> str:
    """Return sentences about days of a text that may mean something else than was read; empty if there are none."""
    named = map(quote, find_impossible(text, today))
    names = " or ".join(named)
    impossible = f" There is no {names} in any calendar, so it is not used as a date." if names else ""
    return tell_other_reading(text, today) + impossible


def tell_other_reading(text: str, today: date) -> str:
    """Return a sentence with both readings of an ambiguous phrase; empty if the text has no such phrase, or several."""
    twofold = [(mention, mention.other) for mention in resolve(text, today) if mention.other]
    if len(twofold) != 1:
        return ""
    mention, other = twofold[0]
    return f" {quote(mention.text)} can mean {spell_day(mention.first)}, as I read it, or {spell_day(other)}."
