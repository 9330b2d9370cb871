"""The one reader of dates in words: what of a text names days, times and moments, and what is left."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from ana.recent import keep_recent
from ana.time.when.days import DAY_ROWS
from ana.time.when.grammar import Base, Chart, Grammar, Level, Match
from ana.time.when.recurring import ADVERBS, RULE_ROWS, Recurrence
from ana.time.when.times import TIME_ROWS
from ana.time.when.tokens import Token, read_tokens

GRAMMAR = Grammar({**DAY_ROWS, **TIME_ROWS, **RULE_ROWS})
KINDS = ("DAY", "STRETCH", "MOMENT", "RANGE", "TIME", "PARTOFDAY", "RULE")
"""What is looked for; of the same words the first counts."""

_SIDES = frozenset("since until till through before after".split())
_LEADS = frozenset("on by due from til this".split()) | _SIDES
_TIMED = frozenset("at , -".split())
_BEHIND = frozenset(
    "and at for to in on with by please i we you he she it they is are was were will if because from until till before"
    " after through when where that then but about instead or the this next now every each sharp urgent asap remind today"
    " tomorrow tonight morning afternoon evening night noon - . , ; : ! ? ) ] \" '".split()
)
"""What follows a date, and is no noun that it may belong to: the 5th floor, sun cream, at 10 Downing Street."""

_RECURS = frozenset(("every", "each"))
_MEETINGS = frozenset("report review meeting stand standup sync call".split())
"""What a weekly one of is one thing."""

_OFTEN = frozenset(("once", "twice", "times"))
_PERIODIC = frozenset("UNIT WEEKDAY WEEKDAYS ORDINAL NTH NUMBER WORDNUMBER PART MONTH".split())
_LIMITS = frozenset("except unless but until till".split())
"""Words that take something away from what repeats."""

_SOME_DAY = date(2000, 1, 1)


class Piece(NamedTuple):
    """Tokens that name something: of which kind, from which to which, the last excluded, and what."""

    kind: str
    start: int
    end: int
    value: Any


@dataclass(frozen=True)
class Reading:
    """A text's tokens, and the pieces that name something, in order."""

    tokens: Sequence[Token]
    pieces: Sequence[Piece]

    def span(self, piece: Piece) -> tuple[int, int]:
        """Return the first character of a piece, and the one after its last."""
        return self.tokens[piece.start].start, self.tokens[piece.end - 1].end

    @property
    def unread(self) -> list[Token]:
        """Return the tokens that are in no piece."""
        taken = {at for piece in self.pieces for at in range(piece.start, piece.end)}
        return [token for at, token in enumerate(self.tokens) if at not in taken]


@keep_recent(32)  # one query is read for its words, its days and its kind
def read(text: str, today: date, now: datetime | None = None, most: Level = Level.FAINT) -> Reading:
    """Return what a text names.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted; without it none are read.
        most: What counts: all of a phrase (ALONE), of a question (ASKED), of any other text (FAINT).
    """
    tokens = read_tokens(text)
    chart = Chart(GRAMMAR, tokens, Base(today, now, _find_part(tokens)))
    pieces: list[Piece] = []
    at = 0
    while at < len(tokens):
        piece = next(_iter_pieces(text, chart, at, pieces, most), None) if _may_begin(tokens[at]) else None
        pieces += [piece] if piece else []
        at = piece.end if piece else at + 1
    return Reading(tokens, pieces)


def _may_begin(token: Token) -> bool:
    return bool(token.kinds) or token.word in GRAMMAR.words


def _find_part(tokens: Sequence[Token]) -> str:
    parts = [str(token.kinds["PART"]) for token in tokens if "PART" in token.kinds]
    return "morning" if "morning" in parts else next((part for part in parts if part != "lunch"), "")


def _iter_pieces(text: str, chart: Chart, at: int, before: list[Piece], most: Level) -> Iterator[Piece]:
    found = [(kind, match) for kind in KINDS for match in chart.match(kind, at)]
    for kind, match in sorted(found, key=lambda each: -each[1].end):
        if _counts(text, chart, kind, at, match, before, most):
            yield Piece("DAY" if kind == "STRETCH" else kind, at, match.end, match.value)


