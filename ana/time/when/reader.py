"""The only reader of dates in words: the parts of a text that name days, times, moments and repetitions, and the
rest.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from ana.recent import keep_recent
from ana.time.when.grammar import Base, Chart, Grammar, Level, Match
from ana.time.when.recurring import ADVERBS, RULE_ROWS, Recurrence
from ana.time.when.table import DAY_ROWS
from ana.time.when.times import TIME_ROWS
from ana.time.when.tokens import Token, read_tokens, words

GRAMMAR = Grammar({**DAY_ROWS, **TIME_ROWS, **RULE_ROWS})
_KINDS = ("DAY", "STRETCH", "MOMENT", "RANGE", "TIME", "PARTOFDAY", "RULE")
"""What is looked for; of the same words the first counts."""

_FIRST = frozenset[str]().union(*(GRAMMAR.first[kind] for kind in _KINDS))
"""What any of these may begin with: most tokens of most texts begin none."""

_SIDES = words("since until till through before after")
_LEADS = words("on by due from til this") | _SIDES
_BEFORE_MONTHS = ("in", "during", "for")

_BESIDE = words("at , -")
_BEHIND = words(
    "and at for to in on with by please i we you he she it they is are was were will if because from until till before"
    " after through when where that then but about instead the this next now every each sharp urgent asap remind"
    " today tomorrow tonight morning afternoon evening night noon midday midnight lunchtime - . , ; : ! ? ) ] \" '"
)
"""What follows a date, and is no noun that it may belong to: the 5th floor, sun cream, at 10 Downing Street."""

_MEETINGS = words("report review meeting stand standup sync call")
"""What a weekly one of is one thing."""

_HABITS = words("mornings afternoons evenings nights")
_OFTEN = frozenset(("once", "twice", "times"))
_PERIODIC = words("UNIT WEEKDAY WEEKDAYS ORDINAL NTH NUMBER WORDNUMBER PART MONTH")
_LIMITS = words("except unless but until till")
"""Words that take something away from what repeats."""

SOME_DAY = date(2000, 1, 1)
"""For what is the same whenever it is read."""


class Piece(NamedTuple):
    """Tokens that name something: its kind, the first token, the token after the last, and the value."""

    kind: str
    start: int
    end: int
    value: Any


class Reading(NamedTuple):
    """A text's tokens, and the pieces that name something, in order."""

    tokens: Sequence[Token]
    pieces: Sequence[Piece]

    def span(self, piece: Piece) -> tuple[int, int]:
        """Return the first character of a piece, and the one after its last."""
        return self.tokens[piece.start].start, self.tokens[piece.end - 1].end

    def list_kind(self, *kinds: str) -> list[Piece]:
        """Return the pieces of some kinds."""
        return [piece for piece in self.pieces if piece.kind in kinds]

    @property
    def unread(self) -> list[Token]:
        """Return the tokens that are in no piece."""
        taken = {at for piece in self.pieces for at in range(piece.start, piece.end)}
        return [token for at, token in enumerate(self.tokens) if at not in taken]


@keep_recent(32)  # one query is read for its words, its days and its kind
def read(text: str, today: date, now: datetime | None = None, most: Level = Level.FAINT) -> Reading:
    """Return the days, times, moments and repetitions that a text names.

    Args:
        today: The day from which days are counted.
        now: The moment from which hours are counted; without it none are read.
        most: The readings that count: all for a phrase (ALONE), fewer for a question (QUESTION) or any other text
            (FAINT).
    """
    scan, at = _Scan(text, _make_chart(text, today, now), [], most), 0
    while at < len(scan.chart.tokens):
        piece = next(scan.find_pieces(at), None)
        scan.pieces.extend([piece] if piece else [])
        at = piece.end if piece else at + 1
    return Reading(scan.chart.tokens, scan.pieces)


@keep_recent(32)  # a query is read as a question and as a text
def _make_chart(text: str, today: date, now: datetime | None) -> Chart:
    tokens = read_tokens(text)
    return Chart(GRAMMAR, tokens, Base(today, now, _find_part(tokens)))


def _find_part(tokens: Sequence[Token]) -> str:
    """Return the part of the day that a text names anywhere: tomorrow evening at 8."""
    parts = [str(token.kinds["PART"]) for token in tokens if "PART" in token.kinds]
    return "morning" if "morning" in parts else next((part for part in parts if part != "noon"), "")


