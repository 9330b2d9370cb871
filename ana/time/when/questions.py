"""Telling questions about due items from texts that only mention a day; and doubtful parts of a text."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from dateutil.relativedelta import relativedelta

from ana.output import quote
from ana.time.dates import spell_day
from ana.time.when.days import DAY, STEPS, When
from ana.time.when.grammar import Level
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
_PAST = re.compile(r"\b(?:did|was|were|had|happened)\b", re.IGNORECASE)
_OVERDUE = re.compile(r"\b(?:overdue|past\s+due)\b", re.IGNORECASE)
_HALF_A_YEAR = 183


def read_due_question(text: str, today: date) -> tuple[date, date] | None:
    """Return the days a text such as "what's due Tuesday" asks about, if it only asks what is due then.

    "by Friday" counts from today, "before Friday" up to the day before; "overdue" is everything until yesterday.
    """
    if len(text) > LONGEST:
        return None
    text = text.replace("’", "'")
    if _CUES.isdisjoint(_split_words(text)) and not _PHRASES.search(text):
        return None
    days = _find_stretches(text, today)
    if not has_only_fillers(text, days):
        return None
    if _OVERDUE.search(text):
        return None if days else (date.min, today - DAY)
    if len(days) != 1 or days[0].bound in ("after", "since"):
        return None
    stretch = _open_side(days[0])
    first = today if stretch.first == date.min else stretch.first
    return (first, stretch.last) if stretch.last >= first else None


def find_named_days(text: str, today: date, *, months: bool = False) -> list[When]:
    """Return the days a question names, which differ from those of a wish in four ways.

    Two days with "to" between them, or "and" after "between", are one stretch; "move it from Monday to Wednesday" names
    two. "until Friday", "by", "before", "after" and "since" name a stretch that is open on one side. If the question is
    about the past, a day without a fixed date is its latest occurrence: "what did I do on December 29". Else a day
    without a year is the one nearest to today, half a year to either side.

    Args:
        months: Whether a month counts that is only named: "December things"; good for ranking, too little for a filter.
    """
    every = _find_stretches(text, today, months=months)
    is_far = [(each.first - today).days > _HALF_A_YEAR and each.step == "year" for each in every]
    return [_open_side(_move_back(each) if far else each) for each, far in zip(every, is_far, strict=True)]


def _find_stretches(text: str, today: date, *, months: bool = False) -> list[When]:
    every = read(text, today, most=Level.SEARCH if months else Level.QUESTION).days
    is_past = _PAST.search(text) is not None
    return [_move_back(days) if is_past and days.last >= today else days for days in every]


def _move_back(days: When) -> When:
    """Return days a period earlier, unless they are fixed dates."""
    step = STEPS.get(days.step)
    return days._replace(first=_shift(days.first, -step), last=_shift(days.last, -step)) if step else days


def _shift(day: date, step: timedelta | relativedelta) -> date:
    """Return a day moved by a distance, or the last or first possible day."""
    try:
        return day + step
    except (ValueError, OverflowError):
        return date.min if day.year < 5000 else date.max


def _open_side(days: When) -> When:
    """Return days with all those on the side that is meant."""
    ends = {
        "by": (date.min, days.last),
        "until": (date.min, days.last),
        "before": (date.min, _shift(days.first, -DAY)),
        "after": (_shift(days.last, DAY), date.max),
        "since": (days.first, date.max),
    }
    first, last = ends.get(days.bound, days[:2])
    return days._replace(first=first, last=last)


def drop_days(text: str, every: Sequence[When]) -> str:
    """Return the text with the words of each day replaced by a space."""
    for days in reversed(every):  # from the end, so that positions stay valid
        text = f"{text[: days.start]} {text[days.end :]}"
    return text


def has_only_fillers(text: str, every: Sequence[When]) -> bool:
    """Return whether a text has, beside these days, only words of a question about due items."""
    return _FILLERS.issuperset(_split_words(drop_days(text, every)))


def _split_words(text: str) -> list[str]:
    return re.findall(r"[\w-]+", text.lower())


def tell_doubts(text: str, today: date) -> str:
    """Return sentences about days of a text that may mean something else than was read; empty if there are none."""
    reading = read(text, today)
    names = " or ".join(map(quote, reading.impossible))
    impossible = f" There is no {names} in any calendar, so it is not used as a date." if names else ""
    twofold = [(days, days.other) for days in reading.days if days.other]
    if len(twofold) != 1:
        return impossible
    days, other = twofold[0]
    return f" {quote(days.text)} can mean {spell_day(days.first)}, as I read it, or {spell_day(other)}.{impossible}"