def _counts(text: str, chart: Chart, kind: str, at: int, match: Match, before: list[Piece], most: Level) -> bool:
    """Whether a reading has beside it what it needs."""
    tokens, end = chart.tokens, match.end
    is_bare_hour = kind in ("TIME", "RANGE") and match.level == Level.FAINT
    if most == Level.ALONE and (not is_bare_hour or chart.base.part):
        return True
    if match.level > most or _is_glued(text, tokens[at].start, tokens[end - 1].end):
        return False
    lead, behind = tokens[at - 1].word if at else "", tokens[end] if end < len(tokens) else None
    if match.level == Level.ASKED:
        return end > at + 1 or "PLAINMONTH" in tokens[at].kinds or ("FULLMONTH" in tokens[at].kinds and lead in _SIDES)
    if kind == "DAY" and (lead in _RECURS or (behind and behind.word == "of")):  # the last week of school
        return False
    if kind == "TIME" and any(day.end > end for start in range(at + 1, end) for day in chart.match("DAY", start)):
        return False  # by 4 December
    if (
        "VERB" in tokens[end - 1].kinds
        and end == at + 2
        and "ORDINAL" not in tokens[at].kinds
        and has_noun_behind(tokens, end)
    ):  # 3 may leave early
        return False
    if match.level == Level.SURE or is_bare_hour:
        return not is_bare_hour or _is_hour(chart, at, end, before)
    if at == 0 and "DAYMONTH" in tokens[at].kinds:  # 13.01. dentist
        return True
    if has_noun_behind(tokens, end):
        return False
    others = ("TIME", "RANGE") if kind == "DAY" else ("DAY",)
    if match.level == Level.CLEAR or lead in _LEADS or _has_beside(chart, at, end, before, others):
        return True
    is_edge = behind is None or (behind.word in ".,;:!?)" and match.level == Level.WEAK)
    return is_edge and (match.level == Level.WEAK or at == 0)


def has_noun_behind(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is a word that what stands before it may belong to: the 5th floor, sun cream."""
    return at < len(tokens) and tokens[at].word not in _BEHIND and not tokens[at].kinds


def is_recurring(reading: Reading) -> bool:
    """Return whether a text says that something repeats, whether it was read or not."""
    pairs = pairwise([*(token.word for token in reading.tokens), ""])
    is_said = any(one in _RECURS or (one in ADVERBS and two not in _MEETINGS) for one, two in pairs)
    return is_said or any(piece.kind == "RULE" for piece in reading.pieces)


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether a letter or a figure stands right before or after a place: Friday13."""
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())


def _has_beside(chart: Chart, at: int, end: int, before: list[Piece], kinds: Sequence[str]) -> bool:
    if before and before[-1].kind in kinds and all(each.word in _TIMED for each in chart.tokens[before[-1].end : at]):
        return True
    after = end + (end < len(chart.tokens) and chart.tokens[end].word in _TIMED)
    return any(match.level < Level.WEAK for kind in (*kinds, "PARTOFDAY") for match in chart.match(kind, after))


def _is_hour(chart: Chart, at: int, end: int, before: list[Piece]) -> bool:
    """Whether a mere number is an hour: 10 tonight, six in the evening; with a point beside a day, too: Tue 10.30."""
    if (end > at + 1 or "DECIMAL" in chart.tokens[at].kinds) and _has_beside(chart, at, end, before, ("DAY",)):
        return True
    word = chart.tokens[end].word if end < len(chart.tokens) else ""
    return bool(chart.match("PARTOFDAY", end)) or word in ("tonight", "sharp")


def read_recurrence(text: str, today: date) -> Recurrence | None:
    """Return what repeats, if a text says that and nothing else; days count from a day on."""
    tokens = read_tokens(text.rstrip(" .,;!"))
    found = Chart(GRAMMAR, tokens, Base(today, None, _find_part(tokens))).match("RULE", 0)
    return found[0].value if found and found[0].end == len(tokens) else None


def find_recurrence(text: str) -> tuple[str, str]:
    """Return the words of a text that say how something repeats, and that as RRULE; empty if it says more of when.

    A time that stands elsewhere in it is that of the rule: every friday school closes at 1.
    """
    reading = read(text, _SOME_DAY)
    rules, times = ([piece for piece in reading.pieces if piece.kind == kind] for kind in ("RULE", "TIME"))
    is_limited = any(token.word in _LIMITS for token in reading.unread)
    if len(rules) != 1 or len(times) > 1 or len(reading.pieces) > len(rules) + len(times) or is_limited:
        return "", ""
    (start, end), rule = reading.span(rules[0]), rules[0].value.rule
    is_number = "NUMBER" in reading.tokens[rules[0].end - 1].kinds  # at 10 Downing Street
    if (is_number and has_noun_behind(reading.tokens, rules[0].end)) or (times and "BYHOUR" in rule):
        return "", ""
    return text[start:end] + "".join(f" at {time.value.at:%H:%M}" for time in times), rule


def says_repeating(text: str) -> bool:
    """Return whether a text says that something repeats, read or not: each 31st, twice a week."""
    reading = read(text, _SOME_DAY)
    is_rule = any(piece.kind == "RULE" for piece in reading.pieces)
    return is_rule or any(_may_repeat(one, two) for one, two in pairwise(reading.tokens)) or _has_two_days(reading)


def _may_repeat(one: Token, two: Token) -> bool:
    is_adverb = one.word in ADVERBS and two.word not in _MEETINGS
    is_often = one.word in _OFTEN and two.word in ("a", "per")
    return is_adverb or is_often or (one.word in _RECURS and two.word != "one" and not _PERIODIC.isdisjoint(two.kinds))


def _has_two_days(reading: Reading) -> bool:
    """Whether a text names two days of a month that no month follows: the 1st and the 15th."""
    days = [at for at, token in enumerate(reading.tokens) if "ORDINAL" in token.kinds]
    return any(two - one < 4 and reading.tokens[one + 1].word == "and" for one, two in pairwise(days))