class _Scan(NamedTuple):
    """The readings of a text so far, and the check of which ones count."""

    text: str
    chart: Chart
    pieces: list[Piece]
    most: Level

    def find_pieces(self, at: int) -> Iterator[Piece]:
        """Yield the readings that count from a token on, the longest first."""
        if _FIRST.isdisjoint(self.chart.tokens[at].names):
            return
        matches = [(kind, match) for kind in _KINDS for match in self.chart.match(kind, at)]
        for kind, match in sorted(matches, key=lambda each: -each[1].end):
            if self._counts(kind, at, match):
                yield Piece("DAY" if kind == "STRETCH" else kind, at, match.end, match.value)

    def _counts(self, kind: str, at: int, match: Match) -> bool:
        """Return whether a reading has beside it the words that it needs."""
        is_bare_hour = kind in ("TIME", "RANGE") and match.level == Level.FAINT
        if self.most == Level.ALONE and (not is_bare_hour or self.chart.base.part):
            return True
        if match.level > self.most or kind == "STRETCH" or self._is_cut(kind, at, match.end):
            return False
        if is_bare_hour:
            return self._is_hour(at, match.end)
        if match.level == Level.QUESTION:
            return match.end > at + 1 or "PLAIN" in self.chart.tokens[at].kinds or self._word(at - 1) in _SIDES
        return match.level == Level.SURE or self._is_beside(kind, at, match)

    def _word(self, at: int) -> str:
        return self.chart.tokens[at].word if 0 <= at < len(self.chart.tokens) else ""

    def _is_cut(self, kind: str, at: int, end: int) -> bool:
        """Return whether a reading is a part of something else: Friday13, every Friday, by 4 December, 3 may leave."""
        tokens, (start, stop) = self.chart.tokens, (self.chart.tokens[at].start, self.chart.tokens[end - 1].end)
        if self.text[max(0, start - 1) : start].isalnum() or self.text[stop : stop + 1].isalnum():
            return True
        if kind == "DAY" and ((at and "EVERY" in tokens[at - 1].kinds) or self._word(end) == "of"):
            return True
        is_month = kind == "DAY" and self._word(at) in _BEFORE_MONTHS  # "for January" of "for January 17th"
        if (kind == "TIME" or is_month) and any(
            day.end > end for inner in range(at + 1, end) for day in self.chart.match("DAY", inner)
        ):
            return True
        is_verb = "VERB" in tokens[end - 1].kinds and end - at < 3 and "ORDINAL" not in tokens[at].kinds
        return is_verb and has_noun_behind(tokens, end)

    def _is_beside(self, kind: str, at: int, match: Match) -> bool:
        """Return whether no noun follows, and an ambiguous word has a lead, a piece or an edge of the text beside
        it.
        """
        tokens, end = self.chart.tokens, match.end
        if at == 0 and "DAYMONTH" in tokens[at].kinds:  # 13.01. dentist
            return True
        if has_noun_behind(tokens, end):
            return False
        if match.level == Level.CLEAR or self._word(at - 1) in _LEADS:
            return True
        is_edge = end == len(tokens) or (match.level == Level.WEAK and self._word(end) in ".,;:!?)")
        return self._has_beside(at, end, *(("TIME", "RANGE") if kind == "DAY" else ("DAY",))) or (
            is_edge and (match.level == Level.WEAK or at == 0)
        )

    def _has_beside(self, at: int, end: int, *kinds: str) -> bool:
        """Return whether a piece of one of these kinds is before or after these tokens."""
        last = self.pieces[-1] if self.pieces else None
        if last and last.kind in kinds and all(self._word(each) in _BESIDE for each in range(last.end, at)):
            return True
        after = end + (self._word(end) in _BESIDE)
        return any(
            match.level < Level.WEAK for kind in (*kinds, "PARTOFDAY") for match in self.chart.match(kind, after)
        )

    def _is_hour(self, at: int, end: int) -> bool:
        """Return whether a number alone is an hour: 10 tonight, six in the evening; beside a day also Tue 10.30."""
        is_written = end > at + 1 or "DECIMAL" in self.chart.tokens[at].kinds
        is_part = bool(self.chart.match("PARTOFDAY", end)) or self._word(end) == "sharp"
        return is_part or (is_written and self._has_beside(at, end, "DAY"))


def has_noun_behind(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token is a word to which the one before it may belong: the 5th floor, sun cream."""
    return at < len(tokens) and tokens[at].word not in _BEHIND and not tokens[at].kinds


# ---- what repeats


def is_recurring(reading: Reading) -> bool:
    """Return whether a text says that something repeats, read or not: each 31st, twice a week, the 1st and the 15th."""
    days = [at for at, token in enumerate(reading.tokens) if "ORDINAL" in token.kinds]
    is_pair = any(two - one < 4 and reading.tokens[one + 1].word == "and" for one, two in pairwise(days))
    repeats = any(_may_repeat(one, two) for one, two in pairwise([*reading.tokens, Token(0, 0, "", {})]))
    return bool(reading.list_kind("RULE")) or repeats or is_pair


def _may_repeat(one: Token, two: Token) -> bool:
    is_every = "EVERY" in one.kinds and two.word != "one" and not _PERIODIC.isdisjoint(two.kinds)
    is_adverb = one.word in ADVERBS and two.word not in _MEETINGS
    is_often = one.word in _OFTEN and two.word in ("a", "per")
    return is_every or is_adverb or is_often or one.word in _HABITS


def read_recurrence(text: str, today: date) -> Recurrence | None:
    """Return the repetition that a text describes, if it says nothing else; days count from the given day."""
    chart = _make_chart(text.rstrip(" .,;!"), today, None)
    matches = chart.match("RULE", 0)
    return matches[0].value if matches and matches[0].end == len(chart.tokens) else None


def find_recurrence(text: str) -> tuple[str, str]:
    """Return the words that say how something repeats, and their RRULE; empty if the text names other days, too.

    A time elsewhere in it belongs to the rule: every friday school closes at 1.
    """
    reading = read(text, SOME_DAY)
    rules, times = reading.list_kind("RULE"), reading.list_kind("TIME")
    is_limited = any(token.word in _LIMITS for token in reading.unread)
    if len(rules) != 1 or len(times) > 1 or len(reading.pieces) > len(rules) + len(times) or is_limited:
        return "", ""
    (start, end), rule = reading.span(rules[0]), rules[0].value.rule
    is_number = "NUMBER" in reading.tokens[rules[0].end - 1].kinds  # at 10 Downing Street
    if (is_number and has_noun_behind(reading.tokens, rules[0].end)) or (times and "BYHOUR" in rule):
        return "", ""
    return text[start:end] + "".join(f" at {time.value.at:%H:%M}" for time in times), rule
